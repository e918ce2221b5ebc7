//! The encoding sniffing algorithm: the one file that knows the order of the evidence.
//!
//! Readers hand over what they found; each step below turns it into a [`Clue`] and the first clue that names an
//! encoding decides. Later steps still leave their clues, to say what lost.

mod other_formats;

use memchr::memchr2;

use crate::bom::BomTable;
use crate::clue::{clue, meta_clue, transport_clue};
use crate::decision::{Change, Clue, Context, Decision, Declaration, Fate, Origin, Parent, Reason};
use crate::detect::{Detector, Guess};
use crate::encoding::Encoding;
use crate::format::Procedure;
use crate::head_scan::HeadScan;
use crate::known::{Known, allow_utf_8, detector};
use crate::label::show_label;
use crate::late_meta::{LateMeta, may_declare};
use crate::locale::locale_encoding;
use crate::meta::MetaDeclaration;
use crate::mime::Transport;
use crate::prescan::{PRESCAN_WINDOW, prescan_a_byte_stream, utf_16_prefix};
use crate::rule::{Confidence, Rule};
use crate::utf8::{Utf8Check, Utf8State};
use crate::xml::get_an_xml_encoding;

/// Decides the encoding of a whole document.
///
/// # Standard
/// [HTML Standard, "encoding sniffing algorithm"](https://html.spec.whatwg.org/#encoding-sniffing-algorithm) for HTML;
/// other formats by their own standards.
///
/// # Panics
/// Never.
///
/// # Example
/// ```
/// use unbake::{sniff, Context, Confidence, Rule};
/// let decision = sniff(b"<meta charset=shift_jis><title>\x93\xFA\x96\x7B</title>", &Context::default());
/// assert_eq!(decision.encoding.name(), "Shift_JIS");
/// assert_eq!((decision.rule, decision.confidence), (Rule::Prescan, Confidence::Tentative));
/// ```
pub fn sniff(bytes: &[u8], context: &Context) -> Decision {
    encoding_sniffing_algorithm(context, bytes, &Rest::Whole)
}

/// The decision, and the text where deciding has already shown that the whole document is valid UTF-8.
pub(crate) fn sniff_and_validate<'a>(
    bytes: &'a [u8],
    context: &Context,
) -> (Decision, Option<&'a str>) {
    sniffing(context, bytes, &Rest::Whole)
}

/// How the parts of a document that may lie past its head are read.
pub(crate) enum Rest<'a> {
    /// The head is the whole document: read when a step asks.
    Whole,
    /// The document came in chunks, and these readers watched them.
    Watched(&'a Watch),
}

/// The resumable readers of a stream.
pub(crate) struct Watch {
    pub(crate) head_scan: HeadScan,
    /// `None` where no `<meta>` changes the encoding: another format, or so set.
    pub(crate) late: Option<LateMeta>,
    pub(crate) utf_8: Utf8Check,
    /// No byte after the late meta, where `utf_8` ends, is beyond ASCII.
    pub(crate) ascii_after: bool,
    pub(crate) detector: Option<Detector>,
    /// Nothing follows what they have read.
    pub(crate) complete: bool,
}

impl Watch {
    /// The `<meta>` that changes the encoding, once it has come.
    pub(crate) fn late_found(&self) -> Option<&MetaDeclaration> {
        self.late.as_ref().and_then(|late| late.found.as_ref())
    }
}

/// Can a `<meta>` met while parsing change an encoding that this rule settled? Not where the head scan found one: the
/// tree builder meets that very tag first, and is certain from then on.
pub(crate) fn may_change(context: &Context, rule: Rule) -> bool {
    let scanned = context.settings.declaration == Declaration::HeadScan;
    context.settings.late_meta && !(scanned && matches!(rule, Rule::Prescan | Rule::LateMeta))
}

