//! [`MarkRange`]: the marks that states may have before they are numbered.

use super::prediction;
use rayon::prelude::*;
use std::ops::Range;

/// The component of a state that is in none.
pub(crate) const NONE: u32 = u32::MAX;

/// The number of marks that a thread takes at a time: small enough that no thread waits long for
/// the last piece.
pub(super) const PIECE: usize = 1 << 14;

/// The marks that states may have.
#[derive(Clone, Debug)]
pub(crate) struct MarkRange {
    /// All marks except [`NONE`] are in this range, or are `lone`.
    pub(crate) marks: Range<u32>,
    /// The mark of states each of which is a component by itself, or [`NONE`] if there is no such
    /// mark.
    pub(crate) lone: u32,
}

impl MarkRange {
    /// Returns the range from the smallest mark to the greatest one.
    pub(super) fn of(marks: &[u32]) -> Self {
        Self {
            marks: range(marks),
            lone: NONE,
        }
    }

    /// Returns whether [`in_one_pass_without_branches`] is faster than [`in_one_pass`]. It is only
    /// for marks of which some may be lone.
    pub(super) fn is_hard_to_predict(&self, marks: &[u32]) -> bool {
        self.lone != NONE && prediction::is_hard(marks, self.lone)
    }

    /// Gives each lone state a mark of its own. Returns the range of all marks.
    pub(super) fn separate(self, marks: &mut [u32]) -> Range<u32> {
        if self.lone == NONE {
            return self.marks;
        }
        // There are at most 2^31 states, and as many numbers in the range at most.
        let (n, start) = (marks.len() as u32, self.marks.start);
        let states = marks.par_chunks_mut(PIECE).enumerate();
        states.for_each(|(i, piece)| {
            for (state, mark) in ((i * PIECE) as u32..).zip(piece) {
                *mark = if *mark == self.lone {
                    state
                } else {
                    n + (*mark - start)
                };
            }
        });
        0..n + self.marks.len() as u32
    }
}

/// Returns the range from the smallest mark to the one after the largest.
fn range(marks: &[u32]) -> Range<u32> {
    let of_piece = |piece: &[u32]| {
        let bounds = (NONE, 0);
        // The number after NONE is 0.
        (piece.iter()).fold(bounds, |(start, end), &mark| {
            (start.min(mark), end.max(mark.wrapping_add(1)))
        })
    };
    let (start, end) = marks
        .par_chunks(PIECE)
        .map(of_piece)
        .reduce(|| (NONE, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    start.min(end)..end
}
