//! Step 8 of the encoding sniffing algorithm: guess the encoding of undeclared text.
//!
//! The standard leaves this step open. This detector rules out by structure, then compares how
//! likely the decoded text is in each language an encoding was made for.

mod candidates;
mod model;
mod score;
mod text;
mod tld;
mod unicode;

use crate::encoding::Encoding;

use candidates::Candidate;
pub use model::MODEL_VERSION;
pub use text::SCORED_BYTES;

/// What the detector thinks. A guess, never a certainty: it becomes one tentative clue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// The encoding that fits best.
    pub encoding: Encoding,
    /// The language in which it fits best, where one was scored.
    pub language: Option<&'static str>,
    /// Log-likelihood of the scored text in nats; `None` where structure alone decided.
    pub score: Option<f64>,
    /// The distance to the runner-up, in the unit of `score`.
    pub margin: Option<f64>,
    /// The second-best encoding.
    pub runner_up: Option<Encoding>,
    /// How often an answer like this one is right, measured on text that was not trained on.
    pub probability: f64,
}

/// One candidate with its standing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The candidate.
    pub encoding: Encoding,
    /// The language in which it fits best.
    pub language: &'static str,
    /// Log-likelihood in nats, relative to the best candidate (0).
    pub score: f64,
}

/// What the detector may use beside the bytes.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The top-level domain, or a domain that ends in it: `jp`, `рф`, `example.co.jp`.
    pub tld: Option<String>,
    /// A language tag (`lang` attribute, Content-Language): `ja`.
    pub lang: Option<String>,
    /// May the answer be UTF-8? Browsers never guess UTF-8 for pages from the network.
    pub allow_utf_8: bool,
    /// Which encodings may be answered.
    pub candidates: Candidates,
}

/// Which encodings the detector may answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Candidates {
    /// What the detectors of browsers answer. None of them has macintosh, x-mac-cyrillic, KOI8-R (they say KOI8-U) or
    /// ISO-8859-3, -10, -14, -15 and -16.
    Browsers,
    /// Every encoding of the Encoding Standard.
    #[default]
    Web,
}

/// Bytes kept of a document's head, for UTF-16.
const HEAD: usize = 1024;

/// A detector that is fed in chunks.
pub struct Detector {
    hints: Hints,
    sampler: text::Sampler,
    utf_8: unicode::Utf8,
    iso_2022_jp: Option<unicode::Iso2022Jp>,
    head: Vec<u8>,
    fed: u64,
    nuls: [u64; 2],
    other: bool,
}

impl Detector {
    /// A new detector.
    pub fn new(hints: Hints) -> Detector {
        Detector {
            hints,
            sampler: text::Sampler::new(),
            utf_8: unicode::Utf8::default(),
            iso_2022_jp: None,
            head: Vec::new(),
            fed: 0,
            nuls: [0; 2],
            other: false,
        }
    }

