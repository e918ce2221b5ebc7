//! The mend: the document as UTF-8, with the mark and the declaration that its format asks for, and no character lost.
//!
//! Nothing is mended on a guess, and nothing that can not be proved: the mended bytes are decoded again, and their text must be the
//! original text with the listed edits.

mod edits;

use core::fmt;
use std::borrow::Cow;

pub use edits::Edit;

use crate::check::{CheckOptions, CheckRule, Checked, CsvReader, Mend, check};
use crate::decision::{Context, Decision, Format, Origin};
use crate::decode::{bom_length, decode};
use crate::encoding::Encoding;
use crate::format::BomPolicy;
use crate::malformed::Sequence;
use crate::mime::legacy_extract_an_encoding;
use crate::rule::Rule;

/// A mended document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// Its bytes: UTF-8.
    pub bytes: Vec<u8>,
    /// What changed in the text; empty where only the bytes did.
    pub edits: Vec<Edit>,
    /// The rules whose findings were mended.
    pub mended: Vec<CheckRule>,
    /// The encoding before.
    pub was: Encoding,
    /// Did a byte order mark stand at the start before?
    pub had_bom: bool,
    /// Does one now?
    pub has_bom: bool,
}

impl Fixed {
    /// The original text with the edits made: the text of the mended document, always.
    pub fn apply(&self, text: &str) -> String {
        edits::apply(text, &self.edits)
    }
}

/// Why a document is not mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixError {
    /// Bytes are not text: their characters would be lost.
    Malformed {
        /// How many sequences.
        count: u64,
        /// The first.
        first: Sequence,
        /// In this encoding.
        encoding: Encoding,
    },
    /// The encoding is a guess.
    Guessed(Encoding),
    /// The bytes fit UTF-8 and something else is declared: one of the two is wrong.
    Misdeclared(Encoding),
    /// Browsers refuse the encoding, so nobody knows the text.
    Refused,
    /// No text.
    Binary,
    /// The mended document would not be read as it should: something in it, or in its headers, says otherwise.
    Unproved,
}

impl fmt::Display for FixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FixError::Malformed {
                count,
                first,
                encoding,
            } => write!(
                f,
                "{count} sequence(s) of bytes are not text in {encoding}, the first at byte {}: {}",
                first.at,
                first.kind.reason()
            ),
            FixError::Guessed(encoding) => {
                write!(
                    f,
                    "its encoding, {encoding}, is only a guess, and must be said first"
                )
            }
            FixError::Misdeclared(encoding) => write!(
                f,
                "every byte fits UTF-8 and {encoding} is declared, so one of the two is wrong"
            ),
            FixError::Refused => {
                f.write_str("browsers refuse its encoding, so its text is not known")
            }
            FixError::Binary => f.write_str("it is no text"),
            FixError::Unproved => {
                f.write_str("the mended document would still be read in another way")
            }
        }
    }
}

impl std::error::Error for FixError {}

/// Mends what the check finds, where it can be mended without losing a character. `None`: there is nothing to mend.
///
/// The context says how the original is read. An override in it is about the original alone: the mended document needs none.
///
/// # Errors
/// [`FixError`], where a character would be lost, the encoding is a guess, or the outcome could not be proved.
///
/// # Panics
/// Never.
///
/// # Example
/// ```
/// use unbake::{fix, CheckOptions, Context, Format};
/// let context = Context { format: Some(Format::Html), ..Context::default() };
/// let fixed = fix(b"<meta charset=windows-1251>\xCF\xF0", &context, &CheckOptions::default()).unwrap().unwrap();
/// assert_eq!(fixed.bytes, "<meta charset=utf-8>Пр".as_bytes());
/// assert_eq!(fixed.edits[0].was, "windows-1251");
/// ```
pub fn fix(
    bytes: &[u8],
    context: &Context,
    options: &CheckOptions,
) -> Result<Option<Fixed>, FixError> {
    fix_checked(&check(bytes, context, options), context, options)
}

