//! Checks distances of states from the nearest source, without a search.
//!
//! The distances and the parents of a breadth-first search are their own certificate.

use crate::violation::counted_states;
use mdp_graph::{MdpGraph, SharedBits, StateId};
use rayon::prelude::*;

/// Stands for the distance of a state that is not reached, and for the parent of a state without
/// one.
const NONE: u32 = u32::MAX;

/// The minimum number of states that a thread handles at a time.
const PIECE: usize = 1 << 12;

/// An obligation of distances that is not met.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceViolation {
    /// The answer is about another graph.
    #[error("the answer is about {}, but the model has {}", counted_states(*.answer), counted_states(*.graph))]
    OtherGraph {
        /// The number of states of the graph.
        graph: usize,
        /// The length of the shorter array of the answer.
        answer: usize,
    },
    /// A source does not have distance 0.
    #[error("D1: state {state} is a source, but not said to be at distance 0")]
    SourceNotAtZero {
        /// The source.
        state: StateId,
    },
    /// A state that is not a source has distance 0.
    #[error("D1: state {state} is said to be at distance 0, but is no source")]
    NotASource {
        /// The state.
        state: StateId,
    },
    /// An edge makes the distance of its target shorter than claimed.
    #[error(
        "D2: state {target} is said to be {}, but an edge leads to it from state {state}, at \
         distance {distance}", place(*.said)
    )]
    Shortcut {
        /// The source of the edge.
        state: StateId,
        /// The claimed distance of the source.
        distance: u32,
        /// The target of the edge.
        target: StateId,
        /// The claimed distance of the target.
        said: u32,
    },
    /// The parent is missing, or is not one step nearer, or a state that cannot have a parent has
    /// one.
    #[error("D3: the parent of state {state} is not a state whose distance is less by one")]
    OtherParent {
        /// The state.
        state: StateId,
    },
    /// No edge leads from the parent to the state.
    #[error(
        "D3: no edge leads from state {parent} to state {state}, whose parent it is said to be"
    )]
    NoEdge {
        /// The state.
        state: StateId,
        /// The claimed parent.
        parent: StateId,
    },
    /// The parent is not the smallest possible one.
    #[error(
        "D4: state {smaller} could be the parent of state {state}, and is smaller than {parent}"
    )]
    SmallerParent {
        /// The state.
        state: StateId,
        /// The claimed parent.
        parent: StateId,
        /// A smaller state that could be the parent.
        smaller: StateId,
    },
}

impl DistanceViolation {
    /// Returns the name of the obligation in [`check_distances`], or `"form"` if the answer does
    /// not have the form that the obligations assume.
    pub fn obligation(&self) -> &'static str {
        match self {
            Self::OtherGraph { .. } => "form",
            Self::SourceNotAtZero { .. } | Self::NotASource { .. } => "D1",
            Self::Shortcut { .. } => "D2",
            Self::OtherParent { .. } | Self::NoEdge { .. } => "D3",
            Self::SmallerParent { .. } => "D4",
        }
    }
}

fn place(distance: u32) -> String {
    match distance {
        NONE => "unreachable".to_owned(),
        distance => format!("at distance {distance}"),
    }
}

/// Claimed distances from some sources. `u32::MAX` stands for a missing distance or parent.
#[derive(Clone, Copy, Debug)]
pub struct ClaimedDistances<'a> {
    /// The sources, in any order.
    pub sources: &'a [StateId],
    /// The distance of each state from the nearest source.
    pub distances: &'a [u32],
    /// The parent of each state.
    pub parents: &'a [u32],
}

/// Checks that claimed distances and parents are right:
///
/// - D1: the sources have distance 0, and no other state does;
/// - D2: an edge from a state at distance d leads to a state at distance d + 1 at most;
/// - D3: each state that is reached and is not a source has a parent: a state whose distance is
///   less by one, and from which an edge leads to it; other states have no parent;
/// - D4: no smaller state could be the parent.
///
/// By D3, a path with as many edges as the distance leads from a source to each reached state, and
/// by D2 no shorter path does. A state that is not reached has no reached predecessor. The check
/// takes one pass over the branches and two over the states, on all threads of the current rayon
/// pool, and two bits per state.
///
/// # Errors
/// The violated obligation. Of those that one pass finds, it is that of the smallest state.
pub fn check_distances(
    graph: &MdpGraph,
    claim: &ClaimedDistances<'_>,
) -> Result<(), DistanceViolation> {
    let answer = claim.distances.len().min(claim.parents.len());
    let n = graph.num_states();
    let outside = claim.sources.iter().any(|source| source.index() >= n);
    if answer != n || claim.distances.len() != claim.parents.len() || outside {
        return Err(DistanceViolation::OtherGraph { graph: n, answer });
    }
    let sources = SharedBits::new(n);
    for source in claim.sources {
        sources.insert(source.0);
    }
    let states = || {
        let all = (0..n).into_par_iter().with_min_len(PIECE);
        all.map(StateId::from_index)
    };
    // The states that have an edge from their parent.
    let linked = SharedBits::new(n);
    let unlinked = |state: StateId| {
        let parent = claim.parents[state.index()];
        (parent != NONE && !linked.contains(state.0)).then_some(DistanceViolation::NoEdge {
            state,
            parent: StateId(parent),
        })
    };
    let wrong = states()
        .find_map_first(|state| claim.check_state(state, sources.contains(state.0)))
        .or_else(|| states().find_map_first(|state| claim.check_edges(graph, state, &linked)))
        .or_else(|| states().find_map_first(unlinked));
    wrong.map_or(Ok(()), Err)
}

impl ClaimedDistances<'_> {
    /// Checks D1, and the part of D3 that does not depend on edges.
    fn check_state(&self, state: StateId, is_source: bool) -> Option<DistanceViolation> {
        let distance = self.distances[state.index()];
        match (is_source, distance) {
            (true, 0) | (false, 1..) => {}
            (true, _) => return Some(DistanceViolation::SourceNotAtZero { state }),
            (false, 0) => return Some(DistanceViolation::NotASource { state }),
        }
        let parent = self.parents[state.index()];
        let has_parent = distance != 0 && distance != NONE;
        let is_right = match self.distances.get(parent as usize) {
            Some(&of_parent) => has_parent && of_parent == distance - 1,
            None => !has_parent && parent == NONE,
        };
        (!is_right).then_some(DistanceViolation::OtherParent { state })
    }

    /// Checks D2 and D4 for the edges of a state. Marks the states whose parent it is.
    fn check_edges(
        &self,
        graph: &MdpGraph,
        state: StateId,
        linked: &SharedBits,
    ) -> Option<DistanceViolation> {
        let distance = self.distances[state.index()];
        if distance == NONE {
            return None;
        }
        for &target in graph.successors(state) {
            let said = self.distances[target.index()];
            if said > distance.saturating_add(1) {
                return Some(DistanceViolation::Shortcut {
                    state,
                    distance,
                    target,
                    said,
                });
            }
            let parent = self.parents[target.index()];
            if parent == state.0 {
                linked.insert(target.0);
            } else if said == distance + 1 && state.0 < parent {
                return Some(DistanceViolation::SmallerParent {
                    state: target,
                    parent: StateId(parent),
                    smaller: state,
                });
            }
        }
        None
    }
}
