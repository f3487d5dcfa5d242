//! The restructuring of compressed sparse rows (CSR) into *warp-interleaved segments*.
//!
//! Neighbouring lanes of a GPU work on neighbouring states. In CSR the first edges of neighbouring
//! states lie a row apart, so that each lane's read is a memory transaction of its own. In a
//! *segment* the first edges of `W` consecutive states lie side by side, then their second edges,
//! and so on, padded to the longest of these rows; one transaction then serves all lanes (Wijs,
//! Katoen, Bošnački, FMSD 2016, section 5.1; CAV 2014, section 3.3). Only states with at most `u`
//! edges, the *segment interval*, are stored in segments; the others follow as plain rows, because
//! one long row would pad a whole segment.
//!
//! ```text
//! rows              s0: a b c   s1: d e   s2: f         W = 3
//! one segment       offsets 0 1 2 9     entries a d f b e - c - -
//! with u = 2        offsets 0 1 4 7     entries d f e - a b c     (s1 and s2 are renumbered first)
//! ```
//!
//! The last segment may hold fewer than `W` states; it is then as wide as the states that it holds.
//! [`Order`] renumbers the states. Both directions share one numbering, and each direction has its
//! own number of interleaved states.
//!
//! ```
//! use mdp_graph::StateId;
//! use warp_segments::{EMPTY, EdgeRows, Layout, Shape};
//!
//! // 0 -> 1, 0 -> 2, 1 -> 2, and state 2 has no edge.
//! let (offsets, targets) = ([0, 2, 3, 3], [StateId(1), StateId(2), StateId(2)]);
//! let rows = EdgeRows { offsets: &offsets, targets: &targets };
//! let layout = Layout::of_edges(rows, Shape { lanes: 4, interval: 2 }, false)?;
//! assert_eq!(layout.forward.entries(), [1, 2, EMPTY, 2, EMPTY, EMPTY]);
//! # Ok::<(), warp_segments::LayoutError>(())
//! ```
//!
//! The example `print` shows a small graph in both layouts. This crate knows nothing of devices; it
//! honours their limits: three bits of a word are bookkeeping, which leaves [`MAX_STATES`], and
//! positions are 32-bit words, which leaves [`MAX_ENTRIES`].

#![forbid(unsafe_code)]

mod fill;
mod order;
mod rows;
mod shards;

pub use order::Order;
pub use rows::EdgeRows;
pub use shards::Shard;

use mdp_graph::{MdpGraph, StateId};
use rows::Rows;
use std::ops::RangeInclusive;

/// The most states of a layout: a word numbers a state and keeps three bits for marks, two numbers
/// are special, and `n + 1` offsets must fit a binding of 2 GiB.
pub const MAX_STATES: u64 = (1 << 29) - 2;

/// The most entries of a layout, padding included: `offsets` holds positions and the end in words.
pub const MAX_ENTRIES: u64 = u32::MAX as u64;

/// The bit of an entry that is never set in a layout: devices lock entries with it.
pub const LOCK: u32 = 1 << 31;

/// The padding: a value that no entry takes, locked or not.
pub const EMPTY: u32 = LOCK - 1;

/// The lane widths that devices have.
pub const LANES: RangeInclusive<u32> = 4..=128;

/// How rows are interleaved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// W: how many states a segment has, one of [`LANES`].
    pub lanes: u32,
    /// u: states with at most so many edges lie in segments. With 0 there are no segments, and
    /// states keep their numbers.
    pub interval: u32,
}

