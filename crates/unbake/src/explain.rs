//! The nine steps for one document, told to a person: what each saw, which decided, and what the author should change.

use memchr::memmem;

use crate::decision::{Change, Clue, Context, Decision, Fate, Format, Origin, Reason};
use crate::decode::decode;
use crate::encoding::Encoding;
use crate::format::Procedure;
use crate::malformed::Malformed;
use crate::prescan::PRESCAN_WINDOW;

/// One step of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Step {
    /// Its number in the standard; `None` for what happens after the sniffing, or in another format's rule.
    pub number: Option<u8>,
    /// Its name.
    pub name: &'static str,
    /// What it saw and what came of it, one sentence each.
    pub findings: Vec<String>,
    /// Did it decide?
    pub decided: bool,
}

/// The whole story of one document.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The decision that is explained, with the clues that stand out of reach.
    pub decision: Decision,
    /// The steps, in their order.
    pub steps: Vec<Step>,
    /// Where bytes were not text.
    pub malformed: Malformed,
    /// How often U+FEFF stands in the text: past the start it is no mark but content.
    pub feff: u64,
    /// What the author should change; empty where all is well.
    pub advice: Vec<String>,
}

/// Explains how the encoding of a document is decided.
///
/// The whole document is searched for declarations, also where they can no longer matter.
///
/// # Standard
/// [HTML Standard, encoding sniffing algorithm](https://html.spec.whatwg.org/#encoding-sniffing-algorithm).
///
/// # Example
/// ```
/// use unbake::{explain, Context};
/// let context = Context { content_type: vec![b"text/html; charset=euc-kr".to_vec()], ..Context::default() };
/// let story = explain(b"<meta charset=utf-8><p>hi", &context);
/// assert_eq!(story.steps.len(), 10);
/// assert!(story.advice[0].contains("the Content-Type header says `euc-kr`"));
/// ```
pub fn explain(bytes: &[u8], context: &Context) -> Explanation {
    let context = Context {
        all_clues: true,
        ..context.clone()
    };
    let decoded = decode(bytes, &context);
    let decision = decoded.decision;
    let mut steps = steps(&decision, &context);
    if let (Some(first), [0xFF, 0xFE, 0x00, 0x00, ..] | [0x00, 0x00, 0xFE, 0xFF, ..]) =
        (steps.first_mut(), bytes)
    {
        first.findings.push(wide_mark(&decision).to_owned());
    }
    let feff = memmem::find_iter(decoded.text.as_bytes(), "\u{FEFF}".as_bytes()).count() as u64;
    let mut advice = advice(&decision, &context, &decoded.malformed, bytes.len());
    if feff > 0 {
        advice.push(format!(
            "U+FEFF stands {feff} time(s) in the text, where it is content, a zero width no-break space, and no byte order mark: leave it out, or write U+2060 WORD JOINER if that is meant"
        ));
    }
    Explanation {
        decision,
        steps,
        malformed: decoded.malformed,
        feff,
        advice,
    }
}

/// What the four bytes of UTF-32's mark are in this format.
fn wide_mark(decision: &Decision) -> &'static str {
    match decision.encoding {
        Encoding::Utf32Le | Encoding::Utf32Be => {
            "these four bytes are UTF-32's mark in this format; on the web they would not be"
        }
        _ if decision.encoding == Encoding::UTF_16LE => {
            "FF FE 00 00 is UTF-16LE on the web, and then a U+0000; in YAML and in plain files it is UTF-32LE"
        }
        Encoding::Web(_) => {
            "these four bytes are UTF-32's mark in YAML and in plain files; this format has no UTF-32"
        }
    }
}

