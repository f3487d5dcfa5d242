//! [`Indices`]: indices and offsets that are to be written.

use std::ops::Range;

use crate::check;
use crate::error::Error;
use crate::rows::Rows;

/// Indices or offsets of either width. The format has only 64-bit ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indices<'a> {
    /// 32-bit numbers, which are widened when they are written.
    U32(&'a [u32]),
    /// 64-bit numbers.
    U64(&'a [u64]),
}

impl Indices<'_> {
    pub(super) fn len(self) -> u64 {
        match self {
            Self::U32(indices) => indices.len() as u64,
            Self::U64(indices) => indices.len() as u64,
        }
    }

    pub(super) fn get(self, i: usize) -> u64 {
        match self {
            Self::U32(indices) => u64::from(indices[i]),
            Self::U64(indices) => indices[i],
        }
    }

    pub(super) fn check_offsets(
        self,
        entry: &str,
        end: u64,
        what: &'static str,
    ) -> Result<(), Error> {
        match self {
            Self::U32(offsets) => check::offsets(entry, offsets, end, what),
            Self::U64(offsets) => check::offsets(entry, offsets, end, what),
        }
    }

    pub(super) fn check_below(
        self,
        entry: &str,
        limit: u64,
        what: &'static str,
    ) -> Result<(), Error> {
        match self {
            Self::U32(indices) => check::below(entry, indices, limit, what),
            Self::U64(indices) => check::below(entry, indices, limit, what),
        }
    }
}

/// Indices as offsets, of which there is one more than there are rows.
impl Rows for Indices<'_> {
    fn count(&self) -> u64 {
        self.len().saturating_sub(1)
    }

    #[inline]
    fn range(&self, row: u64) -> Range<u64> {
        self.get(row as usize)..self.get(row as usize + 1)
    }
}

impl<'a> From<&'a [u32]> for Indices<'a> {
    fn from(indices: &'a [u32]) -> Self {
        Self::U32(indices)
    }
}

impl<'a> From<&'a [u64]> for Indices<'a> {
    fn from(indices: &'a [u64]) -> Self {
        Self::U64(indices)
    }
}