/// Why a graph cannot be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// More than [`MAX_STATES`].
    #[error("the graph has {states} states, but at most {MAX_STATES} fit a device's layout")]
    TooManyStates {
        /// How many there are.
        states: u64,
    },
    /// More than [`MAX_ENTRIES`].
    #[error(
        "the graph has {entries} edges with padding, but at most {MAX_ENTRIES} fit a device's layout"
    )]
    TooManyEntries {
        /// How many there are, padding included.
        entries: u64,
    },
    /// A width that is not one of [`LANES`].
    #[error("segments of {lanes} lanes were asked for, but they have 4 to 128")]
    Lanes {
        /// What was asked for.
        lanes: u32,
    },
    /// Rows that must stay together are larger than a shard may be.
    #[error(
        "the edges of states {first} to {last} take {entries} entries, but a shard holds at most {limit}"
    )]
    ShardTooSmall {
        /// The first of the states, as renumbered.
        first: StateId,
        /// The last of them.
        last: StateId,
        /// What they take, padding included.
        entries: u64,
        /// What there is room for.
        limit: u64,
    },
}

/// A graph in both directions, states renumbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How states are numbered in the layout.
    pub order: Order,
    /// For each state its edges.
    pub forward: Segments,
    /// For each state the edges that lead to it, if they were asked for.
    pub backward: Option<Segments>,
}

impl Layout {
    /// The unlabelled layout: an entry is a target, or backward a source.
    ///
    /// # Errors
    /// [`LayoutError`] if the graph or the shape is beyond the limits; nothing large was allocated.
    pub fn of_edges<'a>(
        edges: impl Into<EdgeRows<'a>>,
        shape: Shape,
        transpose: bool,
    ) -> Result<Self, LayoutError> {
        let forward = edges.into();
        check(forward.num_states(), shape)?;
        let transposed = transpose.then(|| forward.transposed());
        let backward = transposed.as_ref().map(|(offsets, sources)| EdgeRows {
            offsets,
            targets: StateId::cast_slice(sources),
        });
        Self::build(&forward, backward.as_ref(), shape)
    }

    /// The choice-labelled layout: an entry is a target and, above it, the *group*: the choice, as
    /// numbered among those of the edge's source. Backward it is the source and its group. Entries
    /// of one choice lie in one row next to each other. Groups lie in an array of their own where
    /// group and state do not fit an entry.
    ///
    /// # Errors
    /// As [`of_edges`](Self::of_edges).
    pub fn of_choices(
        graph: &MdpGraph,
        shape: Shape,
        transpose: bool,
    ) -> Result<Self, LayoutError> {
        check(graph.num_states(), shape)?;
        let backward = transpose.then(|| rows::Incoming::new(graph));
        Self::build(&rows::Choices(graph), backward.as_ref(), shape)
    }

    fn build(
        forward: &impl Rows,
        backward: Option<&impl Rows>,
        shape: Shape,
    ) -> Result<Self, LayoutError> {
        let few = |rows: usize| shape.interval > 0 && rows <= shape.interval as usize;
        let (order, few_out, few_both) = Order::new(
            forward.num_states(),
            |state| few(forward.len(state)),
            |state| backward.is_none_or(|rows| few(rows.len(state))),
        );
        let forward = fill::segments(forward, &order, shape.lanes, few_out)?;
        let backward = backward
            .map(|rows| fill::segments(rows, &order, shape.lanes, few_both))
            .transpose()?;
        Ok(Self {
            order,
            forward,
            backward,
        })
    }
}

fn check(states: usize, shape: Shape) -> Result<(), LayoutError> {
    let states = states as u64;
    if states > MAX_STATES {
        return Err(LayoutError::TooManyStates { states });
    }
    if !LANES.contains(&shape.lanes) {
        return Err(LayoutError::Lanes { lanes: shape.lanes });
    }
    Ok(())
}

/// The rows of one direction, the first of them interleaved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments {
    lanes: u32,
    /// How many states, from 0, lie in segments.
    interleaved: u32,
    /// `n + 1` positions: where each row starts, and the end.
    offsets: Vec<u32>,
    entries: Vec<u32>,
    /// How many low bits of an entry are the state.
    state_bits: u32,
    /// Beside each entry its group, where groups do not fit entries.
    groups: Option<Vec<u32>>,
    padding: u64,
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

    /// How many entries are padding.
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
