//! What browsers do instead of the prescan: a tokenizer over the head.
//!
//! Recorded from Chromium, Firefox and WebKit: only real `<meta>` start tags count, wherever the head goes on;
//! outside the head a tag that starts at byte 1024 or later is not looked at.
//!
//! # Standard
//! None: this is the behaviour that [whatwg/html#6962](https://github.com/whatwg/html/issues/6962) asks to standardise.

use memchr::memrchr_iter;

use crate::meta::{META_LIMIT, MetaDeclaration};
use crate::prescan::PRESCAN_WINDOW;
use crate::tag::Tag;
use crate::tokenizer::Tokenizer;
use crate::tokenizer_state::{Content, Next};

/// How far a tag that starts within the window is followed, for its clue alone: as far as a stream keeps its start.
const TAG_REACH: usize = 64 << 10;

/// The scan, resumable at any byte.
#[derive(Clone, Debug)]
pub(crate) struct HeadScan {
    tokenizer: Tokenizer,
    in_head: bool,
    /// The encoding is decided already: clues alone are wanted.
    decided: bool,
    /// Where the last `<meta` of the window starts, if that is known: after it nothing is left to see.
    last_meta: u64,
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
            decided: false,
            last_meta: u64::MAX,
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
            decided,
            last_meta,
            metas,
            found,
        } = self;
        tokenizer.feed(bytes, &mut |_, tag| {
            let next = on_tag(tag, in_head, *decided, metas, found);
            let nothing_left = (*decided || *found) && tag.at.0 >= *last_meta;
            if nothing_left { Next::Stop } else { next }
        });
    }

    /// The scan of a whole document, or of what has come of it.
    pub(crate) fn of(bytes: &[u8]) -> HeadScan {
        let mut scan = HeadScan {
            last_meta: last_meta(bytes).unwrap_or(0),
            ..HeadScan::new()
        };
        scan.feed(bytes);
        scan
    }

    /// True where the bytes end within a tag.
    pub(crate) fn is_cut(&self) -> bool {
        self.tokenizer.is_in_tag() && !self.tokenizer.is_stopped()
    }

    /// Scans the first 1024 bytes, for clues alone, of a document whose encoding is decided.
    pub(crate) fn of_window(bytes: &[u8]) -> HeadScan {
        let mut scan = HeadScan {
            decided: true,
            ..HeadScan::new()
        };
        let Some(last) = last_meta(bytes) else {
            return scan;
        };
        scan.last_meta = last;
        let (window, tail) = bytes
            .split_at_checked(PRESCAN_WINDOW)
            .unwrap_or((bytes, &[]));
        scan.feed(window);
        // Reads a tag that the window cuts to its end.
        if scan.is_cut() {
            scan.feed(tail.get(..TAG_REACH - PRESCAN_WINDOW).unwrap_or(tail));
        }
        scan
    }
}

/// Where the last `<meta` that starts within the window starts. Where the bytes end before that is known: the last offset there is.
fn last_meta(bytes: &[u8]) -> Option<u64> {
    // A name that starts on the last byte of the window ends four bytes past it.
    let searched = bytes.get(..PRESCAN_WINDOW + 4).unwrap_or(bytes);
    let end = searched.get(searched.len().saturating_sub(4)..)?;
    if searched.len() < PRESCAN_WINDOW + 4 && end.contains(&b'<') {
        return Some(u64::MAX);
    }
    memrchr_iter(b'<', searched)
        .find(|&at| {
            searched
                .get(at..at + 5)
                .is_some_and(|tag| tag.eq_ignore_ascii_case(b"<meta"))
        })
        .map(|at| at as u64)
}

fn on_tag(
    tag: &Tag,
    in_head: &mut bool,
    decided: bool,
    metas: &mut Vec<MetaDeclaration>,
    found: &mut bool,
) -> Next {
    // Past the window, tags count only while none but head tags were seen; and once the encoding is decided,
    // the others are looked at within the window alone.
    let window = PRESCAN_WINDOW as u64;
    let too_long = tag.at.1 > TAG_REACH as u64 && (*found || decided);
    if too_long || (tag.at.0 >= window && (!*in_head || *found || decided)) {
        return Next::Stop;
    }
    let name = tag.name.as_bytes();
    let declaration = if name == b"meta" && !tag.is_end {
        tag.meta.prescan_declaration(tag.at)
    } else {
        None
    };
    if let Some(declaration) = declaration {
        let first = !*found && declaration.counts();
        *found |= first;
        if first || metas.len() < META_LIMIT {
            metas.push(declaration);
        }
    }
    let start_only = !tag.is_end && matches!(name, b"html" | b"head");
    let head = matches!(
        name,
        b"script" | b"noscript" | b"style" | b"link" | b"meta" | b"object" | b"title" | b"base"
    );
    *in_head &= start_only || head;
    if tag.at.1 >= window && (!*in_head || *found || decided) {
        return Next::Stop;
    }
    Next::Go(if tag.is_end {
        Content::Data
    } else {
        Content::of_element(name)
    })
}
