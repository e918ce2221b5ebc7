//! `<meta>` elements as the tree builder meets them: what triggers "change the encoding".
//!
//! Tags come from the tokenizer; of tree construction only what decides whether a `<meta>` is handled by the
//! rules of "in head" is kept: foreign content (SVG, MathML), and framesets, which ignore it.

use crate::meta::MetaDeclaration;
use crate::tag::{Name, Tag};
use crate::tokenizer::Tokenizer;
use crate::tokenizer_state::{Content, Next};

/// The namespaces that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Namespace {
    Html,
    Svg,
    MathMl,
}

/// The search, resumable at any byte. It ends at the first `<meta>` that declares a known encoding: from then on the
/// confidence is certain.
#[derive(Clone, Debug)]
pub(crate) struct LateMeta {
    tokenizer: Tokenizer,
    tree: Tree,
    /// The declaration that ended the search.
    pub(crate) found: Option<MetaDeclaration>,
    /// Where not only the first is wanted: all of them, whether they count or not.
    pub(crate) all: Vec<MetaDeclaration>,
    keep_all: bool,
}

#[derive(Clone, Debug)]
struct Tree {
    /// The open elements of SVG and MathML, innermost last; none is HTML.
    foreign: Vec<Foreign>,
    /// The next tag ends raw text.
    raw_text: bool,
    /// How many `<template>` are open.
    templates: u32,
    /// The body has begun.
    body: bool,
    /// The frameset-ok flag is "not ok".
    frameset_not_ok: bool,
    frameset: bool,
}

/// An open element of SVG or MathML.
#[derive(Clone, Copy, Debug)]
struct Foreign {
    name: Name,
    /// The namespace of its content: HTML in an integration point.
    content: Namespace,
    /// No element of HTML is open in it: it is the current node.
    bare: bool,
}

/// Deeper nesting of foreign elements than this is not followed: memory stays bounded.
const FOREIGN_LIMIT: usize = 4096;

impl LateMeta {
    /// A search for the first declaration.
    pub(crate) fn new() -> LateMeta {
        LateMeta {
            tokenizer: Tokenizer::new(Content::Data),
            tree: Tree {
                foreign: Vec::new(),
                raw_text: false,
                templates: 0,
                body: false,
                frameset_not_ok: false,
                frameset: false,
            },
            found: None,
            all: Vec::new(),
            keep_all: false,
        }
    }

    /// The first declaration of a whole document.
    pub(crate) fn of(bytes: &[u8]) -> Option<MetaDeclaration> {
        let mut search = LateMeta::new();
        search.feed(bytes);
        search.found
    }

    /// Every `<meta>` of the document that speaks of an encoding.
    pub(crate) fn all_of(bytes: &[u8]) -> Vec<MetaDeclaration> {
        let mut search = LateMeta {
            keep_all: true,
            ..LateMeta::new()
        };
        search.feed(bytes);
        search.all
    }

    /// Searches the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let LateMeta {
            tokenizer,
            tree,
            found,
            all,
            keep_all,
        } = self;
        tokenizer.feed(bytes, &mut |tokenizer, tag| {
            // An element's content is read by its own namespace, not by the one that it opens for its children.
            if core::mem::take(&mut tokenizer.text) {
                tree.frameset_not_ok = true;
                tree.body |= tree.templates == 0;
            }
            if core::mem::take(&mut tree.raw_text) {
                // Raw text ends with the end tag of its own element, and of no other.
                return Next::Go(Content::Data);
            }
            let html = tree.leave_foreign_content(tag) && !tag.is_end;
            if let Some(declaration) = tree.on_tag(tag) {
                if *keep_all {
                    all.push(declaration);
                } else if declaration.counts() {
                    *found = Some(declaration);
                    return Next::Stop;
                }
            }
            tokenizer.cdata_allowed = tree.is_foreign() || tree.at_integration_point();
            let content = if html {
                Content::of_element(tag.name.as_bytes())
            } else {
                Content::Data
            };
            tree.raw_text = is_raw_text(content);
            Next::Go(content)
        });
    }
}

impl Tree {
    fn current(&self) -> Namespace {
        self.foreign
            .last()
            .map_or(Namespace::Html, |element| element.content)
    }

    /// The current node is an integration point: foreign itself, its content is HTML.
    fn at_integration_point(&self) -> bool {
        !self.is_foreign() && self.foreign.last().is_some_and(|element| element.bare)
    }

    fn is_foreign(&self) -> bool {
        self.current() != Namespace::Html
    }

    fn enter(&mut self, content: Namespace, tag: &Tag) {
        if self.foreign.len() < FOREIGN_LIMIT && !tag.self_closing {
            let name = tag.name;
            self.foreign.push(Foreign {
                name,
                content,
                bare: true,
            });
        }
    }

