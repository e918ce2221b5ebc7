//! A tokenizer over undecoded HTML that can stop and go on at any byte.
//!
//! It follows the states of the standard's tokenizer as far as they decide which bytes are a tag. It keeps
//! only what declarations need: tag names, and the values of the attributes of [`Tag`].
//! Memory is bounded: a value longer than [`VALUE_LIMIT`] is cut.
//!
//! # Standard
//! [HTML Standard, 13.2.5](https://html.spec.whatwg.org/#tokenization).

use memchr::{memchr, memchr2};

use crate::character_reference::decode_character_references;
use crate::tag::{Name, Tag};
use crate::tokenizer_state::{Content, Escape, Next, Quote, Slot, State};

/// The longest attribute value that is kept, in bytes: 1 MiB.
pub(crate) const VALUE_LIMIT: usize = 1 << 20;

/// The tokenizer. Feed it the document in pieces; it calls back for each tag.
#[derive(Clone, Debug)]
pub(crate) struct Tokenizer {
    state: State,
    /// The offset of the next byte.
    position: u64,
    tag_start: u64,
    tag: Tag,
    attribute: Name,
    slot: Slot,
    value: Vec<u8>,
    content: Content,
    /// The name of the element whose raw text this is, and the letters of the end tag being compared with it.
    raw_name: Name,
    letters: Name,
    escape: Escape,
    dashes: u8,
    matched: Name,
    /// True while the current node is in SVG or MathML: `<![CDATA[` is a section there.
    pub(crate) cdata_allowed: bool,
    /// Has there been text, other than white space and NULs, that is not the content of a raw text element?
    pub(crate) text: bool,
    stopped: bool,
}

impl Tokenizer {
    pub(crate) fn new(content: Content) -> Tokenizer {
        Tokenizer {
            state: if content == Content::PlainText {
                State::PlainText
            } else {
                State::Data
            },
            position: 0,
            tag_start: 0,
            tag: Tag::default(),
            attribute: Name::default(),
            slot: Slot::None,
            value: Vec::new(),
            content: Content::Data,
            raw_name: Name::default(),
            letters: Name::default(),
            escape: Escape::None,
            dashes: 0,
            matched: Name::default(),
            cdata_allowed: false,
            text: false,
            stopped: false,
        }
    }

    /// True where the next byte belongs to a tag that began before it.
    pub(crate) fn is_in_tag(&self) -> bool {
        matches!(
            self.state,
            State::TagOpen
                | State::TagName
                | State::BeforeAttributeName
                | State::AttributeName
                | State::AfterAttributeName
                | State::BeforeAttributeValue
                | State::Value(_)
                | State::AfterAttributeValueQuoted
                | State::SelfClosingStartTag
        )
    }