fn steps(decision: &Decision, context: &Context) -> Vec<Step> {
    let all: &[(u8, &'static str, &[Origin])] = match decision.format.procedure() {
        Procedure::Html => &[
            (1, "BOM sniff", &[Origin::Bom]),
            (2, "user override", &[Origin::Override]),
            (3, "wait for the first bytes", &[]),
            (4, "transport layer (Content-Type)", &[Origin::Transport]),
            (
                5,
                "declaration at the start",
                &[Origin::Utf16Prefix, Origin::Meta, Origin::XmlDeclaration],
            ),
            (6, "parent document", &[Origin::Parent]),
            (7, "remembered encoding", &[Origin::Remembered]),
            (8, "detection", &[Origin::Utf8Valid, Origin::Detector]),
            (9, "default", &[Origin::Locale, Origin::Default]),
            (0, "late meta (change the encoding)", &[]),
        ],
        Procedure::Text => &[
            (1, "BOM sniff", &[Origin::Bom]),
            (2, "user override", &[Origin::Override]),
            (4, "transport layer (Content-Type)", &[Origin::Transport]),
            (6, "parent document", &[Origin::Parent]),
            (7, "remembered encoding", &[Origin::Remembered]),
            (8, "detection", &[Origin::Utf8Valid, Origin::Detector]),
            (9, "default", &[Origin::Locale, Origin::Default]),
        ],
        _ => &[
            (0, "BOM sniff", &[Origin::Bom]),
            (0, "user override", &[Origin::Override]),
            (0, "transport layer (Content-Type)", &[Origin::Transport]),
            (
                0,
                "declaration in the document",
                &[
                    Origin::Utf16Prefix,
                    Origin::XmlDeclaration,
                    Origin::CssCharset,
                ],
            ),
            (0, "environment", &[Origin::Parent]),
            (0, "the format's own encoding", &[Origin::Format]),
        ],
    };
    // From here on a step's clues could not decide any more.
    let mut settled = false;
    all.iter()
        .map(|&(number, name, origins)| {
            let late = name.starts_with("late meta");
            let clues = decision.clues.iter().filter(|clue| {
                let belongs = if late {
                    clue.origin == Origin::Meta
                } else {
                    origins.contains(&clue.origin)
                };
                belongs && (clue.origin != Origin::Meta || is_late(clue, decision, context) == late)
            });
            let clues: Vec<&Clue> = clues.collect();
            let decided = clues.iter().any(|clue| clue.fate == Fate::Decided);
            let mut findings: Vec<String> =
                clues.iter().map(|clue| finding(clue, decision)).collect();
            if findings.is_empty() {
                findings.push(nothing(number, late, settled, context));
            }
            if late {
                findings.extend(
                    decision
                        .change
                        .map(|change| change_words(change).to_owned()),
                );
            }
            settled |= decided;
            Step {
                number: (number > 0).then_some(number),
                name,
                findings,
                decided,
            }
        })
        .collect()
}

/// Was this `<meta>` met by the parser, rather than by step 5?
fn is_late(clue: &Clue, decision: &Decision, context: &Context) -> bool {
    let scanned = context.settings.declaration == crate::decision::Declaration::HeadScan;
    let past = clue.at.is_some_and(|(_, end)| end > PRESCAN_WINDOW as u64);
    let cut = clue.reason == Some(Reason::Unfinished);
    let out_of_reach = clue.fate == Fate::OutOfReach && !cut;
    out_of_reach || (past && !cut && !(scanned && decision.change.is_none()))
}

/// What a step says that met no clue.
fn nothing(number: u8, late: bool, settled: bool, context: &Context) -> String {
    let words = match (number, late) {
        (1, _) => "no byte order mark",
        (2, _) => "none given",
        (3, _) => {
            "up to 1024 bytes are waited for, longer while the head goes on; this step decides nothing"
        }
        (4, _) if context.content_type.is_empty() => "no Content-Type header",
        (4, _) => "the header names no charset",
        (5, _) => "no meta element and no XML declaration that names an encoding",
        (6, _) => "no parent document given",
        (7, _) => "none given",
        (8, _) if settled => "not asked: the encoding was known",
        (8, _) if !context.settings.detector => "nothing found (the detector is off)",
        (8, _) => "nothing to guess from",
        (9, _) if settled => "not needed",
        (_, true) if !context.settings.late_meta => {
            "not followed: browsers do not act on late declarations"
        }
        (_, true) => "no further declaration",
        _ => "nothing",
    };
    words.to_owned()
}

fn finding(clue: &Clue, decision: &Decision) -> String {
    let what = match (clue.origin, &clue.label) {
        (Origin::Bom, _) => "the document begins with a byte order mark".to_owned(),
        (Origin::Override, _) => "the user asked for it".to_owned(),
        (Origin::Transport, Some(label)) if clue.reason == Some(Reason::NotAMimeType) => {
            format!("header value `{label}`")
        }
        (Origin::Transport, Some(label)) => format!("charset `{label}`"),
        (Origin::Meta, Some(label)) => format!("meta element says `{label}`"),
        (Origin::Utf16Prefix, _) => "the first characters are `<?` in UTF-16".to_owned(),
        (Origin::XmlDeclaration, Some(label)) => format!("XML declaration says `{label}`"),
        (Origin::CssCharset, Some(label)) => format!("@charset says `{label}`"),
        (Origin::Parent, _) => "parent document".to_owned(),
        (Origin::Remembered, _) => "earlier visit".to_owned(),
        (Origin::Utf8Valid, _) => "every byte fits UTF-8, and not all are ASCII".to_owned(),
        (Origin::Detector, _) => "a guess from the text".to_owned(),
        (Origin::Locale, _) => "the locale's usual encoding".to_owned(),
        (Origin::Format, _) => "the format's standard asks for it".to_owned(),
        (Origin::Default, _) => "the last resort".to_owned(),
        (_, None) => clue.origin.id().to_owned(),
    };
    let place = clue.at.map_or_else(String::new, |(start, end)| {
        format!(" at bytes {start}-{end}")
    });
    let meaning = clue
        .encoding
        .map_or_else(String::new, |encoding| format!(", which means {encoding}"));
    let fate = match clue.fate {
        Fate::Decided => "this decided".to_owned(),
        Fate::Agrees => "it agrees with the decision".to_owned(),
        Fate::Outranked => format!("outranked by: {}", decision.rule.summary()),
        Fate::UnknownLabel => "not a label of any encoding, so it is passed over".to_owned(),
        Fate::Rewritten => "outranked, and it could not be meant".to_owned(),
        Fate::OutOfReach => "out of reach".to_owned(),
        Fate::Ignored => "ignored".to_owned(),
    };
    let reason = clue
        .reason
        .map_or_else(String::new, |reason| format!(" ({})", reason.words()));
    format!("{what}{place}{meaning}: {fate}{reason}")
}

fn change_words(change: Change) -> &'static str {
    match change {
        Change::Same => "same encoding as in use: the confidence became certain",
        Change::OnTheFly => {
            "all bytes before it mean the same in both encodings: switched on the fly"
        }
        Change::StartAgain => {
            "the bytes before it mean something else: decoded again from the start"
        }
    }
}