    /// Leaves foreign content where a tag breaks out of it; answers whether the tag is handled as HTML.
    fn leave_foreign_content(&mut self, tag: &Tag) -> bool {
        if self.is_foreign() && breaks_out(tag) {
            while self.is_foreign() {
                self.foreign.pop();
            }
        }
        !self.is_foreign()
    }

    /// Follows the tag; answers the declaration of a `<meta>` that the rules of "in head" handle.
    fn on_tag(&mut self, tag: &Tag) -> Option<MetaDeclaration> {
        let name = tag.name.as_bytes();
        if tag.is_end {
            self.end_tag(name);
            return None;
        }
        if self.is_foreign() {
            let parent = self.foreign.last().map(|element| element.name);
            match (name, self.current()) {
                (b"svg", Namespace::MathMl)
                    if parent.is_some_and(|p| p.as_bytes() == b"annotation-xml") =>
                {
                    self.enter(Namespace::Svg, tag);
                }
                (_, current) if is_integration_point(tag, current) => {
                    self.enter(Namespace::Html, tag);
                }
                (_, current) => self.enter(current, tag),
            }
            return None;
        }
        // Was an element of HTML opened within it?
        let goes_at_once = is_void(name) || is_raw_text(Content::of_element(name));
        let is_html = !matches!(name, b"svg" | b"math");
        if let Some(point) = self.foreign.last_mut() {
            point.bare &= goes_at_once || is_out_of_place(name) || !is_html;
        }
        match name {
            b"svg" => self.enter(Namespace::Svg, tag),
            b"math" => self.enter(Namespace::MathMl, tag),
            b"template" => self.templates = self.templates.saturating_add(1),
            b"frameset" if self.templates == 0 && !(self.body && self.frameset_not_ok) => {
                self.frameset = true;
            }
            b"meta" if !self.frameset => return tag.meta.tree_declaration(tag.at),
            _ => {}
        }
        self.frameset_not_ok |= sets_frameset_not_ok(tag);
        self.body |= self.templates == 0 && !is_before_the_body(name);
        None
    }

    fn end_tag(&mut self, name: &[u8]) {
        if name == b"template" {
            self.templates = self.templates.saturating_sub(1);
        }
        if matches!(name, b"br" | b"p") {
            self.body |= self.templates == 0;
            self.frameset_not_ok |= name == b"br";
        }
        let within = usize::from(self.at_integration_point());
        if self.is_foreign() || self.at_integration_point() {
            // To the innermost element of that name, but not out of HTML that holds it.
            let mut open = self.foreign.iter().rev().enumerate();
            let closed = open
                .find(|(above, element)| {
                    element.name.as_bytes() == name
                        || (element.content == Namespace::Html && *above >= within)
                })
                .filter(|(_, element)| element.name.as_bytes() == name);
            if let Some((above, _)) = closed {
                self.foreign
                    .truncate(self.foreign.len().saturating_sub(above + 1));
            }
        } else if self
            .foreign
            .last()
            .is_some_and(|element| element.name.as_bytes() == name)
        {
            // The end tag of the integration point itself leaves it.
            self.foreign.pop();
        }
    }
}

/// The start tags that leave a document without a body.
fn is_before_the_body(name: &[u8]) -> bool {
    matches!(
        name,
        b"html"
            | b"head"
            | b"base"
            | b"basefont"
            | b"bgsound"
            | b"link"
            | b"meta"
            | b"noframes"
            | b"noscript"
            | b"script"
            | b"style"
            | b"template"
            | b"title"
            | b"frameset"
    )
}

/// The start tags that are ignored in a body.
fn is_out_of_place(name: &[u8]) -> bool {
    matches!(
        name,
        b"body"
            | b"caption"
            | b"col"
            | b"colgroup"
            | b"frame"
            | b"frameset"
            | b"head"
            | b"html"
            | b"tbody"
            | b"td"
            | b"tfoot"
            | b"th"
            | b"thead"
            | b"tr"
    )
}

fn is_raw_text(content: Content) -> bool {
    matches!(content, Content::RawText | Content::Script)
}

/// The elements that have no content.
fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"basefont"
            | b"bgsound"
            | b"br"
            | b"col"
            | b"embed"
            | b"frame"
            | b"hr"
            | b"img"
            | b"input"
            | b"keygen"
            | b"link"
            | b"meta"
            | b"param"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// The start tags that set the frameset-ok flag to "not ok": after them `<frameset>` is ignored.
