//! [`Segments`]: the interleaved rows of one direction.

use mdp_graph::StateId;

/// The bit of an entry that is never set in a layout: devices lock entries with it.
pub const LOCK: u32 = 1 << 31;

/// The padding: a value that no entry has, locked or not.
pub const EMPTY: u32 = LOCK - 1;

/// The places of all rows of one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) lanes: u32,
    /// The number of states in segments. These are the first states.
    pub(crate) interleaved: u32,
    /// `n + 1` positions: the start of each row, and the end of the last one.
    pub(crate) offsets: Vec<u32>,
}

/// The rows of one direction. The first rows are interleaved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments {
    pub(crate) places: Places,
    pub(crate) entries: Vec<u32>,
    /// The number of low bits of an entry that contain the state.
    pub(crate) state_bits: u32,
    /// The group of each entry, if groups do not fit entries.
    pub(crate) groups: Option<Vec<u32>>,
    pub(crate) padding: u64,
}

/// The place of a row: every `step`-th position of `start..end`. Padding is at the end of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The position of the first entry.
    pub start: u32,
    /// The end of the segment, or of the plain row.
    pub end: u32,
    /// The distance between the positions of two entries.
    pub step: u32,
}

/// An entry, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The number of the choice among those of the edge's source; 0 in an unlabelled layout.
    pub group: u32,
    /// The target of the edge or, backward, its source.
    pub state: StateId,
}

impl Places {
    /// Returns the place of the row of `state`.
    pub(crate) fn row(&self, state: StateId) -> Row {
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
}

impl Segments {
    /// Returns the number of states, n.
    pub fn num_states(&self) -> usize {
        self.places.offsets.len() - 1
    }

    /// Returns W, the number of states in a full segment.
    pub fn lanes(&self) -> u32 {
        self.places.lanes
    }

    /// Returns the number of states in segments. These are the first states.
    pub fn num_interleaved(&self) -> u32 {
        self.places.interleaved
    }

    /// Returns the `n + 1` positions: the start of each row, and the end of the last one.
    pub fn offsets(&self) -> &[u32] {
        &self.places.offsets
    }

    /// Returns all entries, and the padding ([`EMPTY`]) between them.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// Returns the group of each entry, if groups do not fit entries.
    pub fn groups(&self) -> Option<&[u32]> {
        self.groups.as_deref()
    }

    /// Returns the number of low bits of an entry that contain the state. The higher bits contain
    /// the group.
    pub fn state_bits(&self) -> u32 {
        self.state_bits
    }

    /// Returns the number of entries that are padding.
    pub fn padding(&self) -> u64 {
        self.padding
    }

    /// Returns the place of the row of `state`.
    ///
    /// (Lines 1 to 6 of Algorithm 5 of the 2016 paper assume full segments; this function does
    /// not.)
    pub fn row(&self, state: StateId) -> Row {
        self.places.row(state)
    }

    /// Returns the entries of `state`, without padding.
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
