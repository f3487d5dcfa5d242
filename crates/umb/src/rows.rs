//! [`Rows`]: a common interface of offsets that were read and offsets that are to be written.

use std::ops::Range;

/// A map from each row to consecutive elements.
pub(crate) trait Rows: Sync {
    /// Returns the number of rows.
    fn count(&self) -> u64;

    /// Returns the elements of a row.
    fn range(&self, row: u64) -> Range<u64>;

    /// Returns the row of an element; the rows must have more than `element` elements.
    fn row_of(&self, element: u64) -> u64 {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.range(middle).end <= element {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}
