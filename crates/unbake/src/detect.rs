//! Step 8 of the encoding sniffing algorithm: guess the encoding of undeclared text.
//!
//! The standard leaves this step open. Until unbake has a detector of its own, chardetng (Firefox's
//! detector) answers here.

use crate::encoding::Encoding;

/// What the detector thinks. A guess, never a certainty: it becomes one tentative clue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// The encoding that fits best.
    pub encoding: Encoding,
    /// How well it fits; `None` where the detector does not say.
    pub score: Option<f64>,
    /// The distance to the runner-up, in the unit of `score`.
    pub margin: Option<f64>,
    /// The second-best encoding.
    pub runner_up: Option<Encoding>,
}

/// What the detector may use beside the bytes.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// The top-level domain, lower case, without a dot: `jp`.
    pub tld: Option<String>,
    /// A language tag (`lang` attribute, Content-Language): `ja`.
    pub lang: Option<String>,
    /// May the answer be UTF-8? Browsers never guess UTF-8 for pages from the network.
    pub allow_utf_8: bool,
}

/// A detector that is fed in chunks.
pub struct Detector {
    inner: chardetng::EncodingDetector,
    hints: Hints,
}

impl Detector {
    /// A new detector.
    pub fn new(hints: Hints) -> Detector {
        Detector {
            inner: chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow),
            hints,
        }
    }

    /// Feeds the next bytes of the document. The cut between two chunks does not matter.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.inner.feed(bytes, false);
    }

    /// The answer for everything fed so far, read as the whole document. `None`: it does not know.
    pub fn guess(&self) -> Option<Guess> {
        let utf_8 = if self.hints.allow_utf_8 {
            chardetng::Utf8Detection::Allow
        } else {
            chardetng::Utf8Detection::Deny
        };
        let tld = self.hints.tld.as_deref().map(str::as_bytes);
        let encoding = self.inner.guess(tld, utf_8);
        Some(Guess {
            encoding: encoding.into(),
            score: None,
            margin: None,
            runner_up: None,
        })
    }
}