struct Sniffing<'h, 'c> {
    context: &'c Context,
    head: &'h [u8],
    rest: &'c Rest<'c>,
    clues: Vec<Clue>,
    decided: Option<(usize, Encoding, Rule, Confidence)>,
    guess: Option<Guess>,
    change: Option<Change>,
    may_declare: Option<bool>,
    /// The whole document, once it was found to be valid UTF-8.
    text: Option<&'h str>,
}

/// The algorithm. `head` is the whole document, or what a stream has kept of its start.
pub(crate) fn encoding_sniffing_algorithm(
    context: &Context,
    head: &[u8],
    rest: &Rest<'_>,
) -> Decision {
    sniffing(context, head, rest).0
}

fn sniffing<'h>(context: &Context, head: &'h [u8], rest: &Rest<'_>) -> (Decision, Option<&'h str>) {
    let known = Known::of(context, head);
    let mut sniffing = Sniffing {
        context,
        head,
        rest,
        clues: Vec::with_capacity(4),
        decided: None,
        guess: None,
        change: None,
        may_declare: None,
        text: None,
    };
    // Step 1, and step 2: every format begins so, but for characters, which nobody decodes.
    let procedure = known.format.procedure();
    let bom = sniffing.bom(known.boms);
    if procedure != Procedure::Characters {
        sniffing.user_override();
    }
    match procedure {
        Procedure::Html => {
            sniffing.transport_layer(&known.transport);
            sniffing.declaration_at_the_start();
            sniffing.parent();
            sniffing.remembered();
            let late = sniffing.late_meta();
            sniffing.text_of_undeclared(late.as_ref());
            sniffing.implementation_default();
            sniffing.change_the_encoding(late);
        }
        Procedure::Text => {
            sniffing.transport_layer(&known.transport);
            sniffing.parent();
            sniffing.remembered();
            sniffing.text_of_undeclared(None);
            sniffing.implementation_default();
        }
        Procedure::Xml => {
            sniffing.transport_layer(&known.transport);
            sniffing.xml_document();
            sniffing.format_default();
        }
        Procedure::Css => {
            sniffing.transport_layer(&known.transport);
            sniffing.style_sheet();
            sniffing.environment();
            sniffing.format_default();
        }
        Procedure::Script => {
            sniffing.transport_layer(&known.transport);
            sniffing.environment();
            sniffing.text_of_undeclared(None);
            sniffing.implementation_default();
        }
        Procedure::Utf8 => {
            sniffing.transport_ignored(&known.transport);
            sniffing.format_default();
        }
        Procedure::Yaml => {
            sniffing.transport_ignored(&known.transport);
            sniffing.yaml_stream();
            sniffing.format_default();
        }
        Procedure::Characters => sniffing.characters(),
    }
    let text = sniffing.text;
    (sniffing.conclude(&known, bom), text)
}

impl Sniffing<'_, '_> {
    /// Notes a clue, and lets it decide where none has yet.
    fn offer(&mut self, clue: Clue, rule: Rule, confidence: Confidence) {
        if let (None, Some(encoding), Fate::Outranked) = (self.decided, clue.encoding, clue.fate) {
            self.decided = Some((self.clues.len(), encoding, rule, confidence));
        }
        self.clues.push(clue);
    }

    /// Does any `<meta` of the whole document speak of an encoding? Asked by two steps, answered once.
    fn may_declare(&mut self) -> bool {
        *self
            .may_declare
            .get_or_insert_with(|| may_declare(self.head))
    }

    fn is_certain(&self) -> bool {
        self.decided
            .is_some_and(|(.., confidence)| confidence == Confidence::Certain)
    }

    /// Step 1: BOM sniff.
    fn bom(&mut self, boms: BomTable) -> Option<(Encoding, usize)> {
        let (encoding, len) = boms.sniff(self.head)?;
        self.offer(
            Clue {
                at: Some((0, len as u64)),
                ..clue(Origin::Bom, encoding)
            },
            Rule::Bom,
            Confidence::Certain,
        );
        Some((encoding, len))
    }

