//! [`Quotient`]: a graph in which each component of another one is a single state.

mod classes;
mod piece;

use crate::build_error::check_count;
use crate::{BuildError, ChoiceId, Components, Deadlocks, MdpGraph, StateId, assemble};
use classes::Classes;
use piece::{ADDED, Piece};
use rayon::prelude::*;

/// The number of consecutive states or choices that a thread handles at a time.
const PIECE: usize = 1 << 12;

/// Whether a strategy may stay in an end component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StayPolicy {
    /// It has to leave. Only a component that no choice leaves gets a self-loop.
    MustLeave,
    /// It may stay forever: each component gets one more choice, its last one, which leads to a new
    /// state, the last one, whose only choice is a self-loop.
    ToSink,
}

/// A graph in which each component of another one is a single state.
///
/// States are in the order of the smallest states that they stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotient {
    graph: MdpGraph,
    /// For each state of the original graph, the state that represents it.
    state_of: Vec<StateId>,
    /// For each choice, the choice of the original graph, or [`ADDED`].
    origins: Vec<u32>,
    sink: Option<StateId>,
}

impl Quotient {
    /// Returns the quotient of a graph by disjoint end components, such as the maximal ones: each
    /// of them becomes one state, and so does each state that is in none.
    ///
    /// A choice is dropped if all of its targets are in the component of its state. The others are
    /// kept, in the order of their states. Branches of a choice that lead to the same state are
    /// merged, and branches ascend.
    ///
    /// For a set of states that contains all or no states of each component, the greatest
    /// probability to reach it is the same in the graph and in its quotient, and so is the least
    /// one with [`StayPolicy::ToSink`] (de Alfaro, *Formal verification of probabilistic systems*,
    /// 1997; Haddad and Monmege, *Interval iteration algorithm for MDPs and IMDPs*, 2018).
    ///
    /// ```
    /// use mdp_graph::{Components, MdpGraph, Quotient, StayPolicy, StateId};
    ///
    /// // States 0 and 1 are a maximal end component; the second choice of 1 may leave it for 2.
    /// let graph = MdpGraph::from_choices(&[
    ///     vec![vec![1]],
    ///     vec![vec![0], vec![0, 2]],
    ///     vec![vec![2]],
    /// ])?;
    /// let mecs = Components::from_mec_marks(vec![0, 0, 2]);
    /// let quotient = Quotient::of_end_components(&graph, &mecs, StayPolicy::MustLeave)?;
    /// let expected = MdpGraph::from_choices(&[vec![vec![0, 1]], vec![vec![1]]])?;
    /// assert_eq!(quotient.graph(), &expected);
    /// assert_eq!(quotient.state_of(StateId(1)), StateId(0));
    /// # Ok::<(), mdp_graph::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError::OutOfMemory`], and [`BuildError::TooMany`] if there are more choices than
    /// offsets can count.
    pub fn of_end_components(
        graph: &MdpGraph,
        components: &Components,
        staying: StayPolicy,
    ) -> Result<Self, BuildError> {
        let classes = Classes::new(components)?;
        let sink = (staying == StayPolicy::ToSink).then(|| StateId::from_index(classes.len()));
        Self::assemble(classes, sink, |piece, classes, class| {
            let leaving = piece.leave(graph, classes, class);
            match (sink, classes.component(class)) {
                (Some(sink), Some(_)) => piece.add(class, sink),
                (None, Some(_)) if leaving == 0 => piece.add(class, class),
                _ => {}
            }
        })
    }

    /// Returns the condensation of a graph: each strongly connected component becomes one state,
    /// which has a choice with one target for each other component that an edge leads to,
    /// ascending. It has no cycle, and bottom components have no choice.
    ///
    /// # Errors
    /// [`BuildError::OutOfMemory`].
    pub fn condensation(graph: &MdpGraph, sccs: &Components) -> Result<Self, BuildError> {
        Self::assemble(Classes::new(sccs)?, None, |piece, classes, class| {
            piece.edges(graph, classes, class);
        })
    }

