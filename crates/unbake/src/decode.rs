//! A [`Decision`] and bytes to text. With `stream.rs`, the only place where decoders are opened.

use std::borrow::Cow;

use encoding_rs::DecoderResult;
use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::decision::{Context, Decision};
use crate::encoding::Encoding;
use crate::error::DecodeError;
use crate::malformed::{Malformed, MalformedKind, Sequence};
use crate::sniff::{sniff, sniff_and_validate};

/// The text of a document, and all that is known about how it came to be.
///
/// # Units
/// `text` is valid UTF-8, one byte order mark removed and nothing else changed.
#[derive(Clone, Debug)]
pub struct Decoded<'a> {
    /// The text; borrowed where the bytes were valid UTF-8 already.
    pub text: Cow<'a, str>,
    /// Which encoding, and why.
    pub decision: Decision,
    /// Where bytes were not text.
    pub malformed: Malformed,
    /// How often U+FFFD stood in the source as a real character.
    pub literal_fffd: u64,
}

/// Decides and decodes a whole document. Malformed sequences become U+FFFD, as in a browser.
///
/// # Standard
/// [HTML, encoding sniffing algorithm](https://html.spec.whatwg.org/#encoding-sniffing-algorithm), then
/// [Encoding, "decode"](https://encoding.spec.whatwg.org/#decode) in replacement mode.
///
/// # Errors
/// None: malformed input is an outcome, told by [`Decoded::malformed`].
///
/// # Panics
/// Never.
///
/// # Example
/// ```
/// use unbake::{decode, Context};
/// let page = decode(b"<meta charset=windows-1251>\xCF\xF0\xE8\xE2\xE5\xF2", &Context::default());
/// assert_eq!(page.text, "<meta charset=windows-1251>Привет");
/// assert_eq!(page.malformed.count, 0);
/// ```
pub fn decode<'a>(bytes: &'a [u8], context: &Context) -> Decoded<'a> {
    let (decision, text) = sniff_and_validate(bytes, context);
    match text {
        // Deciding has read it already. Without a mark, it is its own text.
        Some(text) if decision.encoding == Encoding::UTF_8 && decision.bom.is_none() => Decoded {
            text: Cow::Borrowed(text),
            decision,
            malformed: Malformed::default(),
            literal_fffd: count_fffd(text.as_bytes()),
        },
        _ => decode_as(bytes, decision),
    }
}

/// Decides and decodes a whole document, and stops at the first malformed sequence.
///
/// # Errors
/// [`DecodeError`] with the offset, line and column of the first malformed sequence.
///
/// # Example
/// ```
/// use unbake::{decode_strict, Context};
/// let context = Context { content_type: vec![b"text/plain; charset=utf-8".to_vec()], ..Context::default() };
/// let error = decode_strict(b"one\nit\x92s", &context).unwrap_err();
/// assert_eq!((error.at, error.line, error.column), (6, 2, 3));
/// ```
pub fn decode_strict<'a>(bytes: &'a [u8], context: &Context) -> Result<Decoded<'a>, DecodeError> {
    decode_parts(bytes, sniff(bytes, context), true)
}

/// Decodes a whole document under a decision that was taken before.
pub fn decode_as(bytes: &[u8], decision: Decision) -> Decoded<'_> {
    match decode_parts(bytes, decision.clone(), false) {
        Ok(decoded) => decoded,
        // Replacement mode refuses nothing.
        Err(_) => Decoded {
            text: Cow::Borrowed(""),
            decision,
            malformed: Malformed::default(),
            literal_fffd: 0,
        },
    }
}

fn decode_parts(
    bytes: &[u8],
    decision: Decision,
    strict: bool,
) -> Result<Decoded<'_>, DecodeError> {
    let skip = bom_length(&decision);
    let body = bytes.get(skip..).unwrap_or_default();
    if let Some(text) = borrow_utf_8(body, decision.encoding) {
        let literal_fffd = if decision.encoding == Encoding::UTF_8 {
            count_fffd(text.as_bytes())
        } else {
            0
        };
        return Ok(Decoded {
            text: Cow::Borrowed(text),
            decision,
            malformed: Malformed::default(),
            literal_fffd,
        });
    }
    let mut run = DecodeRun::new(decision.encoding, skip as u64, strict);
    let mut text = String::new();
    run.feed(body, true, &mut text)?;
    Ok(Decoded {
        text: Cow::Owned(text),
        decision,
        malformed: run.malformed,
        literal_fffd: run.literal_fffd,
    })
}

