//! What is worth scoring: the neighbourhood of the non-ASCII bytes, without markup.

/// At most this many bytes of a document are scored, however long it is.
///
/// The first `HEAD` come from the first informative text; the rest is kept for stretches that hold a
/// byte value which has hardly been seen, wherever in the document they are.
pub const SCORED_BYTES: usize = 2048;
const HEAD: usize = 1024;
/// Past this offset nothing is looked for any more, once the head is full.
pub(super) const SAMPLED_BYTES: usize = 8 * 1024;
/// ASCII bytes kept on either side of a non-ASCII byte.
const REACH: usize = 24;
/// How often a byte value must have been seen before it is no news.
const NEWS: u8 = 3;

/// Collects the informative text of a document that arrives in chunks.
pub(super) struct Sampler {
    text: Vec<u8>,
    /// The last bytes before the current one that are not in `text`, at most `REACH`.
    tail: Tail,
    /// How many more ASCII bytes the open stretch takes; 0: no stretch is open.
    open: usize,
    /// Is the next stretch the continuation of the last one?
    joined: bool,
    seen: [u8; 128],
    /// Length of the run of non-ASCII bytes so far.
    run: usize,
    /// Bytes read.
    at: usize,
}

#[derive(Clone, Copy)]
struct Tail {
    bytes: [u8; REACH],
    len: usize,
}

impl Tail {
    fn push(&mut self, byte: u8) -> bool {
        if self.len == REACH {
            self.bytes.copy_within(1.., 0);
            self.len -= 1;
            self.bytes[self.len] = byte;
            self.len += 1;
            return false;
        }
        self.bytes[self.len] = byte;
        self.len += 1;
        true
    }
}

#[inline]
fn is_cut(byte: u8) -> bool {
    byte == b'<' || byte == b'>'
}

impl Sampler {
    pub(super) fn new() -> Sampler {
        Sampler {
            text: Vec::new(),
            tail: Tail {
                bytes: [0; REACH],
                len: 0,
            },
            open: 0,
            joined: false,
            seen: [0; 128],
            run: 0,
            at: 0,
        }
    }

    /// Nothing that follows can change the sample.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.at >= SAMPLED_BYTES && self.text.len() >= HEAD
    }

    /// A run of ASCII bytes.
    pub(super) fn ascii(&mut self, mut run: &[u8]) {
        let late = self.at >= SAMPLED_BYTES;
        self.at += run.len();
        if self.run > REACH && self.open == 0 {
            // The tail begins inside a run: where a character of several bytes begins cannot be told.
            self.tail.len = 0;
            self.joined = false;
        }
        self.run = 0;
        if self.open > 0 {
            let room = if late {
                HEAD.saturating_sub(self.text.len())
            } else {
                usize::MAX
            };
            let take = run.len().min(self.open).min(room);
            if room <= take {
                self.text.extend_from_slice(&run[..take]);
                return;
            }
            let (now, _) = run.split_at(take);
            let cut = now.iter().position(|b| is_cut(*b));
            let now = &now[..cut.unwrap_or(now.len())];
            self.text.extend_from_slice(now);
            self.open -= now.len();
            run = &run[now.len()..];
            if cut.is_some() {
                self.open = 0;
                self.text.push(b' ');
            }
            if self.open > 0 {
                return;
            }
            self.tail.len = 0;
            self.joined = cut.is_none();
        }
        // Only the end of the run can matter.
        if run.len() > REACH {
            self.joined = false;
            self.tail.len = 0;
            run = &run[run.len() - REACH..];
        }
        for &b in run {
            if is_cut(b) {
                self.tail.len = 0;
                self.joined = false;
            } else if !self.tail.push(b) {
                self.joined = false;
            }
        }
    }

    /// A run of bytes that are not ASCII.
    pub(super) fn other(&mut self, run: &[u8]) {
        let mut rest = run;
        let before = self.at;
        self.at += run.len();
        if self.text.len() < HEAD {
            self.begin();
            let take = rest.len().min(HEAD.saturating_sub(self.text.len()));
            for b in &rest[..take] {
                self.count(*b);
            }
            self.text.extend_from_slice(&rest[..take]);
            self.open = REACH;
            self.run += take;
            rest = &rest[take..];
        }
        if self.text.len() + 2 * REACH > SCORED_BYTES {
            self.open = 0;
            return;
        }
        let start = before + run.len() - rest.len();
        for &b in rest.iter().take(SAMPLED_BYTES.saturating_sub(start)) {
            self.late(b);
        }
    }

    /// Past the head: only stretches with news are taken.
    fn late(&mut self, byte: u8) {
        self.run += 1;
        let news = self.count(byte);
        if self.open > 0 {
            self.text.push(byte);
            self.open = if news { REACH } else { self.open - 1 };
        } else if news && self.run <= REACH && self.text.len() + 2 * REACH <= SCORED_BYTES {
            self.begin();
            self.text.push(byte);
            self.open = REACH;
        } else if !self.tail.push(byte) {
            self.joined = false;
        }
    }

    /// Counts a byte value; true while it is news.
    #[inline]
    fn count(&mut self, byte: u8) -> bool {
        let seen = &mut self.seen[usize::from(byte & 0x7f)];
        let news = *seen < NEWS;
        *seen = seen.saturating_add(1);
        news
    }

    fn begin(&mut self) {
        if self.open == 0 {
            if !self.joined && !self.text.is_empty() {
                self.text.push(b'\n');
            }
            let tail = self.tail;
            self.text.extend_from_slice(&tail.bytes[..tail.len]);
            self.tail.len = 0;
            self.joined = true;
        }
    }

    /// The text to score: white space squeezed, character references dropped.
    pub(super) fn finish(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.text.len() + 1);
        let mut rest: &[u8] = &self.text;
        while let Some((&b, after)) = rest.split_first() {
            rest = after;
            let b = match b {
                b' ' | b'\n' | b'\r' | b'\t' | 0x0c => b' ',
                b'&' => match reference(after) {
                    Some(len) => {
                        rest = &after[len..];
                        b' '
                    }
                    None => b'&',
                },
                b => b,
            };
            if b != b' ' || out.last() != Some(&b' ') {
                out.push(b);
            }
        }
        out
    }
}

/// The length of a character reference after its `&`.
fn reference(text: &[u8]) -> Option<usize> {
    let end = text.iter().take(9).position(|b| *b == b';')?;
    let name = &text[..end];
    (end > 0 && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'#')).then_some(end + 1)
}