    /// How many bytes have been read.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// True once the user of the tokenizer has answered [`Next::Stop`].
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Reads the next bytes of the document.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        on_tag: &mut dyn FnMut(&mut Tokenizer, &Tag) -> Next,
    ) {
        let base = self.position;
        let mut at = 0;
        while !self.stopped {
            // States whose bytes mean nothing until one of a few: skip to it.
            let rest = bytes.get(at..).unwrap_or_default();
            let skipped = match self.state {
                State::Data => self.pass_text(rest, memchr(b'<', rest)),
                State::Value(Quote::Double) => self.collect_value(rest, memchr(b'"', rest)),
                State::Value(Quote::Single) => self.collect_value(rest, memchr(b'\'', rest)),
                State::BogusComment => memchr(b'>', rest),
                State::Comment => memchr(b'-', rest),
                State::CData(0) => self.pass_text(rest, memchr(b']', rest)),
                State::Raw if self.escape == Escape::None => memchr(b'<', rest),
                State::Raw => match rest.first() {
                    Some(b'<' | b'-' | b'>') | None => Some(0),
                    Some(_) => {
                        self.dashes = 0;
                        memchr2(b'<', b'-', rest)
                    }
                },
                State::PlainText => None,
                State::TagName => push_name(&mut self.tag.name, rest, false),
                State::AttributeName => push_name(&mut self.attribute, rest, true),
                State::Value(Quote::None) => {
                    self.collect_value(rest, rest.iter().position(|&b| is_space(b) || b == b'>'))
                }
                _ => Some(0),
            };
            let Some(skipped) = skipped else {
                at = bytes.len();
                break;
            };
            at += skipped;
            let Some(&byte) = bytes.get(at) else { break };
            at += 1;
            self.position = base + at as u64;
            self.step(byte, on_tag);
        }
        self.position = base + at as u64;
    }

    /// Notes whether what is skipped is text.
    fn pass_text(&mut self, rest: &[u8], end: Option<usize>) -> Option<usize> {
        if !self.text {
            let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            self.text = part
                .iter()
                .any(|b| !matches!(b, 0 | b'\t' | b'\n' | 0x0C | b'\r' | b' '));
        }
        end
    }

    /// Keeps the bytes of a quoted value that matters.
    fn collect_value(&mut self, rest: &[u8], end: Option<usize>) -> Option<usize> {
        if self.slot != Slot::None {
            let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let room = VALUE_LIMIT.saturating_sub(self.value.len());
            self.value
                .extend_from_slice(part.get(..room).unwrap_or(part));
        }
        end
    }

    fn step(&mut self, byte: u8, on_tag: &mut dyn FnMut(&mut Tokenizer, &Tag) -> Next) {
        let space = is_space(byte);
        match self.state {
            State::Data => {
                self.tag_start = self.position - 1;
                self.state = State::TagOpen;
            }
            State::TagOpen => match byte {
                b'!' => {
                    self.matched = Name::default();
                    self.state = State::MarkupDeclaration;
                }
                b'/' => self.state = State::EndTagOpen,
                b'?' => self.state = State::BogusComment,
                b'<' => {
                    self.text = true;
                    self.tag_start = self.position - 1;
                }
                _ if byte.is_ascii_alphabetic() => self.begin_tag(byte, false),
                _ => {
                    // The `<` was text.
                    self.text = true;
                    self.state = State::Data;
                }
            },
            State::EndTagOpen => match byte {
                b'>' => self.state = State::Data,
                _ if byte.is_ascii_alphabetic() => self.begin_tag(byte, true),
                _ => self.state = State::BogusComment,
            },
            State::TagName => match byte {
                b'/' => self.state = State::SelfClosingStartTag,
                b'>' => self.emit(on_tag),
                _ if space => self.state = State::BeforeAttributeName,
                _ => self.tag.name.push(byte),
            },
            State::BeforeAttributeName => match byte {
                b'/' => self.state = State::SelfClosingStartTag,
                b'>' => self.emit(on_tag),
                _ if space => {}
                _ => self.begin_attribute(byte),
            },
            State::AttributeName => match byte {
                b'=' => self.end_attribute_name(State::BeforeAttributeValue),
                b'/' => {
                    self.end_attribute_name(State::SelfClosingStartTag);
                    self.end_attribute();
                }
                b'>' => {
                    self.end_attribute_name(State::Data);
                    self.end_attribute();
                    self.emit(on_tag);
                }
                _ if space => self.end_attribute_name(State::AfterAttributeName),
                _ => self.attribute.push(byte),
            },
            State::AfterAttributeName => match byte {
                b'=' => self.state = State::BeforeAttributeValue,
                _ if space => {}
                b'/' => {
                    self.end_attribute();
                    self.state = State::SelfClosingStartTag;
                }
                b'>' => {
                    self.end_attribute();
                    self.emit(on_tag);
                }
                _ => {
                    self.end_attribute();
                    self.begin_attribute(byte);
                }
            },
            State::BeforeAttributeValue => match byte {
                _ if space => {}
                b'"' => self.state = State::Value(Quote::Double),
                b'\'' => self.state = State::Value(Quote::Single),
                b'>' => {
                    self.end_attribute();
                    self.emit(on_tag);
                }
                _ => {
                    self.state = State::Value(Quote::None);
                    self.collect_value(&[byte], None);
                }
            },
            State::Value(Quote::Double | Quote::Single) => {
                self.end_attribute();
                self.state = State::AfterAttributeValueQuoted;
            }
            State::Value(Quote::None) => match byte {
                _ if space => {
                    self.end_attribute();
                    self.state = State::BeforeAttributeName;
                }
                b'>' => {
                    self.end_attribute();
                    self.emit(on_tag);
                }
                _ => {
                    self.collect_value(&[byte], None);
                }
            },
            State::AfterAttributeValueQuoted => match byte {
                b'/' => self.state = State::SelfClosingStartTag,
                b'>' => self.emit(on_tag),
                _ if space => self.state = State::BeforeAttributeName,
                _ => self.begin_attribute(byte),
            },
            State::SelfClosingStartTag => match byte {
                b'>' => {
                    self.tag.self_closing = true;
                    self.emit(on_tag);
                }
                b'/' => {}
                _ if space => self.state = State::BeforeAttributeName,
                _ => self.begin_attribute(byte),
            },
            State::BogusComment => self.state = State::Data,
            State::MarkupDeclaration => self.markup_declaration(byte),
            State::CommentStart => match byte {
                b'-' => self.state = State::CommentStartDash,
                b'>' => self.state = State::Data,
                _ => self.state = State::Comment,
            },
            State::CommentStartDash => match byte {
                b'-' => self.state = State::CommentEnd,
                b'>' => self.state = State::Data,
                _ => self.state = State::Comment,
            },
            State::Comment => self.state = State::CommentEndDash,
            State::CommentEndDash => {
                self.state = if byte == b'-' {
                    State::CommentEnd
                } else {
                    State::Comment
                }
            }
            State::CommentEnd => match byte {
                b'>' => self.state = State::Data,
                b'!' => self.state = State::CommentEndBang,
                b'-' => {}
                _ => self.state = State::Comment,
            },
            State::CommentEndBang => match byte {
                b'-' => self.state = State::CommentEndDash,
                b'>' => self.state = State::Data,
                _ => self.state = State::Comment,
            },
            State::CData(brackets) => match byte {
                b']' => {
                    self.text |= brackets == 2;
                    self.state = State::CData((brackets + 1).min(2));
                }
                b'>' if brackets == 2 => self.state = State::Data,
                _ => {
                    self.text = true;
                    self.state = State::CData(0);
                }
            },
            State::PlainText => {}
            State::Raw => self.raw(byte),
            State::RawLessThan => match (byte, self.escape) {
                (b'/', _) => self.state = State::RawEndTagOpen,
                (b'!', Escape::None) if self.content == Content::Script => {
                    self.state = State::ScriptEscapeStart(0);
                }
                (_, Escape::Escaped) if byte.is_ascii_alphabetic() => {
                    self.letters = Name::default();
                    self.letters.push(byte);
                    self.state = State::ScriptDoubleEscape { end: false };
                }
                _ => self.back_to_raw(byte),
            },
            State::RawEndTagOpen => {
                if byte.is_ascii_alphabetic() {
                    self.letters = Name::default();
                    self.letters.push(byte);
                    let end = self.escape == Escape::DoubleEscaped;
                    self.state = if end {
                        State::ScriptDoubleEscape { end }
                    } else {
                        State::RawEndTagName
                    };
                } else {
                    self.back_to_raw(byte);
                }
            }
            State::RawEndTagName => {
                if byte.is_ascii_alphabetic() {
                    self.letters.push(byte);
                } else if (space || matches!(byte, b'/' | b'>')) && self.letters == self.raw_name {
                    // An "appropriate end tag token".
                    self.tag = Tag {
                        name: self.letters,
                        is_end: true,
                        ..Tag::default()
                    };
                    self.content = Content::Data;
                    self.escape = Escape::None;
                    match byte {
                        b'/' => self.state = State::SelfClosingStartTag,
                        b'>' => self.emit(on_tag),
                        _ => self.state = State::BeforeAttributeName,
                    }
                } else {
                    self.back_to_raw(byte);
                }
            }
            State::ScriptEscapeStart(dashes) => match (byte, dashes) {
                (b'-', 0) => self.state = State::ScriptEscapeStart(1),
                (b'-', _) => {
                    self.escape = Escape::Escaped;
                    self.dashes = 2;
                    self.state = State::Raw;
                }
                _ => self.back_to_raw(byte),
            },
            State::ScriptDoubleEscape { end } => {
                if byte.is_ascii_alphabetic() {
                    self.letters.push(byte);
                } else if space || matches!(byte, b'/' | b'>') {
                    let script = self.letters.as_bytes() == b"script";
                    if script {
                        self.escape = if end {
                            Escape::Escaped
                        } else {
                            Escape::DoubleEscaped
                        };
                    }
                    self.dashes = 0;
                    self.state = State::Raw;
                } else {
                    self.back_to_raw(byte);
                }
            }
        }
    }

    fn markup_declaration(&mut self, byte: u8) {
        self.matched.push(byte);
        match self.matched.as_bytes() {
            b"--" => self.state = State::CommentStart,
            b"-" => {}
            so_far
                if self.cdata_allowed
                    && b"[cdata[".starts_with(so_far)
                    && !byte.is_ascii_lowercase() =>
            {
                if so_far.len() == b"[cdata[".len() {
                    self.state = State::CData(0);
                }
            }
            _ if byte == b'>' => self.state = State::Data,
            _ => self.state = State::BogusComment,
        }
    }

    /// A byte of raw text at which the skipping stopped.
    fn raw(&mut self, byte: u8) {
        self.state = State::Raw;
        match byte {
            b'<' => {
                self.tag_start = self.position - 1;
                self.dashes = 0;
                self.state = State::RawLessThan;
            }
            _ if self.escape == Escape::None => {}
            b'-' => self.dashes = (self.dashes + 1).min(2),
            b'>' if self.dashes == 2 => {
                self.escape = Escape::None;
                self.dashes = 0;
            }
            _ => self.dashes = 0,
        }
    }

    /// "Reconsume in the ... state" of raw text.
    fn back_to_raw(&mut self, byte: u8) {
        self.dashes = 0;
        self.raw(byte);
    }

    fn begin_tag(&mut self, byte: u8, is_end: bool) {
        self.tag = Tag {
            is_end,
            ..Tag::default()
        };
        self.tag.name.push(byte);
        self.state = State::TagName;
    }

    fn begin_attribute(&mut self, byte: u8) {
        self.attribute = Name::default();
        self.attribute.push(byte);
        self.slot = Slot::None;
        self.state = State::AttributeName;
    }

    fn end_attribute_name(&mut self, next: State) {
        self.state = next;
        self.value.clear();
        if self.tag.is_end {
            return;
        }
        // The first attribute of a name wins.
        self.slot = match (self.tag.name.as_bytes(), self.attribute.as_bytes()) {
            (b"meta", b"charset") if self.tag.meta.charset.is_none() => Slot::Charset,
            (b"meta", b"http-equiv") if self.tag.meta.http_equiv.is_none() => Slot::HttpEquiv,
            (b"meta", b"content") if self.tag.meta.content.is_none() => Slot::Content,
            (b"annotation-xml", b"encoding") | (b"input", b"type") if self.tag.kind.is_none() => {
                Slot::Kind
            }
            (b"font", b"color" | b"face" | b"size") => {
                self.tag.font_attribute = true;
                Slot::None
            }
            _ => Slot::None,
        };
    }

    fn end_attribute(&mut self) {
        let slot = match self.slot {
            Slot::None => return,
            Slot::Charset => &mut self.tag.meta.charset,
            Slot::HttpEquiv => &mut self.tag.meta.http_equiv,
            Slot::Content => &mut self.tag.meta.content,
            Slot::Kind => &mut self.tag.kind,
        };
        *slot = Some(decode_character_references(&self.value));
        self.slot = Slot::None;
        self.value.clear();
    }

    fn emit(&mut self, on_tag: &mut dyn FnMut(&mut Tokenizer, &Tag) -> Next) {
        let mut tag = core::mem::take(&mut self.tag);
        tag.at = (self.tag_start, self.position);
        self.state = State::Data;
        match on_tag(self, &tag) {
            Next::Stop => self.stopped = true,
            Next::Go(content) if !tag.is_end => {
                self.content = content;
                self.raw_name = tag.name;
                self.escape = Escape::None;
                self.dashes = 0;
                self.state = match content {
                    Content::Data => State::Data,
                    Content::RawText | Content::Script => State::Raw,
                    Content::PlainText => State::PlainText,
                };
            }
            Next::Go(_) => {}
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

/// Takes the bytes of a name up to the one that ends it, which is left to the state machine.
fn push_name(name: &mut Name, rest: &[u8], equals_sign: bool) -> Option<usize> {
    let ends = |b: u8| is_space(b) || matches!(b, b'/' | b'>') || (equals_sign && b == b'=');
    let end = rest.iter().position(|&b| ends(b));
    for &byte in rest
        .iter()
        .take(end.unwrap_or(rest.len()).min(Name::ROOM + 1))
    {
        name.push(byte);
    }
    end
}