    /// Step 2: what the user asked for.
    fn user_override(&mut self) {
        if let Some(encoding) = self.context.user_override {
            self.offer(
                clue(Origin::Override, encoding),
                Rule::Override,
                Confidence::Certain,
            );
        }
    }

    /// Step 4: the transport layer. A label that is not supported gives no encoding, and the next step is asked.
    fn transport_layer(&mut self, transport: &Transport) {
        if let Some(clue) = transport_clue(transport, self.context) {
            self.offer(clue, Rule::Transport, Confidence::Certain);
        }
    }

    /// Step 5: the prescan, or the head scan of browsers; then the XML declaration.
    fn declaration_at_the_start(&mut self) {
        let head = self.head;
        if let Some(encoding) = utf_16_prefix(head) {
            self.offer(
                Clue {
                    at: Some((0, 6)),
                    ..clue(Origin::Utf16Prefix, encoding)
                },
                Rule::Prescan,
                Confidence::Tentative,
            );
        }
        let metas = match self.context.settings.declaration {
            Declaration::Prescan => {
                prescan_a_byte_stream(head.get(..PRESCAN_WINDOW).unwrap_or(head))
            }
            // A decided document is scanned no further than the window, for clues alone.
            Declaration::HeadScan if self.decided.is_some() => HeadScan::of_window(head).metas,
            Declaration::HeadScan => match self.rest {
                Rest::Whole => {
                    if self.may_declare() {
                        HeadScan::of(head).metas
                    } else {
                        Vec::new()
                    }
                }
                Rest::Watched(watch) => watch.head_scan.metas.clone(),
            },
        };
        let window = PRESCAN_WINDOW as u64;
        for meta in metas {
            let rule = if meta.at.1 > window {
                Rule::LateMeta
            } else {
                Rule::Prescan
            };
            self.offer(meta_clue(&meta), rule, Confidence::Tentative);
        }
        self.xml_declaration();
    }

    /// "Get an XML encoding", the fallback of step 5.
    fn xml_declaration(&mut self) {
        if let Some(declaration) = get_an_xml_encoding(self.head) {
            let encoding = declaration
                .encoding
                .map(|e| if e.is_utf_16() { Encoding::UTF_8 } else { e });
            let reason = (encoding != declaration.encoding).then_some(Reason::Utf16MeansUtf8);
            let fate = if encoding.is_some() {
                Fate::Outranked
            } else {
                Fate::UnknownLabel
            };
            let clue = Clue {
                origin: Origin::XmlDeclaration,
                label: Some(show_label(declaration.label)),
                encoding,
                at: Some(declaration.at),
                fate,
                reason,
            };
            self.offer(clue, Rule::XmlDeclaration, Confidence::Tentative);
        }
    }

    /// Step 6: the container document, if it is of the same origin and not UTF-16.
    fn parent(&mut self) {
        if let Some(Parent {
            encoding,
            same_origin,
        }) = self.context.parent
        {
            let mut clue = clue(Origin::Parent, encoding);
            if !same_origin || encoding.is_utf_16() {
                clue.fate = Fate::Ignored;
                clue.reason = Some(if same_origin {
                    Reason::ParentUtf16
                } else {
                    Reason::CrossOrigin
                });
            }
            self.offer(clue, Rule::Parent, Confidence::Tentative);
        }
    }

    /// Step 7: the likely encoding, from an earlier visit.
    fn remembered(&mut self) {
        if let Some(encoding) = self.context.remembered {
            self.offer(
                clue(Origin::Remembered, encoding),
                Rule::Remembered,
                Confidence::Tentative,
            );
        }
    }

    /// Looks ahead for the `<meta>` that will change the encoding while parsing, if the encoding can still change.
    fn late_meta(&mut self) -> Option<MetaDeclaration> {
        if self.is_certain()
            || !may_change(
                self.context,
                self.decided.map_or(Rule::Default, |(_, _, rule, _)| rule),
            )
        {
            return None;
        }
        let found = match self.rest {
            Rest::Whole => {
                if self.may_declare() {
                    LateMeta::of(self.head)
                } else {
                    None
                }
            }
            Rest::Watched(watch) => watch.late_found().cloned(),
        };
        // The tag that decided is no late one.
        let deciding = self
            .decided
            .and_then(|(index, ..)| self.clues.get(index))
            .filter(|clue| clue.origin == Origin::Meta)
            .and_then(|clue| clue.at);
        found.filter(|meta| deciding != Some(meta.at))
    }

