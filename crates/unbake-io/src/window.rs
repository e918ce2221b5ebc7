//! [`Window`]: the decompressed bytes that are being looked at, and the borders that fell among them.

use std::collections::VecDeque;
use std::io;

use crate::error::Error;
use crate::members::{Format, Members, Step};

/// A border of the stored file, at a position of the decompressed stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Border {
    /// Position in the decompressed stream.
    pub(crate) at: u64,
    /// Offset in the stored file.
    pub(crate) offset: u64,
    /// Does a member start here (or end)?
    pub(crate) start: bool,
}

/// Why no more bytes came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The file ends.
    Eof,
    /// Damage waits in [`Window::take_damage`].
    Damage,
}

/// What one attempt to get more brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum More {
    Bytes,
    Border,
    Stop(Stop),
}

pub(crate) struct Window<'a> {
    members: Members<'a>,
    bytes: Vec<u8>,
    /// Index of the first byte that is not yet dealt with.
    start: usize,
    /// Position in the decompressed stream of `bytes[0]`.
    base: u64,
    borders: VecDeque<Border>,
    /// The last member start at or before `start`.
    member: Border,
    damage: Option<Error>,
    stop: Option<Stop>,
}

impl<'a> Window<'a> {
    /// Positions begin at `offset`, so that in a plain file they are its offsets.
    pub(crate) fn new(members: Members<'a>, offset: u64) -> Window<'a> {
        Window {
            members,
            bytes: Vec::new(),
            start: 0,
            base: offset,
            borders: VecDeque::new(),
            member: Border {
                at: offset,
                offset,
                start: true,
            },
            damage: None,
            stop: None,
        }
    }

    pub(crate) fn format(&self) -> Format {
        self.members.format()
    }

    /// Offset in the stored file up to which has been read.
    pub(crate) fn stored_offset(&self) -> u64 {
        self.members.offset()
    }

    /// See [`Members::set_dictionary`].
    pub(crate) fn set_dictionary(&mut self, stored: &[u8]) {
        self.members.set_dictionary(stored);
    }

    /// The bytes not yet dealt with.
    pub(crate) fn rest(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Position in the decompressed stream of the first of them.
    pub(crate) fn position(&self) -> u64 {
        self.base + self.start as u64
    }

    /// The member in which [`Window::position`] lies.
    pub(crate) fn member(&self) -> Border {
        self.member
    }

    /// Passes over `n` bytes.
    pub(crate) fn advance(&mut self, n: usize) {
        self.start = (self.start + n).min(self.bytes.len());
        let position = self.position();
        while let Some(border) = self.borders.front().copied() {
            if border.at > position {
                break;
            }
            if border.start {
                self.member = border;
            } else if border.at == position {
                // An end at this very place still says how long the record before it is.
                break;
            }
            self.borders.pop_front();
        }
    }

    /// Forgets the bytes passed over; keeps the window small.
    pub(crate) fn compact(&mut self) {
        self.advance(0);
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.base += self.start as u64;
            self.start = 0;
        }
    }

    /// Drops an end that stands at the current position, so that the member after it can be entered.
    pub(crate) fn pass_border(&mut self) {
        let position = self.position();
        while self.borders.front().is_some_and(|b| b.at <= position) {
            if let Some(border) = self.borders.pop_front()
                && border.start
            {
                self.member = border;
            }
        }
    }

    /// The first border after the current position, or at `from` bytes beyond it or later.
    pub(crate) fn next_start(&self, from: u64) -> Option<Border> {
        self.borders
            .iter()
            .find(|b| b.start && b.at >= from)
            .copied()
    }

    /// The end of a member exactly at this position of the stream.
    pub(crate) fn end_at(&self, position: u64) -> Option<Border> {
        self.borders
            .iter()
            .find(|b| !b.start && b.at == position)
            .copied()
    }

    /// Gets more.
    pub(crate) fn more(&mut self) -> io::Result<More> {
        if let Some(stop) = self.stop {
            return Ok(More::Stop(stop));
        }
        let step = self.members.step(&mut self.bytes)?;
        let at = self.base + self.bytes.len() as u64;
        match step {
            Step::Data => Ok(More::Bytes),
            Step::Start(offset) => {
                self.borders.push_back(Border {
                    at,
                    offset,
                    start: true,
                });
                Ok(More::Border)
            }
            Step::End(offset) => {
                self.borders.push_back(Border {
                    at,
                    offset,
                    start: false,
                });
                Ok(More::Border)
            }
            Step::Damage(error) => {
                self.damage = Some(error);
                self.stop = Some(Stop::Damage);
                Ok(More::Stop(Stop::Damage))
            }
            Step::Eof => {
                self.stop = Some(Stop::Eof);
                Ok(More::Stop(Stop::Eof))
            }
        }
    }

    /// Gets more until `n` bytes are there; the reason where that cannot be.
    pub(crate) fn fill(&mut self, n: usize) -> io::Result<Option<Stop>> {
        while self.rest().len() < n {
            if let More::Stop(stop) = self.more()? {
                return Ok(Some(stop));
            }
        }
        Ok(None)
    }

    /// Is damage waiting?
    pub(crate) fn damaged(&self) -> bool {
        self.damage.is_some()
    }

    /// Drops every byte before the damage and lets reading go on after it.
    pub(crate) fn take_damage(&mut self) -> Option<Error> {
        let error = self.damage.take()?;
        let n = self.rest().len();
        self.advance(n);
        self.pass_border();
        self.compact();
        self.stop = None;
        Some(error)
    }

    /// After a failure of the operating system nothing more can be read.
    pub(crate) fn close(&mut self) {
        self.bytes.clear();
        self.start = 0;
        self.borders.clear();
        self.damage = None;
        self.stop = Some(Stop::Eof);
    }

    /// Hands out the next `n` bytes as a vector of their own, without copying them where they are most
    /// of the window. `spare` becomes the new window.
    pub(crate) fn take(&mut self, n: usize, mut spare: Vec<u8>) -> Vec<u8> {
        spare.clear();
        let end = (self.start + n).min(self.bytes.len());
        if self.start == 0 && self.bytes.len() - end <= n {
            spare.extend_from_slice(self.bytes.get(end..).unwrap_or_default());
            let mut taken = std::mem::replace(&mut self.bytes, spare);
            taken.truncate(end);
            self.base += end as u64;
            self.advance(0);
            taken
        } else {
            spare.extend_from_slice(self.bytes.get(self.start..end).unwrap_or_default());
            self.advance(n);
            spare
        }
    }
}
