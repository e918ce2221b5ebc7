//! Bytes of web pages to the text a visitor would have seen, and why.
//!
//! ```
//! use unbake::{decode, Context};
//!
//! let context = Context { content_type: vec![b"text/html".to_vec()], ..Context::default() };
//! let page = decode(b"<meta charset=shift_jis><p>\x82\xB1\x82\xF1 \x81\x60", &context);
//! assert_eq!(page.text, "<meta charset=shift_jis><p>こん ～");
//! assert_eq!(page.decision.encoding.name(), "Shift_JIS");
//! assert_eq!(page.decision.rule.id(), "prescan");
//! assert_eq!(page.decision.why(), "Shift_JIS (tentative): a meta element at the start declares it (`shift_jis`)");
//! assert_eq!(page.malformed.count, 0);
//! ```
//!
//! # One direction of flow
//!
//! ```text
//! bytes + Context --readers--> Clues --sniff--> Decision --decode / stream--> Decoded --report--> Record
//! ```
//!
//! [`Context`] is all that is known beside the bytes: headers, the user's wish, the parent document, hints. Readers find [`Clue`]s and keep
//! also those that lose. [`sniff`] ranks them by the standard's steps into a [`Decision`]; [`decode`] and [`Stream`] obey it. Nothing is read
//! from the world: no files, no network, no environment, no clock.
//!
//! # From the standards to the functions
//!
//! | the standard says | here |
//! |---|---|
//! | HTML: [encoding sniffing algorithm](https://html.spec.whatwg.org/#encoding-sniffing-algorithm) | [`sniff`], [`decode`], [`Stream`] |
//! | HTML: [change the encoding](https://html.spec.whatwg.org/#change-the-encoding) | [`Decision::change`], [`Progress::StartAgain`] |
//! | HTML: step 3, "no more bytes for now" | [`Stream::flush`] |
//! | HTML: confidence | [`Confidence`] |
//! | Encoding: [get an encoding](https://encoding.spec.whatwg.org/#concept-encoding-get) | [`get_an_encoding`] |
//! | Encoding: [get an output encoding](https://encoding.spec.whatwg.org/#get-an-output-encoding) | [`get_an_output_encoding`] |
//! | Encoding: [BOM sniff](https://encoding.spec.whatwg.org/#bom-sniff) | [`bom_sniff`] |
//! | Encoding: [decode](https://encoding.spec.whatwg.org/#decode), error modes replacement and fatal | [`decode`], [`decode_strict`] |
//! | Encoding: [encode](https://encoding.spec.whatwg.org/#encode), error modes fatal and html | [`encode`] |
//! | Encoding: [`TextDecoder`](https://encoding.spec.whatwg.org/#interface-textdecoder) | [`TextDecoder`] |
//! | URL: [percent-encode after encoding](https://url.spec.whatwg.org/#string-percent-encode-after-encoding) | [`percent_encode_query`] |
//! | XML, CSS, JSON, YAML ...: each format's own rule | [`Context::format`], [`Format`] |
//!
//! Beside the standards: [`explain`] tells the steps and advises the author, [`inspect`] lays bytes and characters side by side, [`check`] and
//! [`fix`] know the rules of each format, [`compare`] tells what other readers make of the bytes, [`detect`] guesses, [`Record`] is what to store.
//!
//! # Profiles
//!
//! [`Profile`] names the question. `Pipeline`, the default: what did the author mean? `Browser`: what does a visitor's browser show?
//! `Standard`: what does the text of the standard say? They differ in four [`Settings`] of the one algorithm.
//!
//! # Streams
//!
//! A [`Stream`] yields text early. When later bytes overturn the encoding, it says so once, and the caller begins again:
//!
//! ```
//! use std::io::{Read, Seek, SeekFrom};
//! use unbake::{Context, Progress, Stream};
//!
//! fn read(mut file: impl Read + Seek) -> std::io::Result<String> {
//!     let (mut stream, mut text) = (Stream::new(Context::default()), String::new());
//!     let mut buffer = [0; 8192];
//!     loop {
//!         let n = file.read(&mut buffer)?;
//!         let progress = if n == 0 { stream.finish(&mut text) } else { stream.push(&buffer[..n], &mut text) };
//!         match progress.expect("only a strict stream fails") {
//!             Progress::StartAgain => {
//!                 text.clear();
//!                 stream.start_again();
//!                 file.seek(SeekFrom::Start(0))?;
//!             }
//!             Progress::Continue if n == 0 => return Ok(text),
//!             Progress::Continue => {}
//!         }
//!     }
//! }
//!
//! let mut page = b"<title>\xCF\xF0\xE8\xE2\xE5\xF2</title><body>".to_vec();
//! page.extend([b'x'; 70_000]);
//! page.extend(b"<meta charset=windows-1251>");
//! assert!(read(std::io::Cursor::new(page))?.starts_with("<title>Привет</title>"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Units
//! Offsets and lengths are bytes of the input, byte order mark included, unless their documentation says otherwise.
//!
//! # Panics
//! No function of this crate panics, whatever the bytes. There is no `unsafe` in it.
//!
//! # Limits
//! Time is linear in the input. Whole input is decoded into one `String`; valid UTF-8 without a mark is borrowed. A stream holds at most
//! [`STREAM_WINDOW`] bytes before it yields text (1 MiB while an XML declaration does not end). Of malformed sequences the first
//! [`MALFORMED_KEPT`] are kept, and all are counted.
//!
//! # Features
//! `serde`: [`Record`], [`Explanation`] and their parts serialise.

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
pub use fix::{Edit, FixError, Fixed, fix, fix_checked, refusal};
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
