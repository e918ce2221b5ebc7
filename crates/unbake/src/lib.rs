//! Bytes of web pages to the text a visitor would have seen, and why.

mod encoding;
mod rule;
mod malformed;
mod error;
mod label_table;
mod label;
mod bom;
mod mime;
mod xml;
mod utf8;
pub mod detect;
mod decision;
mod format;
mod meta;
mod prescan;
mod tag;
mod character_reference;
mod tokenizer_state;
mod tokenizer;
mod head_scan;
mod foreign;
mod late_meta;
mod css;
mod clue;
mod locale;
mod known;
mod sniff;
mod decode;
mod stream;
mod text_decoder;
mod encode;
mod inspect;
mod report;
mod explain;
mod compare;
mod check;
mod fix;
#[cfg(feature = "_internal")]
#[doc(hidden)]
pub mod internal;

pub use bom::bom_sniff;
pub use check::{
    CheckOptions, CheckRule, Checked, CsvReader, Excerpt, Finding, Mend, Severity, check,
};
pub use compare::{Reader, Reading, Seen, compare};
pub use decision::{
    Change, Clue, Context, Decision, Declaration, Fate, Format, FormatSource, Origin, Parent,
    Profile, Reason, Settings, Utf8Valid,
};
pub use decode::{Decoded, decode, decode_as, decode_strict};
pub use encode::{EncodeMode, QuerySet, encode, percent_encode_query};
pub use encoding::Encoding;
pub use error::{DecodeError, EncodeError};
pub use explain::{Advice, Explanation, NotMeta, Outcome, Place, Step, Weight, explain};
pub use fix::{Edit, FixError, Fixed, fix, fix_checked};
pub use format::BomPolicy;
pub use inspect::{Strict, Unit, Units, inspect};
pub use label::{get_an_encoding, get_an_output_encoding, nearest_labels};
pub use label_table::LABELS;
pub use malformed::{MALFORMED_KEPT, Malformed, MalformedKind, Sequence};
pub use report::{Record, SCHEMA};
pub use rule::{Confidence, Rule};
pub use sniff::sniff;
pub use stream::{Progress, STREAM_WINDOW, Stream};
pub use text_decoder::{TextDecoder, TextDecoderOptions};
