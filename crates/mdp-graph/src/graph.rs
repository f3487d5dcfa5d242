//! [`MdpGraph`]: state → choices → branches as two levels of compressed sparse rows.

use crate::checks::{all_pairs, are_below, check_offsets, count_repeated};
use crate::{Array, BuildError, ChoiceId, Rows, StateId};
use std::ops::Range;

/// The graph of an MDP: for each state its choices, for each choice its targets.
///
/// A Markov chain is a graph in which a state has at most one choice; a labelled transition
/// system is one in which a choice has one target. Clones share their arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MdpGraph {
    /// `n + 1` offsets into the choices.
    choice_offsets: Array<u32>,
    /// `c + 1` offsets into the branches.
    branch_offsets: Array<u32>,
    /// The `m` branches.
    targets: Array<StateId>,
}

impl MdpGraph {
    /// Makes a graph from lists: for each state its choices, and for each choice its targets. Each
    /// list is a separate allocation, so use other functions for large graphs.
    ///
    /// ```
    /// use mdp_graph::MdpGraph;
    ///
    /// // State 0 may stay, or toss a coin for 0 or 1; state 1 has no choice.
    /// let graph = MdpGraph::from_choices(&[vec![vec![0], vec![0, 1]], vec![]])?;
    /// assert_eq!((graph.num_choices(), graph.num_branches()), (2, 3));
    /// # Ok::<(), mdp_graph::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError::EmptyChoice`] and [`BuildError::TargetOutOfRange`] as they say, and
    /// [`BuildError::Offsets`] if there are more branches than offsets can count.
    pub fn from_choices<S, C>(states: &[S]) -> Result<Self, BuildError>
    where
        S: AsRef<[C]>,
        C: AsRef<[u32]>,
    {
        let (mut choice_offsets, mut branch_offsets) = (vec![0], vec![0]);
        let mut targets = Vec::new();
        for state in states {
            for choice in state.as_ref() {
                targets.extend(choice.as_ref().iter().copied().map(StateId));
                branch_offsets.push(targets.len() as u32);
            }
            choice_offsets.push(branch_offsets.len() as u32 - 1);
        }
        Self::from_parts(choice_offsets, branch_offsets, targets)
    }