    /// Returns the quotient whose choices `gather` adds, class by class.
    fn assemble(
        classes: Classes<'_>,
        sink: Option<StateId>,
        gather: impl Fn(&mut Piece, &Classes<'_>, StateId) + Sync,
    ) -> Result<Self, BuildError> {
        let starts = (0..classes.len()).into_par_iter().step_by(PIECE);
        let pieces = starts.map(|start| {
            let mut piece = Piece::default();
            let range = start..classes.len().min(start + PIECE);
            range
                .map(StateId::from_index)
                .for_each(|class| gather(&mut piece, &classes, class));
            piece.finish()
        });
        let mut pieces: Vec<_> = pieces.collect();
        if let Some(sink) = sink {
            let mut piece = Piece::default();
            piece.add(sink, sink);
            pieces.push(piece.finish());
        }
        let (chunks, origins): (Vec<_>, Vec<_>) = pieces.into_iter().unzip();
        let origins = origins.concat();
        let num_states = classes.len() as u64 + u64::from(sink.is_some());
        let num_states = check_count("states", num_states)? as u32;
        Ok(Self {
            graph: assemble(num_states, chunks, Deadlocks::Keep)?.graph,
            state_of: classes.into_classes_of_states(),
            origins,
            sink,
        })
    }

    /// Returns the graph.
    pub fn graph(&self) -> &MdpGraph {
        &self.graph
    }

    /// Returns the graph, and discards the maps to the original graph.
    pub fn into_graph(self) -> MdpGraph {
        self.graph
    }

    /// Returns the state that stands for a state of the original graph.
    #[inline]
    pub fn state_of(&self, state: StateId) -> StateId {
        self.state_of[state.index()]
    }

    /// Returns, for each state of the original graph, the state that represents it.
    pub fn states(&self) -> &[StateId] {
        &self.state_of
    }

    /// Returns the choice of the original graph from which a choice comes; `None` if it was added.
    #[inline]
    pub fn origin(&self, choice: ChoiceId) -> Option<ChoiceId> {
        let origin = self.origins[choice.index()];
        (origin != ADDED).then_some(ChoiceId(origin))
    }

    /// Returns the state in which a strategy stays forever, with [`StayPolicy::ToSink`].
    pub fn sink(&self) -> Option<StateId> {
        self.sink
    }

    /// Returns the probabilities or rates of the branches of the quotient, in order, computed from
    /// those of the original graph: the values of branches that were merged are added, in their
    /// order. The branch of a choice that was added has 1.
    ///
    /// # Panics
    /// Panics if there are not as many values as the original graph has branches.
    pub fn merge_values(&self, original: &MdpGraph, values: &[f64]) -> Vec<f64> {
        assert_eq!(
            values.len(),
            original.num_branches(),
            "a value for each branch"
        );
        let starts = (0..self.graph.num_choices()).into_par_iter().step_by(PIECE);
        let parts = starts.map(|start| {
            let mut merged = Vec::new();
            let range = start..self.graph.num_choices().min(start + PIECE);
            for choice in range.map(ChoiceId::from_index) {
                self.merge_choice(choice, original, values, &mut merged);
            }
            merged
        });
        parts.collect::<Vec<_>>().concat()
    }

    fn merge_choice(
        &self,
        choice: ChoiceId,
        original: &MdpGraph,
        values: &[f64],
        merged: &mut Vec<f64>,
    ) {
        let Some(origin) = self.origin(choice) else {
            return merged.push(1.0);
        };
        let targets = self.graph.targets(choice);
        let start = merged.len();
        merged.resize(start + targets.len(), 0.0);
        let first = original.branch_offsets()[origin.index()] as usize;
        for (&target, value) in original.targets(origin).iter().zip(&values[first..]) {
            // The targets of the quotient are those of the original, without repetitions.
            if let Ok(place) = targets.binary_search(&self.state_of(target)) {
                merged[start + place] += value;
            }
        }
    }
}

#[cfg(test)]
mod tests;