/// What the author should change, the gravest first.
fn advice(
    decision: &Decision,
    context: &Context,
    malformed: &Malformed,
    len: usize,
) -> Vec<String> {
    let mut advice = Vec::new();
    let named = |origin: Origin| {
        decision
            .clues
            .iter()
            .filter(move |clue| clue.origin == origin)
    };
    let label = |clue: &Clue| clue.label.clone().unwrap_or_default();
    if decision.encoding == Encoding::Web(encoding_rs::REPLACEMENT) {
        advice.push("browsers refuse this encoding and show a single U+FFFD: save the page as UTF-8 and declare that".to_owned());
    }
    if context.content_type.len() > 1 {
        advice.push("the response has several Content-Type headers: send one".to_owned());
    }
    for header in named(Origin::Transport) {
        let label = label(header);
        match header.fate {
            Fate::Decided => {
                for meta in named(Origin::Meta).filter(|meta| meta.encoding.is_some_and(|e| e != decision.encoding)) {
                    advice.push(format!(
                        "the Content-Type header says `{label}` and beats your meta's `{}`: make the server's charset and the meta agree",
                        meta.label.as_deref().unwrap_or_default()
                    ));
                }
            }
            Fate::UnknownLabel => advice.push(format!(
                "the Content-Type header's charset `{label}` is not a label of any encoding: fix it at the server, `utf-8` is meant to be there"
            )),
            Fate::Ignored if header.reason == Some(Reason::NotAMimeType) => {
                advice.push(format!("the Content-Type header `{label}` is not a MIME type: write `text/html; charset=utf-8`"));
            }
            _ => {}
        }
    }
    if let Some((bom, _)) = decision.bom {
        let disagreeing = decision
            .clues
            .iter()
            .find(|c| c.origin.is_declaration() && c.encoding.is_some_and(|e| e != bom));
        if let Some(clue) = disagreeing {
            advice.push(format!(
                "the byte order mark means {bom} and beats the {} that says `{}`: correct the latter",
                clue.origin.id(),
                label(clue)
            ));
        }
    }
    for meta in named(Origin::Meta) {
        let label = label(meta);
        let end = meta.at.map_or(0, |(_, end)| end);
        if meta.fate == Fate::UnknownLabel {
            advice.push(format!("the meta's `{label}` is not a label of any encoding: write `<meta charset=utf-8>` and save the page so"));
        } else if meta.reason == Some(Reason::NoPragma) {
            advice.push(format!("the meta with `charset={label}` in its content lacks `http-equiv=content-type`: write `<meta charset={label}>`"));
        } else if meta.reason == Some(Reason::Utf16MeansUtf8) {
            advice.push(format!(
                "a meta can not declare `{label}`, and UTF-8 is taken instead: write `utf-8`"
            ));
        } else if end > PRESCAN_WINDOW as u64 {
            advice.push(format!("your meta ends at byte {end}, after the first 1024: move it to the start of the head"));
        }
    }
    if decision.format == Format::Html
        && let Some(xml) = named(Origin::XmlDeclaration).find(|clue| clue.fate == Fate::Decided)
    {
        advice.push(format!(
            "only an XML declaration names the encoding (`{}`): in HTML write a meta as well",
            label(xml)
        ));
    }
    let declared = decision
        .clues
        .iter()
        .any(|c| c.origin.is_declaration() && c.encoding.is_some() && c.fate != Fate::OutOfReach);
    if !declared && decision.format == Format::Html && len > 0 {
        let said = if decision.encoding == Encoding::UTF_8 {
            "the text is UTF-8: say so"
        } else {
            "best save it as UTF-8 and say so"
        };
        advice.push(format!("nothing declares the encoding, so every reader guesses; {said} with `<meta charset=utf-8>` or in the Content-Type header"));
    }
    if let Some(label) = decision.label()
        && !label.trim().eq_ignore_ascii_case(decision.encoding.name())
        && is_misleading(label, decision.encoding)
    {
        advice.push(format!("`{label}` means {} on the web, not the standard of that name: other programs may read it differently", decision.encoding));
    }
    if let Some(first) = malformed.first.first() {
        advice.push(format!(
            "{} malformed sequence(s), the first at byte {}: {}; either bytes were damaged, or the page is not {}",
            malformed.count,
            first.at,
            first.kind.reason(),
            decision.encoding
        ));
    }
    advice
}

/// Labels whose own standard is narrower than what the web reads them as.
fn is_misleading(label: &str, encoding: Encoding) -> bool {
    let label = label.trim().to_ascii_lowercase();
    let Encoding::Web(web) = encoding else {
        return false;
    };
    let narrower: &[&str] = match web.name() {
        "windows-1252" => &[
            "ascii",
            "us-ascii",
            "ansi_x3.4-1968",
            "iso-8859-1",
            "iso8859-1",
            "latin1",
            "l1",
        ],
        "windows-1254" => &["iso-8859-9", "iso8859-9", "latin5", "l5"],
        "windows-874" => &["iso-8859-11", "iso8859-11", "tis-620"],
        "GBK" => &["gb2312", "gb_2312-80", "chinese"],
        "EUC-KR" => &["ks_c_5601-1987", "ksc5601", "korean"],
        _ => &[],
    };
    narrower.contains(&label.as_str())
}
