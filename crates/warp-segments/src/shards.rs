//! Cuts the entries of a layout into shards, because a device limits the size of a binding.

use super::{LayoutError, Segments};
use mdp_graph::StateId;

/// Cuts are made between words that contain one bit per state, so that a word belongs to one shard.
const WORD: u32 = u32::BITS;

/// The entries of consecutive states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The first state; a multiple of 32.
    pub first_state: u32,
    /// The state after the last one.
    pub end_state: u32,
    /// The position of the first entry.
    pub first_entry: u32,
    /// The position after the last entry.
    pub end_entry: u32,
}

impl Segments {
    /// Cuts the entries into as few shards as possible, of at most `limit` entries each. Cuts are
    /// made between segments and at multiples of 32 states. A graph without states has one empty
    /// shard.
    ///
    /// # Errors
    /// [`LayoutError::ShardTooSmall`] if entries that must stay together exceed the limit.
    pub fn shards(&self, limit: u64) -> Result<Vec<Shard>, LayoutError> {
        let n = self.num_states() as u32;
        let position = |state: u32| self.places.offsets[state as usize];
        let mut shards = Vec::new();
        let (mut first, mut end) = (0, 0);
        while end < n {
            let next = self.next_cut(end);
            if u64::from(position(next) - position(first)) > limit {
                if first == end {
                    let (first, last) = (StateId(first), StateId(next - 1));
                    let entries = u64::from(position(next) - position(end));
                    return Err(LayoutError::ShardTooSmall {
                        first,
                        last,
                        entries,
                        limit,
                    });
                }
                shards.push(self.shard(first, end));
                first = end;
            } else {
                end = next;
            }
        }
        shards.push(self.shard(first, end));
        Ok(shards)
    }

    /// Returns the maximum number of entries of successive states that must stay together. This is
    /// the smallest possible limit of [`shards`](Self::shards).
    #[must_use]
    pub fn least_shard(&self) -> u64 {
        let n = self.num_states() as u32;
        let (mut start, mut most) = (0, 0);
        while start < n {
            let end = self.next_cut(start);
            most =
                most.max(self.places.offsets[end as usize] - self.places.offsets[start as usize]);
            start = end;
        }
        u64::from(most)
    }

    fn shard(&self, first_state: u32, end_state: u32) -> Shard {
        Shard {
            first_state,
            end_state,
            first_entry: self.places.offsets[first_state as usize],
            end_entry: self.places.offsets[end_state as usize],
        }
    }

    /// Returns the first state after `state` before which a cut is possible.
    fn next_cut(&self, state: u32) -> u32 {
        let n = self.num_states() as u32;
        let inside =
            |cut: u32| cut < self.places.interleaved && !cut.is_multiple_of(self.places.lanes);
        let mut cut = state + WORD;
        while cut < n && inside(cut) {
            cut += WORD;
        }
        cut.min(n)
    }
}