    /// Step 8: valid UTF-8, then the detector, over the bytes up to the end of the late `<meta>`: all that was converted when the
    /// tree builder meets it.
    fn text_of_undeclared(&mut self, late: Option<&MetaDeclaration>) {
        if self.decided.is_some() {
            return;
        }
        let before = self
            .head
            .get(..late.map_or(self.head.len(), |meta| meta.at.1 as usize))
            .unwrap_or(self.head);
        let utf_8 = match self.rest {
            Rest::Whole => {
                let (state, text) = Utf8State::of(before);
                self.text = text.filter(|text| text.len() == self.head.len());
                state
            }
            Rest::Watched(watch) => watch.utf_8.state(watch.complete || late.is_some()),
        };
        if utf_8 == Utf8State::Valid && allow_utf_8(self.context) {
            self.offer(
                clue(Origin::Utf8Valid, Encoding::UTF_8),
                Rule::Utf8Valid,
                Confidence::Tentative,
            );
            return;
        }
        // Recorded: valid UTF-8 that must not be called so is called nothing else either.
        if utf_8 == Utf8State::Valid || !self.context.settings.detector {
            return;
        }
        let guess = match self.rest {
            // ASCII is ASCII: nothing to guess, but for escape sequences and for UTF-16, which is full of NULs.
            Rest::Whole if utf_8 == Utf8State::Ascii && memchr2(0x1B, 0, before).is_none() => None,
            Rest::Whole => {
                let mut detector = detector(self.context);
                detector.feed(before);
                detector.guess()
            }
            Rest::Watched(watch)
                if utf_8 == Utf8State::Ascii && !watch.utf_8.has_escape_or_nul() =>
            {
                None
            }
            Rest::Watched(watch) => watch.detector.as_ref().and_then(Detector::guess),
        };
        // Recorded: no engine guesses ISO-2022-JP (nor UTF-8) for what came over the network. And UTF-8 is no finding
        // where every byte is ASCII.
        let refused = |guess: &Guess| {
            (guess.encoding == encoding_rs::ISO_2022_JP.into() && !allow_utf_8(self.context))
                || (guess.encoding == Encoding::UTF_8 && utf_8 == Utf8State::Ascii)
        };
        if let Some(guess) = guess.filter(|guess| !refused(guess)) {
            self.guess = Some(guess);
            self.offer(
                clue(Origin::Detector, guess.encoding),
                Rule::Detected,
                Confidence::Tentative,
            );
        }
    }

    /// Step 9: what the caller, the locale, or the standard falls back to.
    fn implementation_default(&mut self) {
        if self.decided.is_some() {
            return;
        }
        if let Some(encoding) = self.context.fallback {
            self.offer(
                clue(Origin::Default, encoding),
                Rule::Default,
                Confidence::Tentative,
            );
        } else if let Some(encoding) = self.context.locale.as_deref().and_then(locale_encoding) {
            self.offer(
                clue(Origin::Locale, encoding),
                Rule::Locale,
                Confidence::Tentative,
            );
        } else {
            self.offer(
                clue(Origin::Default, Encoding::WINDOWS_1252),
                Rule::Default,
                Confidence::Tentative,
            );
        }
    }

