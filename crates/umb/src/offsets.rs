//! Maps from each element to a range of other elements: from states to their choices, and from
//! choices to their branches.

use std::borrow::Cow;
use std::ops::Range;

use crate::archive::Archive;
use crate::check;
use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::numbers;
use crate::rows::Rows;

/// A map from rows to consecutive ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offsets<'a> {
    /// Each of this many rows has one element, which has the same number as the row.
    Identity(u64),
    /// Row `i` has the elements from `offsets[i]` to `offsets[i + 1] - 1`.
    Stored(Cow<'a, [u64]>),
}

impl<'a> Offsets<'a> {
    /// Reads the map in an entry, or uses the identity if there is no such entry.
    pub(crate) fn read(
        archive: &Archive<'a>,
        entry: &'static str,
        (rows, of): (u64, Entity),
        (targets, to): (u64, Entity),
    ) -> Result<Self, Error> {
        let Some(bytes) = archive.get(entry) else {
            if rows == targets {
                return Ok(Self::Identity(rows));
            }
            let kind = ErrorKind::IdentityMismatch {
                rows,
                of,
                targets,
                to,
                entry,
            };
            return Err(Error::in_entry(INDEX, kind));
        };
        let (what, into) = match of {
            Entity::States => ("states and an end", "choices"),
            _ => ("choices and an end", "branches"),
        };
        let count = rows.saturating_add(1);
        let offsets = numbers::read::<u64>(entry, bytes, count, what)?;
        check::offsets(entry, &offsets, targets, into)?;
        Ok(Self::Stored(offsets))
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::Identity(rows) => *rows,
            Self::Stored(offsets) => offsets.len() as u64 - 1,
        }
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the elements of a row.
    ///
    /// # Panics
    ///
    /// May panic if `row` is not below [`len`](Self::len).
    #[must_use]
    #[inline]
    pub fn range(&self, row: u64) -> Range<u64> {
        match self {
            Self::Identity(_) => row..row + 1,
            Self::Stored(offsets) => offsets[row as usize]..offsets[row as usize + 1],
        }
    }
}

impl Rows for Offsets<'_> {
    fn count(&self) -> u64 {
        self.len()
    }

    #[inline]
    fn range(&self, row: u64) -> Range<u64> {
        Offsets::range(self, row)
    }
}
