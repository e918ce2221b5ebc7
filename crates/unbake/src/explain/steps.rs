//! The steps in their order: what each saw and what came of it.

use crate::decision::{Change, Clue, Declaration, Fate, Format, Origin, Reason};
use crate::encoding::Encoding;
use crate::explain::evidence::{Evidence, Nature, shown};
use crate::format::Procedure;
use crate::label::nearest_labels;
use crate::prescan::PRESCAN_WINDOW;
use crate::rule::Rule;

/// One step of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Step {
    /// Its number in the standard; `None` for what happens after the sniffing, or in another format's rule.
    pub number: Option<u8>,
    /// Its name.
    pub name: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// What it saw, one sentence each.
    pub findings: Vec<String>,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum Outcome {
    /// It decided.
    Decided,
    /// It says the same as the one that decided.
    Agrees,
    /// It says something else, and another step decided.
    Outranked,
    /// It saw nothing that counts.
    Nothing,
    /// An earlier step had decided, so nobody looked.
    NotAsked,
}

impl Outcome {
    /// The outcome in a word or two.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Decided => "decided",
            Outcome::Agrees => "agrees",
            Outcome::Outranked => "outranked",
            Outcome::Nothing => "nothing",
            Outcome::NotAsked => "not asked",
        }
    }
}

/// What a step is called, and the clues that are its own.
struct Plan {
    number: u8,
    name: &'static str,
    origins: &'static [Origin],
}

const fn plan(number: u8, name: &'static str, origins: &'static [Origin]) -> Plan {
    Plan {
        number,
        name,
        origins,
    }
}

/// The most findings of a step.
const FINDINGS: usize = 8;

const DECLARED: &[Origin] = &[Origin::Utf16Prefix, Origin::Meta, Origin::XmlDeclaration];
const LATE: &str = "late meta (change the encoding)";

fn plans(evidence: &Evidence<'_>) -> Vec<Plan> {
    let bom = plan(1, "BOM sniff", &[Origin::Bom]);
    let user = plan(2, "user override", &[Origin::Override]);
    let transport = plan(4, "transport layer (Content-Type)", &[Origin::Transport]);
    let parent = plan(6, "parent document", &[Origin::Parent]);
    let remembered = plan(7, "remembered encoding", &[Origin::Remembered]);
    let detection = plan(8, "detection", &[Origin::Utf8Valid, Origin::Detector]);
    let default = plan(9, "default", &[Origin::Locale, Origin::Default]);
    let unnumbered = |plan: Plan| Plan { number: 0, ..plan };
    match evidence.decision.format.procedure() {
        Procedure::Html => vec![
            bom,
            user,
            plan(3, "wait for the first bytes", &[]),
            transport,
            match evidence.context.settings.declaration {
                Declaration::Prescan => plan(5, "prescan of the first 1024 bytes", DECLARED),
                Declaration::HeadScan => plan(5, "declaration in the head", DECLARED),
            },
            parent,
            remembered,
            detection,
            default,
            plan(0, LATE, &[]),
        ],
        Procedure::Text => {
            vec![bom, user, transport, parent, remembered, detection, default]
        }
        Procedure::Xml => vec![
            unnumbered(bom),
            unnumbered(user),
            unnumbered(transport),
            plan(
                0,
                "XML declaration",
                &[Origin::Utf16Prefix, Origin::XmlDeclaration],
            ),
            plan(0, "default of XML", &[Origin::Format]),
        ],
        Procedure::Css => vec![
            unnumbered(bom),
            unnumbered(user),
            unnumbered(transport),
            plan(0, "@charset", &[Origin::CssCharset]),
            plan(
                0,
                "environment (the document that links it)",
                &[Origin::Parent],
            ),
            plan(0, "default of CSS", &[Origin::Format]),
        ],
        Procedure::Script => vec![
            unnumbered(bom),
            unnumbered(user),
            unnumbered(transport),
            plan(
                0,
                "environment (the document that loads it)",
                &[Origin::Parent],
            ),
            plan(
                0,
                "what a file is by itself",
                &[
                    Origin::Utf8Valid,
                    Origin::Detector,
                    Origin::Locale,
                    Origin::Default,
                ],
            ),
        ],
        Procedure::Utf8 => vec![
            unnumbered(bom),
            unnumbered(user),
            unnumbered(transport),
            plan(0, "the only encoding of the format", &[Origin::Format]),
        ],
        Procedure::Yaml => vec![
            unnumbered(bom),
            unnumbered(user),
            unnumbered(transport),
            plan(
                0,
                "the first four bytes",
                &[Origin::Utf16Prefix, Origin::Format],
            ),
        ],
        Procedure::Characters => vec![
            unnumbered(user),
            plan(0, "characters already", &[Origin::Format, Origin::Parent]),
        ],
    }
}

