//! The same decision and the same text, from chunks, in bounded memory.

use crate::decision::{Context, Decision, Declaration, FormatSource};
use crate::decode::{DecodeRun, bom_length};
use crate::error::DecodeError;
use crate::format::{Procedure, RESOURCE_HEADER};
use crate::head_scan::HeadScan;
use crate::known::{Known, detector};
use crate::late_meta::LateMeta;
use crate::malformed::Malformed;
use crate::prescan::PRESCAN_WINDOW;
use crate::rule::{Confidence, Rule};
use crate::sniff::{Rest, Watch, encoding_sniffing_algorithm, may_change};
use crate::utf8::{Utf8Check, Utf8State};
use crate::xml::is_unfinished_declaration;

/// How many bytes a stream keeps before it yields text: 64 KiB, when the head goes on for so long.
/// (An XML declaration that does not end may hold it up to 1 MiB.)
pub const STREAM_WINDOW: usize = 64 << 10;

/// What the caller of a [`Stream`] has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Progress {
    /// Go on.
    Continue,
    /// The encoding was overturned: drop the text so far, call [`Stream::start_again`], and push the document
    /// again from its first byte. This happens at most once.
    StartAgain,
}

/// A document that arrives in chunks.
///
/// Text is yielded early, under the encoding that the bytes so far speak for. When later bytes overturn it (a late `<meta>`, or
/// undeclared bytes that turn out not to be UTF-8), the stream asks to start again instead of holding the document.
/// Text, decision and offsets are the same as for [`decode`](crate::decode()), wherever the cuts fall.
///
/// # Standard
/// [HTML, encoding sniffing algorithm](https://html.spec.whatwg.org/#encoding-sniffing-algorithm) with its step 3, and
/// [changing the encoding](https://html.spec.whatwg.org/#change-the-encoding).
///
/// # Example
/// ```
/// use unbake::{Context, Progress, Stream};
/// let mut text = String::new();
/// let mut stream = Stream::new(Context::default());
/// for chunk in [&b"<meta charset=euc-"[..], b"kr>\xC7", b"\xD1"] {
///     assert_eq!(stream.push(chunk, &mut text), Ok(Progress::Continue));
/// }
/// assert_eq!(stream.finish(&mut text), Ok(Progress::Continue));
/// assert_eq!(text, "<meta charset=euc-kr>한");
/// ```
pub struct Stream {
    context: Context,
    strict: bool,
    phase: Phase,
    byte_length: u64,
}

enum Phase {
    /// Step 3: waiting for enough bytes. `check_at`: how many before the next look.
    Head {
        buffer: Vec<u8>,
        check_at: usize,
    },
    Body(Box<Body>),
}

struct Body {
    decision: Decision,
    run: DecodeRun,
    /// Bytes of a byte order mark still to leave out.
    skip: usize,
    /// While later bytes may overturn the decision: the readers, and the kept head.
    watch: Option<(Watch, Vec<u8>)>,
    /// Overturned: nothing is decoded any more, the readers alone go on.
    overturned: bool,
    /// Strict: the first malformed sequence, while later bytes may still show that it was none.
    refused: Option<DecodeError>,
}

impl Stream {
    /// A stream in replacement mode.
    pub fn new(context: Context) -> Stream {
        Stream {
            context,
            strict: false,
            phase: Phase::Head {
                buffer: Vec::new(),
                check_at: PRESCAN_WINDOW,
            },
            byte_length: 0,
        }
    }

    /// A stream that fails at the first malformed sequence, once no later byte can overturn the encoding that it is malformed in.
    pub fn strict(context: Context) -> Stream {
        Stream {
            strict: true,
            ..Stream::new(context)
        }
    }

    /// A stream whose encoding was decided before, perhaps by a first pass over the same document.
    pub fn decided(decision: Decision, strict: bool) -> Stream {
        let body = Body::new(decision, strict);
        Stream {
            strict,
            phase: Phase::Body(Box::new(body)),
            ..Stream::new(Context::default())
        }
    }

    /// Takes the next bytes, and appends to `text` what can be said by now.
    ///
    /// # Errors
    /// In a [strict](Stream::strict) stream, the first malformed sequence.
    pub fn push(&mut self, bytes: &[u8], text: &mut String) -> Result<Progress, DecodeError> {
        self.byte_length += bytes.len() as u64;
        match &mut self.phase {
            Phase::Head { buffer, check_at } => {
                buffer.extend_from_slice(bytes);
                if buffer.len() < *check_at {
                    return Ok(Progress::Continue);
                }
                *check_at = buffer.len() * 2;
                if wants_more(&self.context, buffer) {
                    return Ok(Progress::Continue);
                }
                self.begin(false, text)
            }
            Phase::Body(body) => body.push(bytes, &self.context, text),
        }
    }