    /// Makes a graph from its three arrays: `n + 1` offsets of states into the choices, `c + 1`
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
        Self::from_arrays(choice_offsets.into(), branch_offsets.into(), targets.into())
    }

    /// Like [`from_parts`](Self::from_parts), for arrays that may have another owner.
    ///
    /// # Errors
    /// As [`from_parts`](Self::from_parts).
    pub fn from_arrays(
        choice_offsets: Array<u32>,
        branch_offsets: Array<u32>,
        targets: Array<StateId>,
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
        let right = are_below(StateId::as_numbers(&graph.targets), graph.num_states())
            && all_pairs(&graph.branch_offsets, |start, end| start < end);
        match right {
            true => Ok(graph),
            false => graph.first_wrong_choice().map_or(Ok(graph), Err),
        }
    }

    /// Makes a graph in which no state has more than one choice. The targets of state `s` are those
    /// from `rows[s]` to `rows[s + 1] - 1`. A state without targets has no choice.
    ///
    /// ```
    /// use mdp_graph::{MdpGraph, StateId};
    ///
    /// let targets = [1, 0, 1].map(StateId).to_vec();
    /// let graph = MdpGraph::from_rows(vec![0, 1, 1, 3].into(), targets.into());
    /// assert_eq!(graph?.num_choices(), 2); // state 1 has none
    /// # Ok::<(), mdp_graph::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_parts`](Self::from_parts).
    pub fn from_rows(rows: Array<u32>, targets: Array<StateId>) -> Result<Self, BuildError> {
        Rows::new(rows, targets).map(Self::from)
    }

    /// Returns the error in the first choice that is wrong, if there is one.
    #[cold]
    fn first_wrong_choice(&self) -> Option<BuildError> {
        let states = self.num_states();
        self.states().find_map(|state| {
            self.choices(state).find_map(|choice| {
                let targets = self.targets(choice);
                let target = targets.iter().copied().find(|t| t.index() >= states);
                let out_of_range = target.map(|target| BuildError::TargetOutOfRange {
                    state,
                    target,
                    states,
                });
                let is_empty = targets.is_empty();
                out_of_range.or_else(|| is_empty.then_some(BuildError::EmptyChoice { state }))
            })
        })
    }

    /// Returns a graph from arrays that are known to be right.
    pub(crate) fn from_checked_parts(
        choice_offsets: Vec<u32>,
        branch_offsets: Vec<u32>,
        targets: Vec<StateId>,
    ) -> Self {
        Self {
            choice_offsets: choice_offsets.into(),
            branch_offsets: branch_offsets.into(),
            targets: targets.into(),
        }
    }

    /// Returns the number of states, n.
    #[inline]
    pub fn num_states(&self) -> usize {
        self.choice_offsets.len() - 1
    }

    /// Returns the number of choices of all states, c.
    #[inline]
    pub fn num_choices(&self) -> usize {
        self.branch_offsets.len() - 1
    }

    /// Returns the number of branches of all choices, m.
    #[inline]
    pub fn num_branches(&self) -> usize {
        self.targets.len()
    }

    /// Returns all states, ascending.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + Clone + use<> {
        (0..self.num_states()).map(StateId::from_index)
    }

    /// Returns the choices of `state`, in order.
    #[inline]
    pub fn choices(
        &self,
        state: StateId,
    ) -> impl ExactSizeIterator<Item = ChoiceId> + Clone + use<> {
        self.choice_range(state).map(ChoiceId::from_index)
    }

    /// Returns the choices of `state`, as subscripts.
    #[inline]
    pub fn choice_range(&self, state: StateId) -> Range<usize> {
        let s = state.index();
        self.choice_offsets[s] as usize..self.choice_offsets[s + 1] as usize
    }

    /// Returns the targets of `choice`. Readers make sure that a choice has no target twice.
    #[inline]
    pub fn targets(&self, choice: ChoiceId) -> &[StateId] {
        let c = choice.index();
        &self.targets[self.branch_offsets[c] as usize..self.branch_offsets[c + 1] as usize]
    }

    /// Returns the targets of all choices of `state`, choice after choice; a state may occur
    /// repeatedly.
    #[inline]
    pub fn successors(&self, state: StateId) -> &[StateId] {
        &self.targets[self.branch_range(state)]
    }

    /// Returns the branches of all choices of `state`, as subscripts.
    #[inline]
    pub fn branch_range(&self, state: StateId) -> Range<usize> {
        let choices = self.choice_range(state);
        self.branch_offsets[choices.start] as usize..self.branch_offsets[choices.end] as usize
    }

    /// Returns the branches of all choices of these states, as subscripts.
    pub fn branches_of(&self, states: Range<u32>) -> Range<usize> {
        let first = |state: u32| {
            let choice = self.choice_offsets[state as usize];
            self.branch_offsets[choice as usize] as usize
        };
        first(states.start)..first(states.end)
    }

    /// Returns whether `state` has no choice.
    #[inline]
    pub fn is_deadlock(&self, state: StateId) -> bool {
        self.choice_range(state).is_empty()
    }

    /// Returns the number of states that have no choice, counted by all threads of the current
    /// rayon pool.
    pub fn num_deadlocks(&self) -> usize {
        count_repeated(&self.choice_offsets)
    }

    /// Returns whether some choice of `state` has `state` as a target.
    pub fn has_self_loop(&self, state: StateId) -> bool {
        self.successors(state).contains(&state)
    }

    /// Returns the `n + 1` offsets of states: the choices of state `s` are
    /// `choice_offsets()[s]..choice_offsets()[s + 1]`.
    pub fn choice_offsets(&self) -> &[u32] {
        &self.choice_offsets
    }

    /// Returns the `c + 1` offsets of choices: the branches of choice `c` are
    /// `branch_offsets()[c]..branch_offsets()[c + 1]`.
    pub fn branch_offsets(&self) -> &[u32] {
        &self.branch_offsets
    }

    /// Returns the targets of all `m` branches.
    pub fn all_targets(&self) -> &[StateId] {
        &self.targets
    }
}

impl From<Rows> for MdpGraph {
    /// Returns the graph in which the row of each state is its only choice. A state with an empty
    /// row has no choice.
    fn from(rows: Rows) -> Self {
        let (choice_offsets, branch_offsets) = rows.choices();
        Self {
            choice_offsets,
            branch_offsets,
            targets: rows.into_targets(),
        }
    }
}