pub(super) fn steps(evidence: &Evidence<'_>) -> Vec<Step> {
    let plans = plans(evidence);
    let decision = evidence.decision;
    let is_own = |plan: &Plan, clue: &Clue| match (clue.origin, decision.format) {
        (Origin::Meta, Format::Html) => {
            is_late(evidence, clue) == (plan.name == LATE) && matches!(plan.number, 0 | 5)
        }
        _ => plan.origins.contains(&clue.origin),
    };
    let own = |plan: &Plan| -> Vec<&Clue> {
        let own = decision.clues.iter().filter(|clue| is_own(plan, clue));
        own.collect()
    };
    let decider = plans
        .iter()
        .position(|plan| own(plan).iter().any(|clue| clue.fate == Fate::Decided));
    let decider_words = match decider.and_then(|at| plans.get(at)) {
        None => "another step".to_owned(),
        Some(plan) if plan.number > 0 => format!("step {}", plan.number),
        Some(plan) if plan.name == LATE => "the late meta".to_owned(),
        Some(plan) => plan.name.to_owned(),
    };
    plans
        .iter()
        .enumerate()
        .map(|(at, plan)| {
            let clues = own(plan);
            let settled = decider.is_some_and(|decider| decider < at);
            let (outcome, nothing) = outcome(plan, &clues, settled, evidence);
            let mut findings: Vec<String> = clues
                .iter()
                .take(FINDINGS)
                .map(|clue| finding(evidence, clue, &decider_words))
                .collect();
            if clues.len() > FINDINGS {
                findings.push(format!("and {} more", clues.len() - FINDINGS));
            }
            if findings.is_empty() {
                findings.push(nothing);
            }
            if plan.name == "BOM sniff" {
                findings.extend(wide_mark(evidence).map(str::to_owned));
            }
            if plan.name == LATE {
                findings.extend(decision.change.map(change_words).map(str::to_owned));
            }
            Step {
                number: (plan.number > 0).then_some(plan.number),
                name: plan.name,
                outcome,
                findings,
            }
        })
        .collect()
}

