//! Arrays that are too large for one binding, and so are cut into shards.
//!
//! The arrays consist of rows of elements, as in a CSR, and are only cut between two rows.

use std::ops::Range;

use crate::buffer::Buffer;
use crate::error::{Error, Result};

/// A piece of a sharded array: whole rows, in a separate buffer.
#[derive(Clone, Debug)]
pub struct Shard<T> {
    /// The rows of the shard.
    pub rows: Range<u32>,
    /// The elements of the shard, counted over all shards.
    pub elements: Range<u64>,
    /// The buffer with these elements, which begin at index 0.
    pub buffer: Buffer<T>,
}

/// The rows and elements of one piece of a cut.
pub type Piece = (Range<u32>, Range<u64>);

/// Cuts `rows` rows, whose elements start at `start(row)` and end at `start(rows)`, into pieces of
/// at most `capacity` elements each: as few pieces as possible, each of whole rows. Rows without
/// elements are in the piece of the row before them.
///
/// `start` must not decrease. There is at least one piece, which may be empty.
///
/// # Errors
///
/// [`Error::LimitExceeded`] with the elements of the first row that is larger than a piece.
///
/// ```
/// let offsets = [0, 3, 5, 5, 9];
/// let pieces = gpu::cut(4, |row| offsets[row as usize], 5)?;
/// assert_eq!(pieces, [(0..3, 0..5), (3..4, 5..9)]);
/// # Ok::<(), gpu::Error>(())
/// ```
pub fn cut(rows: u32, start: impl Fn(u32) -> u64, capacity: u64) -> Result<Vec<Piece>> {
    try_cut(rows, |row| Ok(start(row)), capacity)
}

/// As [`cut`], where `start` may fail, for example because it reads from a device. It is called
/// about 32 times for each piece.
///
/// # Errors
///
/// As [`cut`], and those of `start`.
pub fn try_cut(rows: u32, start: impl Fn(u32) -> Result<u64>, capacity: u64) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let (mut row, mut from) = (0, start(0)?);
    loop {
        let end = last_fitting(row, rows, |end| Ok(start(end)? - from <= capacity))?;
        if end == row && row < rows {
            let what = format!("row {row} of a sharded array (elements)");
            return Err(Error::LimitExceeded {
                what,
                needed: start(row + 1)? - from,
                available: capacity,
            });
        }
        let to = start(end)?;
        pieces.push((row..end, from..to));
        if end == rows {
            return Ok(pieces);
        }
        (row, from) = (end, to);
    }
}

/// Returns the largest `end` from `row` to `rows` that fits. If a number fits, all smaller ones
/// must fit, too.
fn last_fitting(row: u32, rows: u32, fits: impl Fn(u32) -> Result<bool>) -> Result<u32> {
    let (mut good, mut bad) = (row, u64::from(rows) + 1);
    while u64::from(good) + 1 < bad {
        let middle = good + ((bad - u64::from(good)) / 2) as u32;
        match fits(middle)? {
            true => good = middle,
            false => bad = middle.into(),
        }
    }
    Ok(good)
}
