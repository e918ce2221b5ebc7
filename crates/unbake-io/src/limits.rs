//! [`Limits`]: caps against decompression bombs.

/// Caps on what one body may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest decoded body; what follows is dropped and noted.
    ///
    /// # Units
    /// Bytes.
    pub max_body: usize,
    /// How many times longer than its coded form a decoded body may be, once it is longer than
    /// [`Limits::RATIO_FREE`].
    pub max_ratio: usize,
}

impl Limits {
    /// Bodies up to this length may have any ratio: a short page of spaces is no bomb.
    ///
    /// # Units
    /// Bytes.
    pub const RATIO_FREE: usize = 4 << 20;
}

impl Default for Limits {
    /// 64 MiB, and 300 times: deflate can reach 1032, pages rarely reach 50.
    fn default() -> Limits {
        Limits {
            max_body: 64 << 20,
            max_ratio: 300,
        }
    }
}