/// How many bytes of a byte order mark are left out of the text: that of the decided encoding, once.
pub(crate) fn bom_length(decision: &Decision) -> usize {
    match decision.bom {
        Some((encoding, len)) if encoding == decision.encoding => len,
        _ => 0,
    }
}

/// Bytes that are their own text in this encoding.
fn borrow_utf_8(bytes: &[u8], encoding: Encoding) -> Option<&str> {
    if encoding == Encoding::UTF_8 {
        simdutf8::basic::from_utf8(bytes).ok()
    } else if encoding.is_ascii_compatible() && bytes.is_ascii() {
        core::str::from_utf8(bytes).ok()
    } else {
        None
    }
}

/// A line and a column, followed through the text.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    lines: u64,
    columns: u64,
}

impl Place {
    fn pass(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let line_start = memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        if line_start > 0 {
            self.lines += memchr_iter(b'\n', bytes).count() as u64;
            self.columns = 0;
        }
        self.columns += text.get(line_start..).unwrap_or_default().chars().count() as u64;
    }

    fn error(self, encoding: Encoding, first: Sequence, bytes: Vec<u8>) -> DecodeError {
        DecodeError {
            at: first.at,
            bytes,
            line: self.lines + 1,
            column: self.columns + 1,
            encoding,
            kind: first.kind,
        }
    }
}

/// How often U+FFFD (EF BF BD) stands in valid UTF-8. Most text has no EF at all, and one byte is found faster than three.
fn count_fffd(text: &[u8]) -> u64 {
    match memchr(0xEF, text).and_then(|at| text.get(at..)) {
        Some(rest) => memmem::find_iter(rest, "\u{FFFD}".as_bytes()).count() as u64,
        None => 0,
    }
}

/// Up to this many malformed sequences a piece is decoded straight into the text.
const DIRECT: u64 = 8;
/// The room for text between two malformed sequences after that.
const SCRATCH: usize = 4096;

/// How many bytes before the current one a decoder may still blame: the longest malformed sequence and a margin.
const TAIL: usize = 16;

/// One decoder at work. Whole input is one `feed`; a stream is many.
pub(crate) struct DecodeRun {
    encoding: Encoding,
    decoder: Decoder,
    /// The offset of the next input byte.
    position: u64,
    /// The last bytes of earlier chunks.
    tail: Vec<u8>,
    pub(crate) malformed: Malformed,
    pub(crate) literal_fffd: u64,
    /// Strict: stop at the first malformed sequence. The place is that of the next character.
    strict: bool,
    place: Place,
    /// Every malformed sequence, where not only the first are wanted.
    located: Option<Vec<Sequence>>,
    /// The first malformed sequence of a strict run.
    refused: Option<(Sequence, Vec<u8>)>,
}

enum Decoder {
    Web(Box<encoding_rs::Decoder>),
    /// UTF-32, and up to three bytes of a cut unit.
    Utf32 {
        big_endian: bool,
        unit: Vec<u8>,
    },
}

impl Decoder {
    fn of(encoding: Encoding) -> Decoder {
        match encoding {
            Encoding::Web(web) => Decoder::Web(Box::new(web.new_decoder_without_bom_handling())),
            Encoding::Utf32Le => Decoder::Utf32 {
                big_endian: false,
                unit: Vec::new(),
            },
            Encoding::Utf32Be => Decoder::Utf32 {
                big_endian: true,
                unit: Vec::new(),
            },
        }
    }
}

impl DecodeRun {
    /// `position`: the offset at which the bytes begin, past a byte order mark.
    pub(crate) fn new(encoding: Encoding, position: u64, strict: bool) -> DecodeRun {
        DecodeRun {
            encoding,
            decoder: Decoder::of(encoding),
            position,
            tail: Vec::new(),
            malformed: Malformed::default(),
            literal_fffd: 0,
            strict,
            place: Place::default(),
            located: None,
            refused: None,
        }
    }

    /// A run that locates every malformed sequence, for [`inspect`](crate::inspect()).
    pub(crate) fn for_inspection(encoding: Encoding, position: u64) -> DecodeRun {
        DecodeRun {
            located: Some(Vec::new()),
            ..DecodeRun::new(encoding, position, false)
        }
    }