/// [`fix`](fix()) of a document that has been checked, under the same context and options.
///
/// # Errors
/// As [`fix`](fix()).
pub fn fix_checked(
    checked: &Checked<'_>,
    context: &Context,
    options: &CheckOptions,
) -> Result<Option<Fixed>, FixError> {
    let mut mended: Vec<CheckRule> = checked
        .findings
        .iter()
        .map(|finding| finding.rule)
        .filter(|rule| rule.mend() != Mend::ByHand)
        .collect();
    mended.sort_unstable();
    mended.dedup();
    if mended.is_empty() {
        return Ok(None);
    }
    refuse(checked)?;
    let after = Context {
        user_override: None,
        ..context.clone()
    };
    let decision = &checked.decision;
    let had_bom = bom_length(decision) > 0;
    let mut unchanged = false;
    for has_bom in bom_choices(checked, context, options) {
        let mark = if has_bom { 3 } else { 0 };
        let edits = edits_of(checked, &after, has_bom, mark);
        let text: Cow<'_, str> = if edits.is_empty() {
            Cow::Borrowed(checked.text.as_ref())
        } else {
            Cow::Owned(edits::apply(&checked.text, &edits))
        };
        let mut new = Vec::with_capacity(text.len() + mark);
        if has_bom {
            new.extend_from_slice("\u{FEFF}".as_bytes());
        }
        new.extend_from_slice(text.as_bytes());
        if new == checked.bytes {
            // Nothing can be written in the document; where a declaration is what it lacks, a mark is one.
            unchanged = true;
            if mended.contains(&CheckRule::NoDeclaration) {
                continue;
            }
            return Ok(None);
        }
        let read = decode(&new, &after);
        // An HTML document must say that it is UTF-8. Elsewhere, where all is ASCII, any encoding that keeps ASCII is right.
        let said = if decision.format == Format::Html {
            read.decision.encoding == Encoding::UTF_8
                && matches!(
                    read.decision.rule,
                    Rule::Bom | Rule::Transport | Rule::Prescan
                )
        } else {
            read.decision.encoding == Encoding::UTF_8 || text.is_ascii()
        };
        let proved = said
            && read.text == text
            && read.malformed.count == 0
            && read.decision.format == decision.format;
        if proved {
            return Ok(Some(Fixed {
                bytes: new,
                edits,
                mended,
                was: decision.encoding,
                had_bom,
                has_bom,
            }));
        }
    }
    if unchanged {
        Ok(None)
    } else {
        Err(FixError::Unproved)
    }
}

/// Why [`fix_checked`] refuses a document before it tries: a guess, or malformed bytes. `None`: it may be mended.
pub fn refusal(checked: &Checked<'_>) -> Option<FixError> {
    refuse(checked).err()
}

/// Nothing is mended on a guess, and no character is lost.
fn refuse(checked: &Checked<'_>) -> Result<(), FixError> {
    let decision = &checked.decision;
    if decision.format == Format::Binary {
        return Err(FixError::Binary);
    }
    if decision.encoding == Encoding::Web(encoding_rs::REPLACEMENT) {
        return Err(FixError::Refused);
    }
    if let Some(&first) = checked.malformed.first.first() {
        return Err(FixError::Malformed {
            count: checked.malformed.count,
            first,
            encoding: decision.encoding,
        });
    }
    let ascii = checked.bytes.is_ascii() && decision.encoding.is_ascii_compatible();
    if matches!(
        decision.rule,
        Rule::Detected | Rule::Locale | Rule::Default | Rule::Remembered
    ) && !ascii
    {
        return Err(FixError::Guessed(decision.encoding));
    }
    let stated = matches!(decision.rule, Rule::Override | Rule::Bom);
    if decision.encoding != Encoding::UTF_8
        && decision.encoding.is_ascii_compatible()
        && !stated
        && !ascii
        && core::str::from_utf8(checked.bytes).is_ok()
    {
        return Err(FixError::Misdeclared(decision.encoding));
    }
    Ok(())
}

/// With a mark or without: what the format asks for, and what else may be tried where that can not be proved.
fn bom_choices(checked: &Checked<'_>, context: &Context, options: &CheckOptions) -> Vec<bool> {
    let decision = &checked.decision;
    let had_utf_8_bom = bom_length(decision) > 0 && decision.encoding == Encoding::UTF_8;
    match decision.format.bom_policy() {
        BomPolicy::MustNot => return vec![false],
        BomPolicy::DependsOnReader => {
            let others = options.csv_for == CsvReader::Others;
            return if others {
                vec![false]
            } else {
                vec![had_utf_8_bom || !checked.text.is_ascii(), true]
            };
        }
        BomPolicy::Allowed => {}
    }
    let header = legacy_extract_an_encoding(&context.content_type).encoding;
    // A header that goes on saying something else is beaten by a mark alone.
    let needed = header.is_some_and(|encoding| encoding != Encoding::UTF_8)
        && !decision.format.is_utf_8_only();
    if had_utf_8_bom || needed {
        vec![true]
    } else {
        vec![false, true]
    }
}

/// The declarations that change.
fn edits_of(checked: &Checked<'_>, after: &Context, has_bom: bool, mark: usize) -> Vec<Edit> {
    let text = checked.text.as_ref();
    match checked.decision.format {
        Format::Html => {
            let must_declare = !has_bom && !transport_says_utf_8(&checked.decision, after);
            edits::html(text, must_declare, mark)
        }
        Format::Xml => edits::xml(text),
        Format::Css => edits::css(text),
        _ => Vec::new(),
    }
}

fn transport_says_utf_8(decision: &Decision, after: &Context) -> bool {
    decision
        .clues
        .iter()
        .any(|clue| clue.origin == Origin::Transport && clue.encoding == Some(Encoding::UTF_8))
        || legacy_extract_an_encoding(&after.content_type).encoding == Some(Encoding::UTF_8)
}