    /// Feeds the next bytes of the document. The cut between two chunks does not matter.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.head.len() < HEAD {
            let take = bytes.len().min(HEAD - self.head.len());
            self.head.extend_from_slice(&bytes[..take]);
        }
        self.controls(bytes);
        self.utf_8.feed(bytes);
        let mut rest = bytes;
        while !rest.is_empty() && !self.sampler.is_done() {
            let ascii = ascii_len(rest);
            if ascii > 0 {
                self.sampler.ascii(&rest[..ascii]);
                rest = &rest[ascii..];
            }
            let other = rest.iter().position(u8::is_ascii).unwrap_or(rest.len());
            if other > 0 {
                self.other = true;
                self.sampler.other(&rest[..other]);
                rest = &rest[other..];
            }
        }
        self.fed += bytes.len() as u64;
    }

    /// NUL and ESC: signs of UTF-16 and of ISO-2022-JP.
    fn controls(&mut self, bytes: &[u8]) {
        if let Some(iso) = &mut self.iso_2022_jp {
            iso.feed(bytes);
        } else if let Some(at) = memchr::memchr(0x1b, bytes) {
            let mut iso = unicode::Iso2022Jp::default();
            iso.feed(&bytes[at..]);
            self.iso_2022_jp = Some(iso);
        }
        for at in memchr::memchr_iter(0, bytes) {
            if self.nuls[0] + self.nuls[1] > 4096 {
                break;
            }
            self.nuls[(self.fed as usize + at) & 1] += 1;
        }
    }

    /// The answer for everything fed so far, read as the whole document. `None`: it does not know, or
    /// there is nothing to know because every byte is ASCII.
    pub fn finish(self) -> Option<Guess> {
        self.guess()
    }

    /// The same as [`Detector::finish`], for what has been fed up to now.
    pub fn guess(&self) -> Option<Guess> {
        self.rank().0
    }

    /// True when every byte fed so far is ASCII and there is no escape sequence that means more.
    pub fn is_ascii(&self) -> bool {
        !self.other
            && self.nuls == [0, 0]
            && !self
                .iso_2022_jp
                .as_ref()
                .is_some_and(unicode::Iso2022Jp::is_likely)
    }

    /// The answer, and every candidate that was scored, best first.
    pub fn rank(&self) -> (Option<Guess>, Vec<Ranked>) {
        if let Some(guess) = self.structure() {
            return (Some(guess), Vec::new());
        }
        // Text in UTF-8 that may not be called so: the caller's fallback decides.
        if !self.other || (!self.hints.allow_utf_8 && self.is_unicode()) {
            return (None, Vec::new());
        }
        let text = self.sampler.finish();
        let tld = self.hints.tld.as_deref().map(tld::country);
        let (tld, lang) = (tld.as_deref(), self.hints.lang.as_deref());
        let hinted = tld.is_some() || lang.is_some();
        let browsers = self.hints.candidates == Candidates::Browsers;
        let bonus = |candidate: Candidate, language: &str| {
            let by_domain = if browsers {
                tld::encoding_cost(tld, candidate)
            } else {
                0
            };
            tld::cost(tld, lang, language) + by_domain
        };
        let mut scored = score::score(&text, hinted.then_some(&bonus));
        score::prefer_common(&text, browsers, &mut scored);
        if browsers {
            // Latin text that only an encoding unknown to browsers explains is to them like no text at all.
            if scored
                .first()
                .is_some_and(|s| s.candidate.is_latin() && !s.candidate.is_in_browsers())
            {
                return (None, Vec::new());
            }
            scored.retain(|s| s.candidate.is_in_browsers());
        }
        let Some(best) = scored.first() else {
            return (None, Vec::new());
        };
        let nats = |cost: u32| f64::from(cost) / model::UNIT;
        let ranked: Vec<Ranked> = scored
            .iter()
            .map(|s| Ranked {
                encoding: s.candidate.encoding().into(),
                language: s.language,
                score: (nats(best.cost) - nats(s.cost)).max(-score::MOST_MARGIN),
            })
            .collect();
        let margin = scored
            .get(1)
            .map(|s| (nats(s.cost) - nats(best.cost)).min(score::MOST_MARGIN));
        let guess = Guess {
            encoding: best.candidate.encoding().into(),
            language: Some(best.language),
            score: Some(-nats(best.cost)),
            margin,
            runner_up: ranked.get(1).map(|r| r.encoding),
            probability: probability(margin.unwrap_or(score::MOST_MARGIN)),
        };
        (Some(guess), ranked)
    }

    fn is_unicode(&self) -> bool {
        self.utf_8.is_plausible() || unicode::utf_16(&self.head, self.nuls).is_some()
    }

    /// What structure alone settles.
    fn structure(&self) -> Option<Guess> {
        let sure = |encoding: &'static encoding_rs::Encoding, probability| {
            Some(Guess {
                encoding: encoding.into(),
                language: None,
                score: None,
                margin: None,
                runner_up: None,
                probability,
            })
        };
        // Over the network neither UTF-8 nor UTF-16 is ever guessed.
        let unicode = self.hints.allow_utf_8;
        match *self.head.as_slice() {
            [0xff, 0xfe, ..] if unicode => return sure(encoding_rs::UTF_16LE, 0.999),
            [0xfe, 0xff, ..] if unicode => return sure(encoding_rs::UTF_16BE, 0.999),
            _ => {}
        }
        if self.hints.allow_utf_8 && self.nuls == [0, 0] && self.utf_8.is_likely() {
            return sure(encoding_rs::UTF_8, 0.999);
        }
        if self
            .iso_2022_jp
            .as_ref()
            .is_some_and(unicode::Iso2022Jp::is_likely)
        {
            return sure(encoding_rs::ISO_2022_JP, 0.999);
        }
        if let (true, Some((encoding, _))) = (unicode, unicode::utf_16(&self.head, self.nuls)) {
            return sure(encoding, 0.98);
        }
        if self.hints.allow_utf_8 && self.utf_8.is_likely() {
            return sure(encoding_rs::UTF_8, 0.99);
        }
        None
    }
}

/// How often an answer with this margin decodes to the right text, measured on the open set (files,
/// windows of 64, 256 and 1024 bytes, pages). Margins near 0.5 are siblings that read the text alike.
fn probability(margin: f64) -> f64 {
    match margin {
        m if m < 0.2 => 0.5,
        m if m < 1.0 => 0.95,
        m if m < 8.0 => 0.975,
        m if m < 16.0 => 0.99,
        _ => 0.995,
    }
}

/// The length of the run of ASCII bytes at the start.
fn ascii_len(bytes: &[u8]) -> usize {
    let mut at = 0;
    for chunk in bytes.chunks_exact(32) {
        if !chunk.is_ascii() {
            break;
        }
        at += 32;
    }
    at + bytes[at..]
        .iter()
        .position(|b| !b.is_ascii())
        .unwrap_or(bytes.len() - at)
}