/// What the four bytes of UTF-32's mark are in this format.
fn wide_mark(evidence: &Evidence<'_>) -> Option<&'static str> {
    if !matches!(
        evidence.bytes,
        [0xFF, 0xFE, 0x00, 0x00, ..] | [0x00, 0x00, 0xFE, 0xFF, ..]
    ) {
        return None;
    }
    Some(match evidence.decision.encoding {
        Encoding::Utf32Le | Encoding::Utf32Be => {
            "these four bytes are UTF-32's mark in this format; on the web they would not be"
        }
        encoding if encoding == Encoding::UTF_16LE => {
            "FF FE 00 00 is UTF-16LE on the web, and then a U+0000; in YAML and in plain files it is UTF-32LE"
        }
        Encoding::Web(_) => {
            "these four bytes are UTF-32's mark in YAML and in plain files; this format has no UTF-32"
        }
    })
}

/// Was this `<meta>` met by the parser, rather than by step 5?
fn is_late(evidence: &Evidence<'_>, clue: &Clue) -> bool {
    let scanned = evidence.context.settings.declaration == Declaration::HeadScan;
    let past = clue.at.is_some_and(|(_, end)| end > PRESCAN_WINDOW as u64);
    let cut = clue.reason == Some(Reason::Unfinished);
    let out_of_reach = clue.fate == Fate::OutOfReach && !cut;
    out_of_reach || (past && !cut && !(scanned && evidence.decision.change.is_none()))
}

/// What came of a step, and what it says if it met no clue.
fn outcome(
    plan: &Plan,
    clues: &[&Clue],
    settled: bool,
    evidence: &Evidence<'_>,
) -> (Outcome, String) {
    let any = |fate: Fate| clues.iter().any(|clue| clue.fate == fate);
    let outcome = if any(Fate::Decided) {
        Outcome::Decided
    } else if any(Fate::Outranked) || any(Fate::Rewritten) {
        Outcome::Outranked
    } else if any(Fate::Agrees) {
        Outcome::Agrees
    } else if clues.is_empty() && settled && asks_only_when_open(plan) {
        Outcome::NotAsked
    } else {
        Outcome::Nothing
    };
    let words = match plan.number {
        _ if outcome == Outcome::NotAsked => "the encoding was known by then".to_owned(),
        8 => nothing_detected(evidence),
        3 => "up to 1024 bytes are waited for; this decides nothing".to_owned(),
        _ if plan.name == LATE && !evidence.context.settings.late_meta => {
            "not followed: browsers do not act on late declarations".to_owned()
        }
        _ if plan.name == LATE => "no further meta with an encoding".to_owned(),
        _ => match plan.origins.first() {
            Some(Origin::Bom) => "no byte order mark".to_owned(),
            Some(Origin::Transport) => transport_words(evidence),
            Some(Origin::Utf16Prefix) if evidence.decision.format == Format::Xml => {
                "no XML declaration with an encoding".to_owned()
            }
            Some(Origin::Utf16Prefix) => {
                "no meta and no XML declaration with an encoding".to_owned()
            }
            Some(Origin::CssCharset) => {
                "the style sheet does not begin with `@charset \"...\";`".to_owned()
            }
            Some(Origin::Override | Origin::Parent | Origin::Remembered) => "none given".to_owned(),
            _ => "nothing".to_owned(),
        },
    };
    (outcome, words)
}

/// The steps that are never reached once the encoding is known. The others are told all the same, for the clues that lost.
fn asks_only_when_open(plan: &Plan) -> bool {
    matches!(
        plan.origins.first(),
        Some(Origin::Utf8Valid | Origin::Locale | Origin::Format)
    )
}

fn transport_words(evidence: &Evidence<'_>) -> String {
    match evidence.context.content_type.as_slice() {
        [] => "no Content-Type header".to_owned(),
        [_] => "the Content-Type header names no charset".to_owned(),
        _ => "the Content-Type headers, taken together, name no charset".to_owned(),
    }
}

fn nothing_detected(evidence: &Evidence<'_>) -> String {
    let detector = evidence.context.settings.detector;
    match evidence.nature {
        _ if evidence.decision.change.is_some() => {
            "nothing to tell encodings apart before the late meta"
        }
        Nature::Ascii => "the bytes are plain ASCII: nothing to tell encodings apart",
        Nature::Utf8 => {
            "the bytes are valid UTF-8, which browsers do not guess for pages from the network"
        }
        Nature::Other if detector => "the detector has no answer",
        Nature::Other => "the detector is off in this profile",
    }
    .to_owned()
}

fn finding(evidence: &Evidence<'_>, clue: &Clue, decider: &str) -> String {
    let place = clue
        .at
        .map_or_else(String::new, |at| format!("{}: ", evidence.place(at)));
    let label = shown(clue.label.as_deref().unwrap_or_default());
    let what = match clue.origin {
        Origin::Bom => "a byte order mark".to_owned(),
        Origin::Override => "the user asked for it".to_owned(),
        Origin::Transport if clue.reason == Some(Reason::NotAMimeType) => {
            format!("`{label}`")
        }
        Origin::Transport => format!("charset `{label}`"),
        Origin::Meta => format!("meta `{label}`"),
        Origin::Utf16Prefix => "the first characters are `<?` in UTF-16".to_owned(),
        Origin::XmlDeclaration => format!("XML declaration `{label}`"),
        Origin::CssCharset => format!("`{label}`"),
        Origin::Parent => "the parent's encoding".to_owned(),
        Origin::Remembered => "the encoding of an earlier visit".to_owned(),
        Origin::Utf8Valid => "every byte fits UTF-8, and not all are ASCII".to_owned(),
        Origin::Detector => "a guess from the text".to_owned(),
        Origin::Locale => "the usual encoding of the locale".to_owned(),
        Origin::Format => "the standard of the format asks for it".to_owned(),
        Origin::Default if evidence.context.fallback.is_some() => {
            "the fallback that was given".to_owned()
        }
        Origin::Default => "the last resort".to_owned(),
    };
    let meaning = clue
        .encoding
        .filter(|encoding| !label.eq_ignore_ascii_case(encoding.name()))
        .map_or_else(String::new, |encoding| format!(" = {encoding}"));
    let fate = match clue.fate {
        Fate::Decided => None,
        Fate::Agrees => Some("says the same".to_owned()),
        Fate::Outranked => Some(format!("outranked by {decider}")),
        Fate::UnknownLabel => Some(format!(
            "no encoding has this label, so it is passed over{}",
            near(&label)
        )),
        Fate::Rewritten => Some(format!(
            "outranked by {decider}, and not to be taken literally"
        )),
        Fate::OutOfReach => Some("out of reach".to_owned()),
        Fate::Ignored => Some("ignored".to_owned()),
    };
    let reason = clue.reason.map(|reason| reason.words().to_owned());
    let mut said = format!("{place}{what}{meaning}");
    for part in [fate, reason].into_iter().flatten() {
        said.push_str("; ");
        said.push_str(&part);
    }
    if clue.fate == Fate::Decided
        && evidence.decision.rule == Rule::LateMeta
        && evidence.decision.change.is_none()
    {
        said.push_str("; it ends after the first 1024 bytes, and counts because nothing but head elements came before");
    }
    said
}

/// ` (nearest: `utf-8`)`, where a label is near.
pub(super) fn near(label: &str) -> String {
    nearest_labels(label)
        .first()
        .map_or_else(String::new, |near| format!(" (nearest: `{near}`)"))
}

fn change_words(change: Change) -> &'static str {
    match change {
        Change::Same => "it names the encoding in use: the confidence became certain",
        Change::OnTheFly => {
            "all bytes before it mean the same in both encodings: switched on the fly"
        }
        Change::StartAgain => {
            "the bytes before it mean something else now: decoded again from the start"
        }
    }
}
