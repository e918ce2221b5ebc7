//! What browsers do instead of the prescan: a tokenizer over the head.
//!
//! Recorded from Chromium, Firefox and WebKit: only real `<meta>` start tags count, wherever the head goes on;
//! outside the head a tag that starts at byte 1024 or later is not looked at.
//!
//! # Standard
//! None: this is the behaviour that [whatwg/html#6962](https://github.com/whatwg/html/issues/6962) asks to standardise.

use crate::meta::MetaDeclaration;
use crate::prescan::PRESCAN_WINDOW;
use crate::tag::Tag;
use crate::tokenizer::{Content, Next, Tokenizer};

/// How far a tag that starts within the window is followed past its end.
const TAG_TAIL: usize = (64 << 10) - PRESCAN_WINDOW;

/// The scan, resumable at any byte.
#[derive(Clone, Debug)]
pub(crate) struct HeadScan {
    tokenizer: Tokenizer,
    in_head: bool,
    /// Every `<meta>` that speaks of an encoding, in order. The first that counts is the answer.
    pub(crate) metas: Vec<MetaDeclaration>,
    /// Has one been found that counts?
    pub(crate) found: bool,
}

impl HeadScan {
    pub(crate) fn new() -> HeadScan {
        HeadScan {
            tokenizer: Tokenizer::new(Content::Data),
            in_head: true,
            metas: Vec::new(),
            found: false,
        }
    }

    /// True where no later byte can change the answer.
    pub(crate) fn is_done(&self) -> bool {
        self.found || self.tokenizer.is_stopped()
    }

    /// Scans the next bytes; returns at once when the scan has ended.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let HeadScan {
            tokenizer,
            in_head,
            metas,
            found,
        } = self;
        tokenizer.feed(bytes, &mut |_, tag| on_tag(tag, in_head, metas, found));
    }

    /// The scan of a whole document, or of what has come of it.
    pub(crate) fn of(bytes: &[u8]) -> HeadScan {
        let mut scan = HeadScan::new();
        scan.feed(bytes);
        scan
    }

    /// True where the bytes end within a tag.
    pub(crate) fn is_cut(&self) -> bool {
        self.tokenizer.is_in_tag() && !self.tokenizer.is_stopped()
    }

    /// Scans the first 1024 bytes, for clues alone, of a document whose encoding is decided.
    pub(crate) fn of_window(bytes: &[u8]) -> HeadScan {
        let mut scan = HeadScan::new();
        let (window, tail) = bytes
            .split_at_checked(PRESCAN_WINDOW)
            .unwrap_or((bytes, &[]));
        scan.feed(window);
        if scan.is_cut() {
            scan.in_head = false;
            scan.feed(tail.get(..TAG_TAIL).unwrap_or(tail));
        }
        scan
    }
}

fn on_tag(
    tag: &Tag,
    in_head: &mut bool,
    metas: &mut Vec<MetaDeclaration>,
    found: &mut bool,
) -> Next {
    // Past the window, tags count only while none but head tags were seen; and once a declaration counts,
    // the others are looked at within the window alone.
    let window = PRESCAN_WINDOW as u64;
    if tag.at.0 >= window && (!*in_head || *found) {
        return Next::Stop;
    }
    let name = tag.name.as_bytes();
    if name == b"meta"
        && !tag.is_end
        && let Some(declaration) = tag.meta.prescan_declaration(tag.at)
    {
        *found |= declaration.counts();
        metas.push(declaration);
    }
    let start_only = !tag.is_end && matches!(name, b"html" | b"head");
    if !start_only
        && !matches!(
            name,
            b"script" | b"noscript" | b"style" | b"link" | b"meta" | b"object" | b"title" | b"base"
        )
    {
        *in_head = false;
    }
    if tag.at.1 >= window && (!*in_head || *found) {
        return Next::Stop;
    }
    Next::Go(if tag.is_end {
        Content::Data
    } else {
        Content::of_element(name)
    })
}