///
/// # Standard
/// [HTML Standard, 13.2.6.4.7](https://html.spec.whatwg.org/#parsing-main-inbody).
fn sets_frameset_not_ok(tag: &Tag) -> bool {
    let hidden = || {
        let kind = tag.kind.as_deref();
        kind.is_some_and(|kind| kind.eq_ignore_ascii_case(b"hidden"))
    };
    match tag.name.as_bytes() {
        b"input" => !hidden(),
        name => matches!(
            name,
            b"applet"
                | b"area"
                | b"body"
                | b"br"
                | b"button"
                | b"dd"
                | b"dt"
                | b"embed"
                | b"hr"
                | b"iframe"
                | b"image"
                | b"img"
                | b"keygen"
                | b"li"
                | b"listing"
                | b"marquee"
                | b"object"
                | b"pre"
                | b"select"
                | b"table"
                | b"textarea"
                | b"wbr"
                | b"xmp"
        ),
    }
}

/// The tags that end foreign content.
///
/// # Standard
/// [HTML Standard, 13.2.6.5](https://html.spec.whatwg.org/#parsing-main-inforeign).
fn breaks_out(tag: &Tag) -> bool {
    const NAMES: &[&str] = &[
        "b",
        "big",
        "blockquote",
        "body",
        "br",
        "center",
        "code",
        "dd",
        "div",
        "dl",
        "dt",
        "em",
        "embed",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "hr",
        "i",
        "img",
        "li",
        "listing",
        "menu",
        "meta",
        "nobr",
        "ol",
        "p",
        "pre",
        "ruby",
        "s",
        "small",
        "span",
        "strong",
        "strike",
        "sub",
        "sup",
        "table",
        "tt",
        "u",
        "ul",
        "var",
    ];
    let name = tag.name.as_bytes();
    if tag.is_end {
        return matches!(name, b"br" | b"p");
    }
    NAMES.iter().any(|breaking| breaking.as_bytes() == name)
        || (name == b"font" && tag.font_attribute)
}

/// HTML integration points and MathML text integration points.
fn is_integration_point(tag: &Tag, namespace: Namespace) -> bool {
    match (namespace, tag.name.as_bytes()) {
        (Namespace::Svg, b"foreignobject" | b"desc" | b"title")
        | (Namespace::MathMl, b"mi" | b"mo" | b"mn" | b"ms" | b"mtext") => true,
        (Namespace::MathMl, b"annotation-xml") => tag.kind.as_deref().is_some_and(|encoding| {
            encoding.eq_ignore_ascii_case(b"text/html")
                || encoding.eq_ignore_ascii_case(b"application/xhtml+xml")
        }),
        _ => false,
    }
}

/// Where `<m` or `<M` stands. Blocks without one are passed over by a loop that compilers turn into wide instructions: a document has few,
/// and one pass of it is faster than a search for each case.
fn starts_like_meta(bytes: &[u8]) -> impl Iterator<Item = usize> {
    const BLOCK: usize = 256;
    let (firsts, _) = bytes.as_chunks::<BLOCK>();
    let (seconds, _) = bytes.get(1..).unwrap_or_default().as_chunks::<BLOCK>();
    let blocks = firsts.len().min(seconds.len());
    let one_has = |(_, (firsts, seconds)): &(usize, (&[u8; BLOCK], &[u8; BLOCK]))| {
        firsts
            .iter()
            .zip(seconds.iter())
            .fold(0, |any, (first, second)| {
                any | (u8::from(*first == b'<') & u8::from(second | 0x20 == b'm'))
            })
            != 0
    };
    firsts
        .iter()
        .zip(seconds)
        .enumerate()
        .filter(one_has)
        .flat_map(|(block, _)| block * BLOCK..(block + 1) * BLOCK)
        .chain(blocks * BLOCK..bytes.len())
        .filter(|&at| matches!(bytes.get(at..at + 2), Some(b"<m" | b"<M")))
}

/// How many bytes of tags [`may_declare`] reads before it leaves the question to the tokenizer.
const BUDGET: usize = 64 << 10;

/// False where no `<meta` in the bytes would speak of an encoding, wherever it stands: then no tokenizer needs to run.
///
/// A tag reads the same whatever stands before it, so each `<meta` is read as if it were one.
pub(crate) fn may_declare(bytes: &[u8]) -> bool {
    let mut budget = BUDGET;
    for start in starts_like_meta(bytes) {
        let rest = bytes.get(start..).unwrap_or_default();
        if !rest
            .get(..5)
            .is_some_and(|tag| tag.eq_ignore_ascii_case(b"<meta"))
        {
            continue;
        }
        let mut tokenizer = Tokenizer::new(Content::Data);
        let mut declares = false;
        tokenizer.feed(rest.get(..budget).unwrap_or(rest), &mut |_, tag| {
            declares = tag
                .meta
                .prescan_declaration(tag.at)
                .or(tag.meta.tree_declaration(tag.at))
                .is_some();
            Next::Stop
        });
        budget = budget.saturating_sub(tokenizer.position() as usize);
        if declares || budget == 0 {
            return true;
        }
    }
    false
}