    /// The offset of the next byte.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// The malformed sequences since this was last asked, in a run for inspection.
    pub(crate) fn take_located(&mut self) -> Vec<Sequence> {
        self.located
            .as_mut()
            .map(core::mem::take)
            .unwrap_or_default()
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Goes on in another encoding. All bytes so far were ASCII in both: no state is lost.
    pub(crate) fn switch(&mut self, encoding: Encoding) {
        self.encoding = encoding;
        self.decoder = Decoder::of(encoding);
    }

    /// Leaves out bytes: text is no longer wanted.
    pub(crate) fn pass_over(&mut self, len: usize) {
        self.position += len as u64;
    }

    /// Decodes the next bytes onto `text`. `last`: nothing follows.
    ///
    /// # Errors
    /// In a strict run, the first malformed sequence; `text` then ends before it.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        last: bool,
        text: &mut String,
    ) -> Result<(), DecodeError> {
        let text_start = text.len();
        let replaced = self.malformed.count;
        if matches!(self.decoder, Decoder::Web(_)) {
            self.feed_web(bytes, last, text);
        } else {
            self.feed_utf_32(bytes, last, text);
        }
        let new = text.get(text_start..).unwrap_or_default();
        if self.strict {
            self.place.pass(new);
            if let Some((first, bytes)) = self.refused.take() {
                return Err(self.place.error(self.encoding, first, bytes));
            }
        }
        // Only these can say U+FFFD by themselves.
        let has_fffd = match self.encoding {
            Encoding::Web(web) => [
                encoding_rs::UTF_8,
                encoding_rs::UTF_16LE,
                encoding_rs::UTF_16BE,
                encoding_rs::GB18030,
                encoding_rs::GBK,
            ]
            .contains(&web),
            Encoding::Utf32Le | Encoding::Utf32Be => true,
        };
        if has_fffd {
            self.literal_fffd += count_fffd(new.as_bytes()) - (self.malformed.count - replaced);
        }
        self.position += bytes.len() as u64;
        self.tail.extend_from_slice(
            bytes
                .get(bytes.len().saturating_sub(TAIL)..)
                .unwrap_or_default(),
        );
        let excess = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..excess);
        Ok(())
    }

    fn feed_web(&mut self, bytes: &[u8], last: bool, text: &mut String) {
        let already = self.malformed.count;
        let mut scratch = String::new();
        let mut read = 0;
        loop {
            let Decoder::Web(decoder) = &mut self.decoder else {
                return;
            };
            let rest = bytes.get(read..).unwrap_or_default();
            let (result, used) = if self.malformed.count - already < DIRECT {
                let room = decoder.max_utf8_buffer_length_without_replacement(rest.len());
                text.reserve(room.unwrap_or(rest.len()).min(rest.len() * 3 + 16));
                decoder.decode_to_string_without_replacement(rest, text, last)
            } else {
                // Each call prepares all the spare room it is given: little room keeps that linear.
                scratch.reserve(SCRATCH);
                let answer = decoder.decode_to_string_without_replacement(rest, &mut scratch, last);
                text.push_str(&scratch);
                scratch.clear();
                answer
            };
            read += used;
            match result {
                DecoderResult::InputEmpty => return,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(len, after) => {
                    // "The number of bytes consumed after the malformed sequence" are past it.
                    let end = self.position + read as u64 - u64::from(after);
                    self.note(bytes, end - u64::from(len), len, last);
                    if self.strict {
                        return;
                    }
                    text.push('\u{FFFD}');
                }
            }
        }
    }

    /// Notes a malformed sequence that starts at `at`, of which the end has been read.
    fn note(&mut self, bytes: &[u8], at: u64, len: u8, last: bool) {
        if self.malformed.is_full() && self.located.is_none() {
            self.malformed.count += 1;
            return;
        }
        let byte = |offset: u64| -> Option<u8> {
            if offset >= self.position {
                bytes.get((offset - self.position) as usize).copied()
            } else {
                let back = (self.position - offset) as usize;
                self.tail
                    .len()
                    .checked_sub(back)
                    .and_then(|index| self.tail.get(index))
                    .copied()
            }
        };
        let end = at + u64::from(len);
        let at_end = last && end >= self.position + bytes.len() as u64;
        let next = if at_end { None } else { byte(end).or(Some(0)) };
        let sequence: Vec<u8> = (at..end).filter_map(byte).collect();
        let kind = malformed_kind(self.encoding, &sequence, next);
        let found = Sequence { at, len, kind };
        self.malformed.push(found);
        if let Some(located) = &mut self.located {
            located.push(found);
        }
        if self.strict {
            self.refused = Some((found, sequence));
        }
    }

    fn feed_utf_32(&mut self, bytes: &[u8], last: bool, text: &mut String) {
        let Decoder::Utf32 { big_endian, unit } = &mut self.decoder else {
            return;
        };
        let (big_endian, mut pending) = (*big_endian, core::mem::take(unit));
        let mut at = self.position - pending.len() as u64;
        let mut wrong = Vec::new();
        for &byte in bytes {
            pending.push(byte);
            if let Ok(four) = <[u8; 4]>::try_from(pending.as_slice()) {
                let number = if big_endian {
                    u32::from_be_bytes(four)
                } else {
                    u32::from_le_bytes(four)
                };
                if let Some(character) = char::from_u32(number) {
                    text.push(character);
                } else {
                    let kind = if number > 0x10_FFFF {
                        MalformedKind::AboveMaximum
                    } else {
                        MalformedKind::Surrogate
                    };
                    wrong.push((Sequence { at, len: 4, kind }, four.to_vec()));
                    if self.strict {
                        break;
                    }
                    text.push('\u{FFFD}');
                }
                pending.clear();
                at += 4;
            }
        }
        if last && !pending.is_empty() && pending.len() < 4 {
            wrong.push((
                Sequence {
                    at,
                    len: pending.len() as u8,
                    kind: MalformedKind::TruncatedAtEnd,
                },
                pending.clone(),
            ));
            if !self.strict {
                text.push('\u{FFFD}');
            }
            pending.clear();
        }
        for (sequence, bytes) in wrong {
            self.malformed.push(sequence);
            if let Some(located) = &mut self.located {
                located.push(sequence);
            }
            if self.strict {
                self.refused.get_or_insert((sequence, bytes));
            }
        }
        if let Decoder::Utf32 { unit, .. } = &mut self.decoder {
            *unit = pending;
        }
    }
}

