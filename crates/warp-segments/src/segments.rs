//! [`Segments`]: the rows of one direction, interleaved.

use mdp_graph::StateId;

/// The bit of an entry that is never set in a layout: devices lock entries with it.
pub const LOCK: u32 = 1 << 31;

/// The padding: a value that no entry takes, locked or not.
pub const EMPTY: u32 = LOCK - 1;

/// The rows of one direction, the first of them interleaved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments {
    pub(crate) lanes: u32,
    /// How many states, from 0, lie in segments.
    pub(crate) interleaved: u32,
    /// `n + 1` positions: where each row starts, and the end.
    pub(crate) offsets: Vec<u32>,
    pub(crate) entries: Vec<u32>,
    /// How many low bits of an entry are the state.
    pub(crate) state_bits: u32,
    /// Beside each entry its group, where groups do not fit entries.
    pub(crate) groups: Option<Vec<u32>>,
    pub(crate) padding: u64,
}

/// Where a row lies: every `step`-th position of `start..end`, padding at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The first entry's position.
    pub start: u32,
    /// The end of the segment, or of the plain row.
    pub end: u32,
    /// How far apart entries lie.
    pub step: u32,
}

/// An entry, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The choice among those of the edge's source; 0 in an unlabelled layout.
    pub group: u32,
    /// The edge's target, or backward its source.
    pub state: StateId,
}

impl Segments {
    /// The number of states, n.
    pub fn num_states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// W, the number of states of a full segment.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }

    /// How many states, from 0 on, lie in segments.
    pub fn num_interleaved(&self) -> u32 {
        self.interleaved
    }

    /// `n + 1` positions: where each row starts, and the end of all.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// All entries and the [`EMPTY`] ones between them.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// The groups, beside the entries, if they did not fit into them.
    pub fn groups(&self) -> Option<&[u32]> {
        self.groups.as_deref()
    }

    /// How many low bits of an entry are the state; those above are the group.
    pub fn state_bits(&self) -> u32 {
        self.state_bits
    }

    /// The number of entries that are padding.
    pub fn padding(&self) -> u64 {
        self.padding
    }

    /// Where the row of `state` lies.
    ///
    /// (2016, Algorithm 5, lines 1 to 6 assume full segments; this does not.)
    pub fn row(&self, state: StateId) -> Row {
        let i = state.0;
        let start = self.offsets[state.index()];
        if i >= self.interleaved {
            return Row {
                start,
                end: self.offsets[state.index() + 1],
                step: 1,
            };
        }
        let first = i - i % self.lanes;
        let next = (first + self.lanes).min(self.interleaved);
        Row {
            start,
            end: self.offsets[next as usize],
            step: next - first,
        }
    }

    /// The entries of `state`, without padding.
    pub fn row_entries(&self, state: StateId) -> impl Iterator<Item = Entry> + '_ {
        let Row { start, end, step } = self.row(state);
        let positions = (start as usize..end as usize).step_by(step.max(1) as usize);
        positions
            .filter(|&at| self.entries[at] != EMPTY)
            .map(|at| self.unpack(at))
    }

    fn unpack(&self, at: usize) -> Entry {
        let entry = self.entries[at];
        let packed = entry >> self.state_bits;
        Entry {
            group: self.groups.as_ref().map_or(packed, |groups| groups[at]),
            state: StateId(entry & ((1 << self.state_bits) - 1)),
        }
    }
}
