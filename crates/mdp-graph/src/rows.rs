//! [`Rows`]: a directed graph as compressed sparse rows, whose arrays may be borrowed.

use crate::checks::{are_below, check_offsets, count_repeated};
use crate::{Array, BuildError, StateId, Table};

/// A directed graph: the edges of state `s` lead to the targets from `offsets()[s]` to
/// `offsets()[s + 1] - 1`. They may repeat, and come in any order. Clones share their arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    offsets: Array<u32>,
    targets: Array<StateId>,
}

impl Rows {
    /// Returns a graph from its two arrays.
    ///
    /// # Errors
    /// [`BuildError::Offsets`] if the offsets do not ascend from 0 to the number of targets, and
    /// [`BuildError::TargetOutOfRange`] as it says.
    pub fn new(offsets: Array<u32>, targets: Array<StateId>) -> Result<Self, BuildError> {
        check_offsets("branch", &offsets, targets.len())?;
        let rows = Self { offsets, targets };
        match are_below(StateId::as_numbers(&rows.targets), rows.num_states()) {
            true => Ok(rows),
            false => rows.first_wrong_target().map_or(Ok(rows), Err),
        }
    }

    #[cold]
    fn first_wrong_target(&self) -> Option<BuildError> {
        let states = self.num_states();
        let branch = self
            .targets
            .iter()
            .position(|target| target.index() >= states)?;
        let state = self
            .offsets
            .partition_point(|&start| start as usize <= branch)
            - 1;
        Some(BuildError::TargetOutOfRange {
            state: StateId::from_index(state),
            target: self.targets[branch],
            states,
        })
    }

    /// Returns the number of states.
    pub fn num_states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the targets of the edges of `state`.
    #[inline]
    pub fn successors(&self, state: StateId) -> &[StateId] {
        let s = state.index();
        &self.targets[self.offsets[s] as usize..self.offsets[s + 1] as usize]
    }

    /// Returns the `n + 1` offsets into [`targets`](Self::targets).
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Returns the targets of all edges.
    pub fn targets(&self) -> &[StateId] {
        &self.targets
    }

    pub(crate) fn into_targets(self) -> Array<StateId> {
        self.targets
    }

    /// Returns the offsets of states that have one choice each, unless they have no edge, and those
    /// of the choices.
    pub(crate) fn choices(&self) -> (Array<u32>, Array<u32>) {
        match count_repeated(&self.offsets) {
            0 => (one_each(self.num_states()), self.offsets.clone()),
            empty => one_each_unless_empty(&self.offsets, self.num_states() - empty),
        }
    }
}

/// Returns the offsets of this many states, which have one choice each.
fn one_each(states: usize) -> Array<u32> {
    let mut offsets: Table<u32> = Table::new(states + 1);
    for (offset, state) in offsets.iter_mut().zip(0..) {
        *offset = state;
    }
    Array::lent(offsets)
}

/// Returns the offsets of states with this many choices in all, and of these.
fn one_each_unless_empty(rows: &[u32], choices: usize) -> (Array<u32>, Array<u32>) {
    let mut of_states: Table<u32> = Table::new(rows.len());
    let mut of_choices: Table<u32> = Table::new(choices + 1);
    let mut choice = 0;
    for ((row, next), state) in rows.iter().zip(&rows[1..]).zip(of_states.iter_mut()) {
        *state = choice;
        // If the row is empty, the next one is written to the same place.
        of_choices[choice as usize] = *row;
        choice += u32::from(row < next);
    }
    if let (Some(state), Some(&end)) = (of_states.last_mut(), rows.last()) {
        *state = choice;
        of_choices[choice as usize] = end;
    }
    (Array::lent(of_states), Array::lent(of_choices))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MdpGraph;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_row_is_a_choice_unless_it_is_empty(
            states in prop::collection::vec(prop::collection::vec(0..20u32, 0..4), 20),
        ) {
            let mut offsets = vec![0];
            offsets.extend(states.iter().scan(0, |end, row| {
                *end += row.len() as u32;
                Some(*end)
            }));
            let targets: Vec<_> = states.iter().flatten().copied().map(StateId).collect();
            let rows = Rows::new(offsets.into(), targets.into()).expect("it is a graph");
            let choices = |row: Vec<u32>| if row.is_empty() { vec![] } else { vec![row] };
            let written: Vec<_> = states.into_iter().map(choices).collect();
            let expected = MdpGraph::from_choices(&written).expect("it is a graph");
            prop_assert_eq!(MdpGraph::from(rows), expected);
        }
    }

    #[test]
    fn invalid_rows_are_refused() {
        let rows = |offsets: &[u32], targets: &[u32]| {
            let targets: Vec<_> = targets.iter().copied().map(StateId).collect();
            Rows::new(offsets.to_vec().into(), targets.into())
        };
        let offsets = Err(BuildError::Offsets { what: "branch" });
        for wrong in [&[][..], &[1, 1], &[0, 2, 1], &[0, 2]] {
            assert_eq!(rows(wrong, &[0]), offsets);
        }
        let wrong = BuildError::TargetOutOfRange {
            state: StateId(2),
            target: StateId(3),
            states: 3,
        };
        assert_eq!(rows(&[0, 1, 1, 3], &[0, 1, 3]), Err(wrong));
        assert_eq!(rows(&[0], &[]).map(|rows| rows.num_states()), Ok(0));
    }
}
