//! The search for the `<meta>` that changes the encoding, against html5ever's tokenizer and tree builder, which build the whole tree.
//!
//! One thing the search does not follow, as it keeps no stack of HTML elements: an end tag within SVG or MathML that closes an element around it.

use std::cell::{Cell, RefCell};

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use markup5ever_rcdom::{Handle, RcDom};
use unbake::{Encoding, get_an_encoding, internal};

use crate::content_type_oracle::isomorphic_decode;
use crate::{hostile, prescan_oracle};

/// The target. Bytes are read as the code points of the same number.
pub fn run(data: &[u8]) {
    if let Ok(want) = by_html5ever(data) {
        let got = internal::first_meta_of_the_tree(data);
        assert_eq!(got, want, "change the encoding\n{}", hostile::toml(data));
    }
}

/// A tree builder, and what the first `<meta>` that it handled by the rules of "in head" declares.
struct Watched {
    builder: TreeBuilder<Handle, RcDom>,
    found: RefCell<Option<Encoding>>,
    /// An end tag closed an element around foreign content.
    closed_around: Cell<bool>,
}

impl TokenSink for Watched {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        let meta = match &token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag && &*tag.name == "meta" => {
                Some(tag.clone())
            }
            _ => None,
        };
        let end_tag = match &token {
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => Some(tag.name.to_string()),
            _ => None,
        };
        let was_foreign = self.adjusted_current_node_present_but_not_in_html_namespace();
        let result = self.builder.process_token(token, line);
        // These end foreign content by themselves.
        const KNOWN: &[&str] = &["svg", "math", "p", "br"];
        if end_tag.is_some_and(|name| was_foreign && !KNOWN.contains(&name.as_str()))
            && !self.adjusted_current_node_present_but_not_in_html_namespace()
        {
            self.closed_around.set(true);
        }
        if let (TokenSinkResult::EncodingIndicator(_), Some(meta)) = (&result, meta) {
            let mut found = self.found.borrow_mut();
            *found = found.or_else(|| declared(&meta));
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// The rules of "in head" for a start tag `meta`, and the first steps of "change the encoding".
fn declared(meta: &Tag) -> Option<Encoding> {
    let attribute = |name: &str| {
        let found = meta.attrs.iter().find(|a| &*a.name.local == name)?;
        let byte = |c| u8::try_from(u32::from(c)).unwrap_or(b'?');
        Some(found.value.chars().map(byte).collect::<Vec<u8>>())
    };
    let by_charset = attribute("charset").and_then(|label| get_an_encoding(&label));
    let by_content = || {
        let pragma = attribute("http-equiv")?;
        let content = attribute("content")?;
        let pragma = pragma.eq_ignore_ascii_case(b"content-type");
        pragma.then(|| prescan_oracle::extract(&content)).flatten()
    };
    let encoding = by_charset.or_else(by_content)?;
    Some(match encoding.name() {
        "UTF-16LE" | "UTF-16BE" => Encoding::UTF_8,
        "x-user-defined" => Encoding::WINDOWS_1252,
        _ => encoding,
    })
}

/// What the tree builder says; `Err` where the document goes where the search does not follow.
fn by_html5ever(data: &[u8]) -> Result<Option<Encoding>, ()> {
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let sink = Watched {
        builder: TreeBuilder::new(RcDom::default(), options),
        found: RefCell::new(None),
        closed_around: Cell::new(false),
    };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(isomorphic_decode(data).as_str()));
    loop {
        match tokenizer.feed(&input) {
            TokenizerResult::Script(_) | TokenizerResult::EncodingIndicator(_) => {}
            TokenizerResult::Done => break,
        }
        if tokenizer.sink.found.borrow().is_some() {
            break;
        }
    }
    if tokenizer.sink.closed_around.get() {
        return Err(());
    }
    Ok(*tokenizer.sink.found.borrow())
}
