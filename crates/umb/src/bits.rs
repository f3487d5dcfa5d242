//! Sets of states, choices or branches, with one bit for each element.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::numbers;

/// A set of numbers below a bound: bit `i % 64` of word `i / 64` says whether `i` is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bits<'a> {
    words: Cow<'a, [u64]>,
    len: u64,
}

impl<'a> Bits<'a> {
    /// Returns the set of all `i` below `len` for which `contains(i)` holds.
    #[must_use]
    pub fn from_fn(len: u64, mut contains: impl FnMut(u64) -> bool) -> Self {
        let word = |first: u64| {
            let last = (first + 64).min(len);
            (first..last).fold(0, |word, i| word | u64::from(contains(i)) << (i - first))
        };
        Self {
            words: (0..len).step_by(64).map(word).collect(),
            len,
        }
    }

    /// Returns the set of these members. Members that are not below `len` are left out.
    #[must_use]
    pub fn from_members(len: u64, members: &[u64]) -> Self {
        let mut words = vec![0; len.div_ceil(64) as usize];
        for &member in members.iter().filter(|&&member| member < len) {
            words[(member / 64) as usize] |= 1 << (member % 64);
        }
        let words = words.into();
        Self { words, len }
    }

    /// Returns the empty set of numbers below `len`.
    pub(crate) fn none(len: u64) -> Self {
        Self::from_members(len, &[])
    }

    /// Reads the bits of an entry.
    pub(crate) fn read(
        entry: &str,
        bytes: &'a [u8],
        len: u64,
        what: &'static str,
    ) -> Result<Self, Error> {
        let count = len.div_ceil(64);
        if bytes.len() as u64 != count.saturating_mul(8) {
            let kind = ErrorKind::EntrySize {
                found: bytes.len() as u64,
                expected: u128::from(count) * 8,
                count: len,
                what,
            };
            return Err(Error::in_entry(entry, kind));
        }
        let words = numbers::cast::<u64>(bytes);
        let padding = match (len % 64, words.last()) {
            (used @ 1.., Some(last)) => last >> used << used,
            _ => 0,
        };
        if padding != 0 {
            let bit = (count - 1) * 64 + u64::from(padding.trailing_zeros());
            return Err(Error::at(
                entry,
                bit as usize,
                ErrorKind::PaddingBit { len },
            ));
        }
        Ok(Self { words, len })
    }

    /// Returns the bound: all members are below it.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether the bound is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether `i` is a member.
    #[must_use]
    #[inline]
    pub fn contains(&self, i: u64) -> bool {
        let word = self.words.get((i / 64) as usize);
        word.is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// Returns the number of members.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// Returns the members, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.words.iter().zip(0u64..).flat_map(|(&word, number)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(number * 64 + u64::from(bit))
            })
        })
    }

    /// Returns the bits, 64 in each word. The unused bits of the last word are 0.
    pub(crate) fn into_words(self) -> Cow<'a, [u64]> {
        self.words
    }
}