    /// "Change the encoding", run ahead of the parser for the `<meta>` it will meet.
    ///
    /// # Standard
    /// [HTML Standard, 13.2.3.4](https://html.spec.whatwg.org/#change-the-encoding).
    fn change_the_encoding(&mut self, late: Option<MetaDeclaration>) {
        let (Some(meta), Some((index, current, rule, _))) = (late, self.decided) else {
            return;
        };
        let Some(new) = meta.encoding else { return };
        let converted = meta.at.1;
        let mut clue = meta_clue(&meta);
        // The scan may have passed it by, after another one that decided.
        let at = self
            .clues
            .iter()
            .position(|known| {
                (known.origin, known.at, known.encoding) == (Origin::Meta, Some(meta.at), Some(new))
            })
            .unwrap_or(self.clues.len());
        if current.is_utf_16() {
            // Step 1: UTF-16 stays, and is certain.
            clue.fate = Fate::Ignored;
            clue.reason = Some(Reason::DocumentUtf16);
            self.decided = Some((index, current, rule, Confidence::Certain));
        } else if new == current {
            // Steps 2-3 were done with the clue. Step 4.
            self.change = Some(Change::Same);
            self.decided = Some((index, current, rule, Confidence::Certain));
        } else {
            // Step 5: ASCII bytes mean the same in both; step 6 otherwise.
            let same_so_far = new.is_ascii_compatible()
                && current.is_ascii_compatible()
                && self.is_ascii_before(converted);
            self.change = Some(if same_so_far {
                Change::OnTheFly
            } else {
                Change::StartAgain
            });
            self.decided = Some((at, new, Rule::LateMeta, Confidence::Certain));
        }
        match self.clues.get_mut(at) {
            Some(known) => *known = clue,
            None => self.clues.push(clue),
        }
    }

    fn is_ascii_before(&self, end: u64) -> bool {
        match self.rest {
            Rest::Whole => self.head.get(..end as usize).is_some_and(<[u8]>::is_ascii),
            Rest::Watched(watch) => watch.utf_8.state(false) == Utf8State::Ascii,
        }
    }

    /// Gives every clue its fate.
    fn conclude(mut self, known: &Known, bom: Option<(Encoding, usize)>) -> Decision {
        if self.context.all_clues && known.format.procedure() == Procedure::Html {
            self.metas_out_of_reach();
        }
        let (index, encoding, rule, confidence) = self.decided.unwrap_or((
            usize::MAX,
            Encoding::WINDOWS_1252,
            Rule::Default,
            Confidence::Tentative,
        ));
        for (at, clue) in self.clues.iter_mut().enumerate() {
            if at == index {
                clue.fate = Fate::Decided;
            } else if clue.fate == Fate::Outranked && clue.encoding == Some(encoding) {
                clue.fate = Fate::Agrees;
            } else if clue.fate == Fate::Outranked && clue.reason.is_some() {
                clue.fate = Fate::Rewritten;
            }
        }
        Decision {
            format: known.format,
            format_source: known.format_source,
            encoding,
            confidence,
            rule,
            bom,
            clues: self.clues,
            change: self.change,
            guess: self.guess,
        }
    }

    /// For reports: the declarations that stand where nobody looked.
    fn metas_out_of_reach(&mut self) {
        // All before the last one that is known were seen when it was found.
        let metas = self.clues.iter().filter(|clue| clue.origin == Origin::Meta);
        let seen = metas.filter_map(|clue| clue.at).map(|(_, end)| end).max();
        let rest = self.head.get(seen.unwrap_or(0) as usize..);
        if !matches!(self.rest, Rest::Whole) || !rest.is_some_and(may_declare) {
            return;
        }
        let read = self.clues.iter().filter(|clue| clue.origin == Origin::Meta);
        let mut known: Vec<u64> = read.filter_map(|clue| clue.at).map(|at| at.0).collect();
        known.sort_unstable();
        for meta in LateMeta::all_of(self.head) {
            if known.binary_search(&meta.at.0).is_err() {
                let certain = self.context.settings.late_meta && self.is_certain();
                let mut clue = meta_clue(&meta);
                clue.fate = Fate::OutOfReach;
                clue.reason = Some(if certain {
                    Reason::AlreadyCertain
                } else {
                    Reason::PastWindow
                });
                self.clues.push(clue);
            }
        }
    }
}
