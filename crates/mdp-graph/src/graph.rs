//! [`MdpGraph`]: state → choices → branches as two levels of compressed sparse rows.

use crate::{BuildError, ChoiceId, StateId};
use std::ops::Range;

/// The graph of an MDP: for each state its choices, for each choice its targets.
///
/// A Markov chain is a graph in which a state has at most one choice; a labelled transition
/// system is one in which a choice has one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MdpGraph {
    /// `n + 1` offsets into the choices.
    choice_offsets: Vec<u32>,
    /// `c + 1` offsets into the branches.
    branch_offsets: Vec<u32>,
    /// The `m` branches.
    targets: Vec<StateId>,
}

impl MdpGraph {
    /// A graph from its three arrays: `n + 1` offsets of states into the choices, `c + 1`
    /// offsets of choices into the branches, and the `m` targets.
    ///
    /// # Errors
    /// [`BuildError::Offsets`] if an offset array is not ascending from 0 to the length of what
    /// it points into, [`BuildError::EmptyChoice`] and [`BuildError::TargetOutOfRange`] as they
    /// say.
    pub fn from_parts(
        choice_offsets: Vec<u32>,
        branch_offsets: Vec<u32>,
        targets: Vec<StateId>,
    ) -> Result<Self, BuildError> {
        check_offsets(
            "choice",
            &choice_offsets,
            branch_offsets.len().wrapping_sub(1),
        )?;
        check_offsets("branch", &branch_offsets, targets.len())?;
        let graph = Self {
            choice_offsets,
            branch_offsets,
            targets,
        };
        for state in graph.states() {
            for choice in graph.choices(state) {
                let targets = graph.targets(choice);
                if targets.is_empty() {
                    return Err(BuildError::EmptyChoice { state });
                }
                if let Some(&target) = targets.iter().find(|t| t.index() >= graph.num_states()) {
                    let states = graph.num_states();
                    return Err(BuildError::TargetOutOfRange {
                        state,
                        target,
                        states,
                    });
                }
            }
        }
        Ok(graph)
    }

    /// A graph from arrays that are known to be right.
    pub(crate) fn from_checked_parts(
        choice_offsets: Vec<u32>,
        branch_offsets: Vec<u32>,
        targets: Vec<StateId>,
    ) -> Self {
        Self {
            choice_offsets,
            branch_offsets,
            targets,
        }
    }

    /// The number of states, n.
    #[inline]
    pub fn num_states(&self) -> usize {
        self.choice_offsets.len() - 1
    }

    /// The number of choices of all states, c.
    #[inline]
    pub fn num_choices(&self) -> usize {
        self.branch_offsets.len() - 1
    }

    /// The number of branches of all choices, m.
    #[inline]
    pub fn num_branches(&self) -> usize {
        self.targets.len()
    }

    /// All states, ascending.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + Clone + use<> {
        (0..self.num_states()).map(StateId::from_index)
    }

    /// The choices of `state`, in order.
    #[inline]
    pub fn choices(
        &self,
        state: StateId,
    ) -> impl ExactSizeIterator<Item = ChoiceId> + Clone + use<> {
        self.choice_range(state).map(ChoiceId::from_index)
    }

    /// The choices of `state`, as subscripts.
    #[inline]
    pub fn choice_range(&self, state: StateId) -> Range<usize> {
        let s = state.index();
        self.choice_offsets[s] as usize..self.choice_offsets[s + 1] as usize
    }

    /// The targets of `choice`. The reader admits no target twice in one choice.
    #[inline]
    pub fn targets(&self, choice: ChoiceId) -> &[StateId] {
        let c = choice.index();
        &self.targets[self.branch_offsets[c] as usize..self.branch_offsets[c + 1] as usize]
    }

    /// The targets of all choices of `state`, choice after choice; a state may occur repeatedly.
    #[inline]
    pub fn successors(&self, state: StateId) -> &[StateId] {
        &self.targets[self.branch_range(state)]
    }

    /// The branches of all choices of `state`, as subscripts.
    #[inline]
    pub fn branch_range(&self, state: StateId) -> Range<usize> {
        let choices = self.choice_range(state);
        self.branch_offsets[choices.start] as usize..self.branch_offsets[choices.end] as usize
    }

    /// Whether `state` has no choice.
    #[inline]
    pub fn is_deadlock(&self, state: StateId) -> bool {
        self.choice_range(state).is_empty()
    }

    /// Whether some choice of `state` may lead back to it at once.
    pub fn has_self_loop(&self, state: StateId) -> bool {
        self.successors(state).contains(&state)
    }

    /// `n + 1` offsets: the choices of state `s` are `choice_offsets()[s]..choice_offsets()[s + 1]`.
    pub fn choice_offsets(&self) -> &[u32] {
        &self.choice_offsets
    }

    /// `c + 1` offsets: the branches of choice `c` are `branch_offsets()[c]..branch_offsets()[c + 1]`.
    pub fn branch_offsets(&self) -> &[u32] {
        &self.branch_offsets
    }

    /// The targets of all `m` branches.
    pub fn all_targets(&self) -> &[StateId] {
        &self.targets
    }
}

fn check_offsets(what: &'static str, offsets: &[u32], end: usize) -> Result<(), BuildError> {
    let right = offsets.first() == Some(&0)
        && offsets.is_sorted()
        && offsets.last().is_some_and(|&last| last as usize == end);
    right.then_some(()).ok_or(BuildError::Offsets { what })
}
