//! The words of the tokenizer: its states, and what is said between it and its users.

/// How the content of an element is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Data,
    /// Raw text and RCDATA alike: only the element's own end tag ends it.
    RawText,
    Script,
    PlainText,
}

impl Content {
    /// How the tree builder has the content of an HTML element read, scripting being off: `noscript` is markup.
    pub(crate) fn of_element(name: &[u8]) -> Content {
        match name {
            b"title" | b"textarea" | b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => {
                Content::RawText
            }
            b"script" => Content::Script,
            b"plaintext" => Content::PlainText,
            _ => Content::Data,
        }
    }
}

/// What the user of the tokenizer answers to a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Go on; after a start tag, its content is of this kind.
    Go(Content),
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Data,
    TagOpen,
    EndTagOpen,
    TagName,
    BeforeAttributeName,
    AttributeName,
    AfterAttributeName,
    BeforeAttributeValue,
    Value(Quote),
    AfterAttributeValueQuoted,
    SelfClosingStartTag,
    BogusComment,
    /// `<!`, and how many bytes of `--` or `[CDATA[` have matched (a doctype ends at its first `>`, as a bogus comment does).
    MarkupDeclaration,
    CommentStart,
    CommentStartDash,
    Comment,
    CommentEndDash,
    CommentEnd,
    CommentEndBang,
    /// `]` so far: 0, 1, 2 or more.
    CData(u8),
    PlainText,
    Raw,
    RawLessThan,
    RawEndTagOpen,
    RawEndTagName,
    /// `<!` and `<!-` in a script.
    ScriptEscapeStart(u8),
    /// The letters after `<` (or `</`) in an escaped script.
    ScriptDoubleEscape {
        end: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    Double,
    Single,
    None,
}

/// Where a script stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    None,
    Escaped,
    DoubleEscaped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    None,
    Charset,
    HttpEquiv,
    Content,
    Kind,
}
