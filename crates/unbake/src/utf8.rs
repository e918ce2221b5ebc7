//! Is it UTF-8? Whole, or in chunks.

/// What the bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Utf8State {
    /// Nothing above 7F.
    Ascii,
    /// Valid UTF-8 with something above 7F.
    Valid,
    Invalid,
}

impl Utf8State {
    /// The state, and the text where there is one.
    pub(crate) fn of(bytes: &[u8]) -> (Utf8State, Option<&str>) {
        match simdutf8::basic::from_utf8(bytes) {
            Ok(text) if text.is_ascii() => (Utf8State::Ascii, Some(text)),
            Ok(text) => (Utf8State::Valid, Some(text)),
            Err(_) => (Utf8State::Invalid, None),
        }
    }
}

/// Where U+0080 to U+009F stand in UTF-8: the offsets of C2 80 to C2 9F.
pub(crate) fn c1_controls(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    memchr::memchr_iter(0xC2, bytes).filter(|at| {
        bytes
            .get(at + 1)
            .is_some_and(|next| matches!(next, 0x80..=0x9F))
    })
}

/// The same question, asked of chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Utf8Check {
    invalid: bool,
    non_ascii: bool,
    escape_or_nul: bool,
    /// The bytes of a character that the last chunk cut.
    cut: Vec<u8>,
}

impl Utf8Check {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.non_ascii |= !bytes.is_ascii();
        if !self.non_ascii && !self.escape_or_nul {
            self.escape_or_nul = memchr::memchr2(0x1B, 0, bytes).is_some();
        }
        if self.invalid || (!self.non_ascii && self.cut.is_empty()) {
            return;
        }
        let mut rest = bytes;
        // Complete the cut character, a byte at a time.
        while let ([_, ..], [next, after @ ..]) = (self.cut.as_slice(), rest) {
            self.cut.push(*next);
            rest = after;
            match core::str::from_utf8(&self.cut) {
                Ok(_) => self.cut.clear(),
                Err(error) if error.error_len().is_some() => self.invalid = true,
                Err(_) => {}
            }
            if self.invalid {
                return;
            }
        }
        if let Err(error) = simdutf8::compat::from_utf8(rest) {
            if error.error_len().is_some() {
                self.invalid = true;
            } else {
                self.cut
                    .extend_from_slice(rest.get(error.valid_up_to()..).unwrap_or_default());
            }
        }
    }

    /// The state of what was fed; `complete`: nothing follows, so a cut character is an error.
    pub(crate) fn state(&self, complete: bool) -> Utf8State {
        match (
            self.invalid || (complete && !self.cut.is_empty()),
            self.non_ascii,
        ) {
            (true, _) => Utf8State::Invalid,
            (false, true) => Utf8State::Valid,
            (false, false) => Utf8State::Ascii,
        }
    }

    /// Did an ESC or a NUL occur before the first byte above 7F?
    pub(crate) fn has_escape_or_nul(&self) -> bool {
        self.escape_or_nul
    }
}
