//! The restructuring of compressed sparse rows (CSR) into *warp-interleaved segments*.
//!
//! Neighbouring lanes of a GPU (the invocations of a subgroup) work on neighbouring states. In CSR,
//! the first edges of neighbouring states are a row apart, so each lane's read is a separate memory
//! transaction. In a *segment*, the first edges of `W` consecutive states lie side by side, then
//! their second edges, and so on, padded to the longest of these rows. So one transaction serves
//! all lanes (Wijs, Katoen, Bošnački, FMSD 2016, section 5.1; CAV 2014, section 3.3). Only states
//! with at most `u` edges, the *segment interval*, are stored in segments; the others follow as
//! plain rows, because one long row would pad a whole segment.
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
//! use warp_segments::{Directions, EMPTY, EdgeRows, Layout, Shape};
//!
//! // 0 -> 1, 0 -> 2, 1 -> 2, and state 2 has no edge.
//! let (offsets, targets) = ([0, 2, 3, 3], [StateId(1), StateId(2), StateId(2)]);
//! let rows = EdgeRows { offsets: &offsets, targets: &targets };
//! let layout = Layout::of_edges(rows, Shape { lanes: 4, interval: 2 }, Directions::Forward)?;
//! assert_eq!(layout.forward.entries(), [1, 2, EMPTY, 2, EMPTY, EMPTY]);
//! # Ok::<(), warp_segments::LayoutError>(())
//! ```
//!
//! The example `print` shows a small graph in both layouts. This crate does not know about devices,
//! but respects their limits: three bits of a word are reserved, which limits states to
//! [`MAX_STATES`], and positions are 32-bit words, which limits entries to [`MAX_ENTRIES`].

#![forbid(unsafe_code)]

mod error;
mod fill;
mod order;
mod rows;
mod segments;
mod shards;

pub use error::{LayoutError, MAX_ENTRIES, MAX_STATES};
pub use order::Order;
pub use rows::EdgeRows;
pub use segments::{EMPTY, Entry, LOCK, Row, Segments};
pub use shards::Shard;

use mdp_graph::{MdpGraph, StateId};
use rows::Rows;
use std::ops::RangeInclusive;

/// The widths of segments that devices support.
pub const LANES: RangeInclusive<u32> = 4..=128;

/// The shape of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// W: the number of states in a segment, one of [`LANES`].
    pub lanes: u32,
    /// u: the maximum number of edges of the states in segments. If it is 0, there are no segments,
    /// and states keep their numbers.
    pub interval: u32,
}

/// The directions in which a graph is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// The edges of each state.
    Forward,
    /// The edges of each state, and those that lead to each state (the transpose).
    Both,
}

impl Directions {
    /// Returns what `backward` makes, if there is a transpose.
    fn both_then<T>(self, backward: impl FnOnce() -> T) -> Option<T> {
        match self {
            Self::Forward => None,
            Self::Both => Some(backward()),
        }
    }
}

/// A graph in one direction or both, with renumbered states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The numbering of states in the layout.
    pub order: Order,
    /// The edges of each state.
    pub forward: Segments,
    /// The edges that lead to each state, if they were requested.
    pub backward: Option<Segments>,
}

impl Layout {
    /// Makes the unlabelled layout: an entry is the target of an edge or, backward, its source.
    ///
    /// # Errors
    /// [`LayoutError`] if the graph or the shape exceeds the limits. If there are too many states,
    /// or if the width is wrong, nothing has been allocated.
    pub fn of_edges<'a>(
        edges: impl Into<EdgeRows<'a>>,
        shape: Shape,
        directions: Directions,
    ) -> Result<Self, LayoutError> {
        let forward = edges.into();
        check(forward.num_states(), shape)?;
        let transposed = directions.both_then(|| forward.transposed());
        let backward = transposed.as_ref().map(|(offsets, sources)| EdgeRows {
            offsets,
            targets: StateId::cast_slice(sources),
        });
        Self::build(&forward, backward.as_ref(), shape)
    }

    /// Makes the choice-labelled layout: an entry is a target and, in higher bits, the *group*,
    /// that is, the number of the choice among the choices of the edge's source. Backward, an entry
    /// is the source and the group. Entries of one choice are adjacent in their row. If group and
    /// state do not fit an entry, groups are in a separate array.
    ///
    /// # Errors
    /// As [`of_edges`](Self::of_edges).
    pub fn of_choices(
        graph: &MdpGraph,
        shape: Shape,
        directions: Directions,
    ) -> Result<Self, LayoutError> {
        check(graph.num_states(), shape)?;
        let backward = directions.both_then(|| rows::Incoming::new(graph));
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

/// Checks the number of states and the width of segments.
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