    /// "No more for now": decides on what has come, instead of waiting for the first 1024 bytes.
    ///
    /// # Errors
    /// As [`push`](Stream::push).
    pub fn flush(&mut self, text: &mut String) -> Result<Progress, DecodeError> {
        match &self.phase {
            // Part of a byte order mark decides nothing yet.
            Phase::Head { buffer, .. } if is_enough(&self.context, buffer) => {
                self.begin(false, text)
            }
            _ => Ok(Progress::Continue),
        }
    }

    /// The end of the document.
    ///
    /// # Errors
    /// As [`push`](Stream::push).
    pub fn finish(&mut self, text: &mut String) -> Result<Progress, DecodeError> {
        if matches!(self.phase, Phase::Head { .. }) {
            return self.begin(true, text);
        }
        match &mut self.phase {
            Phase::Body(body) => body.finish(&self.context, text),
            Phase::Head { .. } => Ok(Progress::Continue),
        }
    }

    /// After [`Progress::StartAgain`]: ready for the document's first byte, its encoding now decided.
    pub fn start_again(&mut self) {
        self.byte_length = 0;
        let strict = self.strict;
        if let Phase::Body(body) = &mut self.phase {
            **body = Body::new(body.decision.clone(), strict);
        }
    }

    /// True where no later byte can overturn the encoding: [`Progress::StartAgain`] will not come (any more).
    pub fn is_settled(&self) -> bool {
        matches!(&self.phase, Phase::Body(body) if body.watch.is_none() && !body.overturned)
    }

    /// The decision: after [`finish`](Stream::finish) the final one, before it what the bytes so far speak for.
    pub fn decision(&self) -> Option<&Decision> {
        match &self.phase {
            Phase::Body(body) => Some(&body.decision),
            Phase::Head { .. } => None,
        }
    }

    /// The malformed sequences so far.
    pub fn malformed(&self) -> Malformed {
        match &self.phase {
            Phase::Body(body) => body.run.malformed.clone(),
            Phase::Head { .. } => Malformed::default(),
        }
    }

    /// How often U+FFFD stood in the source as a real character, so far.
    pub fn literal_fffd(&self) -> u64 {
        match &self.phase {
            Phase::Body(body) => body.run.literal_fffd,
            Phase::Head { .. } => 0,
        }
    }

    /// The bytes pushed so far.
    pub fn byte_length(&self) -> u64 {
        self.byte_length
    }

    fn begin(&mut self, complete: bool, text: &mut String) -> Result<Progress, DecodeError> {
        let Phase::Head { buffer, .. } = &mut self.phase else {
            return Ok(Progress::Continue);
        };
        let head = core::mem::take(buffer);
        let mut body = if complete {
            Body::new(
                encoding_sniffing_algorithm(&self.context, &head, &Rest::Whole),
                self.strict,
            )
        } else {
            Body::watching(&self.context, &head, self.strict)
        };
        let outcome = body.decode(&head, complete, text);
        self.phase = Phase::Body(Box::new(body));
        outcome.map(|()| Progress::Continue)
    }
}

/// Can anything be decided on these bytes? Not on part of a byte order mark, nor on less than YAML's first character.
fn is_enough(context: &Context, buffer: &[u8]) -> bool {
    let known = Known::of(context, buffer);
    let least = if known.format.procedure() == Procedure::Yaml {
        4
    } else {
        1
    };
    buffer.len() >= least && !known.boms.is_cut(buffer)
}

/// Step 3: is it worth waiting for more than these bytes?
fn wants_more(context: &Context, buffer: &[u8]) -> bool {
    if is_unfinished_declaration(buffer) {
        return true;
    }
    let known = Known::of(context, buffer);
    if known.format_source == FormatSource::Content && buffer.len() < RESOURCE_HEADER {
        return true;
    }
    if buffer.len() >= STREAM_WINDOW
        || known.format.procedure() != Procedure::Html
        || context.settings.declaration == Declaration::Prescan
    {
        return false;
    }
    let certain = known.boms.sniff(buffer).is_some()
        || context.user_override.is_some()
        || known.transport.encoding.is_some();
    if certain {
        HeadScan::of_window(buffer).is_cut()
    } else {
        let scan = HeadScan::of(buffer);
        !scan.is_done() || scan.is_cut()
    }
}

impl Body {
    fn new(decision: Decision, strict: bool) -> Body {
        let skip = bom_length(&decision);
        let run = DecodeRun::new(decision.encoding, skip as u64, strict);
        Body {
            decision,
            run,
            skip,
            watch: None,
            overturned: false,
            refused: None,
        }
    }

    /// Decides on the head, and goes on watching what may overturn that.
    fn watching(context: &Context, head: &[u8], strict: bool) -> Body {
        let mut watch = Watch::new(context, head);
        watch.feed(head, 0);
        let decision = encoding_sniffing_algorithm(context, head, &Rest::Watched(&watch));
        let mut body = Body::new(decision, strict);
        if is_open(&body.decision, context, &watch) {
            body.watch = Some((watch, head.to_vec()));
        }
        body
    }