/// Why a decoder stopped at `sequence`; `next` is the byte after it, `None` at the end of the input.
fn malformed_kind(encoding: Encoding, sequence: &[u8], next: Option<u8>) -> MalformedKind {
    let lead = sequence.first().copied().unwrap_or(0);
    let len = sequence.len() as u8;
    if encoding == Encoding::UTF_8 {
        return MalformedKind::of_utf_8(lead, len, next);
    }
    if encoding == Encoding::Web(encoding_rs::REPLACEMENT) {
        return MalformedKind::Refused;
    }
    if encoding.is_utf_16() {
        let odd = len % 2 == 1;
        return if odd {
            MalformedKind::TruncatedAtEnd
        } else {
            MalformedKind::Surrogate
        };
    }
    if encoding == Encoding::Web(encoding_rs::ISO_2022_JP)
        && (lead == 0x1B || memchr(0x1B, sequence).is_some())
    {
        return if next.is_none() && len < 3 {
            MalformedKind::TruncatedAtEnd
        } else {
            MalformedKind::InvalidEscape
        };
    }
    // ISO-2022-JP at the end: the first byte of a pair. (A lone 60-7E may also be no half-width katakana.)
    if encoding == Encoding::Web(encoding_rs::ISO_2022_JP)
        && next.is_none()
        && matches!(sequence, [0x21..=0x7E])
    {
        return MalformedKind::TruncatedAtEnd;
    }
    let multi_byte = encoding.web().is_some_and(|web| !web.is_single_byte());
    if !multi_byte || lead < 0x80 {
        return MalformedKind::Unassigned;
    }
    match (sequence, next) {
        (&[.., trail], _) if len > 1 && !may_be_trail(encoding, trail) => {
            MalformedKind::InvalidTrail
        }
        (_, None) if could_go_on(encoding, sequence) => MalformedKind::TruncatedAtEnd,
        (_, Some(next)) if next < 0x80 && could_go_on(encoding, sequence) => {
            MalformedKind::InvalidTrail
        }
        _ => MalformedKind::Unassigned,
    }
}

/// Can this byte end a character in some multi-byte encoding? The ranges of the Encoding Standard's decoders.
fn may_be_trail(encoding: Encoding, byte: u8) -> bool {
    match encoding.name() {
        "EUC-JP" => matches!(byte, 0xA1..=0xFE),
        "Shift_JIS" => matches!(byte, 0x40..=0x7E | 0x80..=0xFC),
        "Big5" => matches!(byte, 0x40..=0x7E | 0xA1..=0xFE),
        "EUC-KR" => matches!(byte, 0x41..=0xFE),
        "GBK" | "gb18030" => matches!(byte, 0x30..=0x39 | 0x40..=0x7E | 0x80..=0xFE),
        _ => true,
    }
}

/// True where the bytes begin a longer sequence in this encoding: fed alone, the decoder waits for more.
fn could_go_on(encoding: Encoding, sequence: &[u8]) -> bool {
    let Some(web) = encoding.web() else {
        return false;
    };
    let mut decoder = web.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(64);
    let (result, _) = decoder.decode_to_string_without_replacement(sequence, &mut text, false);
    result == DecoderResult::InputEmpty && text.is_empty()
}
