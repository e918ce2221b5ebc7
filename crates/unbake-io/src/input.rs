//! [`Input`]: the stored bytes of one archive, read in order, with a short memory.
//!
//! When a compressed member turns out to be damaged, the decompressor has usually read on into the
//! member after it. The next member can only be found by looking again at bytes already consumed, so
//! the input keeps what was consumed since a mark, up to [`MEMORY`].

use std::io::{self, Read};

/// How many consumed bytes since the mark are kept, at most.
///
/// # Units
/// Bytes. A decompressor that runs on into foreign bytes fails within a few kilobytes; a stored
/// block can carry it 64 KiB further. One mebibyte is sixteen such blocks.
pub(crate) const MEMORY: usize = 1 << 20;

/// How much is asked of the operating system at once.
const READ: usize = 128 * 1024;

pub(crate) struct Input<'a> {
    reader: Box<dyn Read + Send + 'a>,
    buffer: Vec<u8>,
    /// Index of the first byte not yet consumed.
    start: usize,
    /// Index of the first byte that is kept.
    mark: usize,
    /// Offset in the file of `buffer[0]`.
    base: u64,
    eof: bool,
}

impl<'a> Input<'a> {
    pub(crate) fn new(reader: Box<dyn Read + Send + 'a>, offset: u64) -> Input<'a> {
        Input {
            reader,
            buffer: Vec::with_capacity(2 * READ),
            start: 0,
            mark: 0,
            base: offset,
            eof: false,
        }
    }

    /// Offset in the file of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// The bytes that have been read and not consumed.
    pub(crate) fn available(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    pub(crate) fn consume(&mut self, n: usize) {
        self.start = (self.start + n).min(self.buffer.len());
    }

    /// Keeps everything from here on, as far as [`MEMORY`] goes.
    pub(crate) fn set_mark(&mut self) {
        self.mark = self.start;
    }

    /// Goes back to `offset`, or to the oldest byte that is still there.
    pub(crate) fn rewind_to(&mut self, offset: u64) {
        let oldest = self.base + self.mark as u64;
        let index = (offset.max(oldest) - self.base) as usize;
        self.start = index.min(self.start);
    }

    /// True once the last byte has been read from the source and consumed.
    pub(crate) fn at_end(&self) -> bool {
        self.eof && self.start >= self.buffer.len()
    }

    /// Reads until at least `want` bytes are available or the source ends; answers how many are.
    pub(crate) fn fill(&mut self, want: usize) -> io::Result<usize> {
        while !self.eof && self.available().len() < want {
            self.make_room();
            let mut piece = (&mut self.reader).take(READ as u64);
            // `read_to_end` grows the vector without first filling it with zeros.
            match piece.read_to_end(&mut self.buffer) {
                Ok(0) => self.eof = true,
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.eof = true;
                    return Err(e);
                }
            }
        }
        Ok(self.available().len())
    }

    fn make_room(&mut self) {
        let keep = self.mark.max(self.start.saturating_sub(MEMORY));
        self.mark = keep;
        if keep > 0 && self.buffer.capacity() - self.buffer.len() < READ {
            self.buffer.drain(..keep);
            self.base += keep as u64;
            self.start -= keep;
            self.mark = 0;
        }
    }
}