    fn push(
        &mut self,
        bytes: &[u8],
        context: &Context,
        text: &mut String,
    ) -> Result<Progress, DecodeError> {
        let Some((watch, head)) = &mut self.watch else {
            self.decode(bytes, false, text)?;
            return Ok(Progress::Continue);
        };
        let before = watch.state();
        let all_ascii = before.utf_8 == Utf8State::Ascii && watch.ascii_after;
        watch.feed(bytes, self.run.position());
        let mut open = true;
        if watch.state() != before {
            self.decision = encoding_sniffing_algorithm(context, head, &Rest::Watched(watch));
            open = is_open(&self.decision, context, watch);
            let (old, new) = (self.run.encoding(), self.decision.encoding);
            if new != old && !self.overturned {
                if all_ascii && old.is_ascii_compatible() && new.is_ascii_compatible() {
                    // What was yielded means the same in both: switch on the fly.
                    self.run.switch(new);
                } else {
                    self.overturned = true;
                }
            }
            if !open {
                self.watch = None;
            }
        }
        if self.overturned {
            self.run.pass_over(bytes.len());
            return Ok(if open {
                Progress::Continue
            } else {
                Progress::StartAgain
            });
        }
        self.decode(bytes, false, text)?;
        Ok(Progress::Continue)
    }

    fn finish(&mut self, context: &Context, text: &mut String) -> Result<Progress, DecodeError> {
        if let Some((mut watch, head)) = self.watch.take() {
            watch.complete = true;
            self.decision = encoding_sniffing_algorithm(context, &head, &Rest::Watched(&watch));
            self.overturned |= self.decision.encoding != self.run.encoding();
        }
        if self.overturned {
            return Ok(Progress::StartAgain);
        }
        self.decode(&[], true, text)?;
        Ok(Progress::Continue)
    }

    fn decode(&mut self, bytes: &[u8], last: bool, text: &mut String) -> Result<(), DecodeError> {
        let (mark, bytes) = bytes.split_at(self.skip.min(bytes.len()));
        self.skip -= mark.len();
        if self.refused.is_some() {
            self.run.pass_over(bytes.len());
        } else if let Err(error) = self.run.feed(bytes, last, text) {
            self.run.pass_over(bytes.len());
            self.refused = Some(error);
        }
        // While the encoding may be overturned, nothing is refused for good.
        match self.refused.take_if(|_| self.watch.is_none()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// What of the readers' findings a decision depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct WatchState {
    utf_8: Utf8State,
    declared: bool,
    scanned: bool,
    late: bool,
}

impl Watch {
    fn new(context: &Context, head: &[u8]) -> Watch {
        let html = Known::of(context, head).format.procedure() == Procedure::Html;
        Watch {
            head_scan: HeadScan::new(),
            late: (html && context.settings.late_meta).then(LateMeta::new),
            utf_8: Utf8Check::default(),
            ascii_after: true,
            detector: context.settings.detector.then(|| detector(context)),
            complete: false,
        }
    }

    /// Reads the bytes that start at `position`.
    fn feed(&mut self, bytes: &[u8], position: u64) {
        self.head_scan.feed(bytes);
        if let Some(late) = self.late.as_mut().filter(|late| late.found.is_none()) {
            late.feed(bytes);
        }
        // The text is judged by the bytes up to the end of the late meta.
        let end = match self.late_found() {
            Some(meta) => meta.at.1.saturating_sub(position).min(bytes.len() as u64) as usize,
            None => bytes.len(),
        };
        let (bytes, after) = bytes.split_at(end);
        self.ascii_after = self.ascii_after && after.is_ascii();
        self.utf_8.feed(bytes);
        if let Some(detector) = &mut self.detector {
            detector.feed(bytes);
        }
    }

    fn state(&self) -> WatchState {
        WatchState {
            utf_8: self.utf_8.state(false),
            declared: self.head_scan.found,
            scanned: self.head_scan.is_done(),
            late: self.late_found().is_some(),
        }
    }
}

/// Can later bytes still change this decision?
fn is_open(decision: &Decision, context: &Context, watch: &Watch) -> bool {
    let html = decision.format.procedure() == Procedure::Html;
    let scanning =
        html && context.settings.declaration == Declaration::HeadScan && !watch.head_scan.is_done();
    // A late meta is certain only once the head scan has found none before it.
    let scan_decides = scanning && watch.late_found().is_some();
    if decision.confidence == Confidence::Certain && !scan_decides {
        return false;
    }
    let undeclared = matches!(
        decision.rule,
        Rule::Utf8Valid | Rule::Detected | Rule::Locale | Rule::Default
    );
    let late = html && may_change(context, decision.rule) && watch.late_found().is_none();
    undeclared || scanning || late
}
