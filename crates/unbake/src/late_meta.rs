//! `<meta>` elements as the tree builder meets them: what triggers "change the encoding".
//!
//! Tags come from the tokenizer; of tree construction only what decides whether a `<meta>` is handled by the
//! rules of "in head" is kept: foreign content (SVG, MathML), and framesets, which ignore it.

use memchr::memmem;

use crate::meta::MetaDeclaration;
use crate::tag::Tag;
use crate::tokenizer::{Content, Next, Tokenizer};

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
    /// The namespaces that were entered, innermost last; empty is HTML.
    namespaces: Vec<Namespace>,
    body: bool,
    frameset: bool,
}

/// Deeper nesting of foreign elements than this is not followed: memory stays bounded.
const NAMESPACES_LIMIT: usize = 512;

impl LateMeta {
    /// A search for the first declaration.
    pub(crate) fn new() -> LateMeta {
        LateMeta {
            tokenizer: Tokenizer::new(Content::Data),
            tree: Tree {
                namespaces: Vec::new(),
                body: false,
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
            let html = tree.leave_foreign_content(tag) && !tag.is_end;
            if let Some(declaration) = tree.on_tag(tag) {
                if *keep_all {
                    all.push(declaration);
                } else if declaration.counts() {
                    *found = Some(declaration);
                    return Next::Stop;
                }
            }
            tokenizer.cdata_allowed = tree.is_foreign();
            let name = tag.name.as_bytes();
            Next::Go(if html {
                Content::of_element(name)
            } else {
                Content::Data
            })
        });
    }
}

impl Tree {
    fn current(&self) -> Namespace {
        self.namespaces.last().copied().unwrap_or(Namespace::Html)
    }

    fn is_foreign(&self) -> bool {
        self.current() != Namespace::Html
    }

    fn enter(&mut self, namespace: Namespace) {
        if self.namespaces.len() < NAMESPACES_LIMIT {
            self.namespaces.push(namespace);
        }
    }

    /// Leaves foreign content where a start tag breaks out of it; answers whether the tag is handled as HTML.
    fn leave_foreign_content(&mut self, tag: &Tag) -> bool {
        if self.is_foreign() && !tag.is_end && breaks_out(tag) {
            while self.is_foreign() {
                self.namespaces.pop();
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
            if !tag.self_closing {
                match (name, self.current()) {
                    (b"svg", _) => self.enter(Namespace::Svg),
                    (b"math", _) => self.enter(Namespace::MathMl),
                    (_, current) if is_integration_point(tag, current) => {
                        self.enter(Namespace::Html);
                    }
                    _ => {}
                }
            }
            return None;
        }
        match name {
            b"svg" if !tag.self_closing => self.enter(Namespace::Svg),
            b"math" if !tag.self_closing => self.enter(Namespace::MathMl),
            b"frameset" if !self.body => self.frameset = true,
            b"meta" if !self.frameset => return tag.meta.tree_declaration(tag.at),
            _ => {}
        }
        self.body |= !matches!(
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
        );
        None
    }

    fn end_tag(&mut self, name: &[u8]) {
        match (self.current(), name) {
            (Namespace::Svg, b"svg") | (Namespace::MathMl, b"math") => {
                self.namespaces.pop();
            }
            (Namespace::Html, _) => {
                // The end tag of the integration point itself leaves it.
                let outer = self
                    .namespaces
                    .len()
                    .checked_sub(2)
                    .and_then(|at| self.namespaces.get(at))
                    .copied();
                let leaves = match outer {
                    Some(Namespace::Svg) => matches!(name, b"foreignobject" | b"desc" | b"title"),
                    Some(Namespace::MathMl) => matches!(
                        name,
                        b"mi" | b"mo" | b"mn" | b"ms" | b"mtext" | b"annotation-xml"
                    ),
                    _ => false,
                };
                if leaves {
                    self.namespaces.pop();
                }
            }
            _ => {}
        }
    }
}

/// The start tags that end foreign content.
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
    NAMES.iter().any(|breaking| breaking.as_bytes() == name)
        || (name == b"font" && tag.font_attribute)
}

/// HTML integration points and MathML text integration points.
fn is_integration_point(tag: &Tag, namespace: Namespace) -> bool {
    match (namespace, tag.name.as_bytes()) {
        (Namespace::Svg, b"foreignobject" | b"desc" | b"title")
        | (Namespace::MathMl, b"mi" | b"mo" | b"mn" | b"ms" | b"mtext") => true,
        (Namespace::MathMl, b"annotation-xml") => tag.encoding.as_deref().is_some_and(|encoding| {
            encoding.eq_ignore_ascii_case(b"text/html")
                || encoding.eq_ignore_ascii_case(b"application/xhtml+xml")
        }),
        _ => false,
    }
}

/// How many bytes of tags [`may_declare`] reads before it leaves the question to the tokenizer.
const BUDGET: usize = 64 << 10;

/// False where no `<meta` in the bytes would speak of an encoding, wherever it stands: then no tokenizer needs to run.
///
/// A tag reads the same whatever stands before it, so each `<meta` is read as if it were one.
pub(crate) fn may_declare(bytes: &[u8]) -> bool {
    let mut budget = BUDGET;
    // Two searches for two bytes each are faster than one that ignores case.
    let starts = memmem::find_iter(bytes, b"<m").chain(memmem::find_iter(bytes, b"<M"));
    for start in starts {
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
