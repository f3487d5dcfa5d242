//! Graphs from arrays with indices of 64 bits, as file formats store them.

use crate::build_error::check_count;
use crate::checks::narrow_to;
use crate::unchecked_rows::States;
use crate::{Array, BuildError, MdpGraph, check_room};

impl MdpGraph {
    /// Makes a graph from arrays like those of [`from_parts`](Self::from_parts), with indices of 64
    /// bits. `None` stands for offsets by which each state has one choice, or each choice one
    /// branch. The arrays are copied once, on all threads of the current rayon pool.
    ///
    /// ```
    /// use mdp_graph::{MdpGraph, StateId};
    ///
    /// let graph = MdpGraph::from_wide(None, Some(&[0, 2, 3]), &[0, 1, 1])?;
    /// assert_eq!(graph.successors(StateId(0)), [StateId(0), StateId(1)]);
    /// # Ok::<(), mdp_graph::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_parts`](Self::from_parts), and [`BuildError::TooMany`] and
    /// [`BuildError::OutOfMemory`], both before memory is allocated.
    pub fn from_wide(
        choice_offsets: Option<&[u64]>,
        branch_offsets: Option<&[u64]>,
        targets: &[u64],
    ) -> Result<Self, BuildError> {
        let rows = |offsets: Option<&[u64]>, elements: usize| {
            offsets.map_or(elements, |offsets| offsets.len().saturating_sub(1))
        };
        let branches = targets.len();
        let choices = rows(branch_offsets, branches);
        let states = rows(choice_offsets, choices);
        for (what, count) in [
            ("states", states),
            ("choices", choices),
            ("branches", branches),
        ] {
            check_count(what, count as u64)?;
        }
        let lengths = [states + 1, choices + 1, branches];
        check_room("the graph", &lengths.map(|length| 4 * length))?;
        let offsets = |offsets: Option<&[u64]>, rows| match offsets {
            Some(offsets) => in_32_bits(offsets),
            None => (0..=rows as u32).collect(),
        };
        Self::from_arrays(
            offsets(choice_offsets, states).into(),
            offsets(branch_offsets, choices).into(),
            Array::lent(States(in_32_bits(targets).into())),
        )
    }
}

/// Returns the same numbers in 32 bits, where those that do not fit are wrong in any graph.
///
/// They are in a vector, not in a [`Table`](crate::Table), so they take no huge pages. A virtual
/// machine may have to get those from its host, which takes long, and a search needs them more than
/// the graph does.
fn in_32_bits(numbers: &[u64]) -> Vec<u32> {
    let mut narrow = vec![0; numbers.len()];
    narrow_to(&mut narrow, numbers);
    narrow
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StateId;
    use proptest::prelude::*;

    /// Returns numbers that are right in a small graph, and numbers which are only right if their
    /// upper half is left out.
    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![20 => 0..4u64, 1 => (1 << 32)..(1 << 32) + 4u64]
    }

    /// Returns numbers, which often ascend from 0 to `end`.
    fn offsets(end: usize) -> impl Strategy<Value = Vec<u64>> {
        let numbers = prop::collection::vec(number(), 0..6);
        (numbers, any::<bool>()).prop_map(move |(mut numbers, sorts)| {
            if let (true, [first, .., last]) = (sorts, &mut numbers[..]) {
                (*first, *last) = (0, end as u64);
                numbers.sort_unstable();
            }
            numbers
        })
    }

    type Wide = (Option<Vec<u64>>, Option<Vec<u64>>, Vec<u64>);

    fn arrays() -> impl Strategy<Value = Wide> {
        let targets = prop::collection::vec(number(), 0..6);
        targets
            .prop_flat_map(|targets| (prop::option::of(offsets(targets.len())), Just(targets)))
            .prop_flat_map(|(branches, targets)| {
                let choices = branches.as_ref().map_or(targets.len(), Vec::len);
                let of_states = prop::option::of(offsets(choices.saturating_sub(1)));
                (of_states, Just(branches), Just(targets))
            })
    }

    /// Returns the same numbers one by one.
    fn naively(numbers: &[u64]) -> Vec<u32> {
        let narrow = numbers.iter().map(|&number| u32::try_from(number));
        narrow.map(|number| number.unwrap_or(u32::MAX)).collect()
    }

    proptest! {
        #[test]
        fn wide_arrays_are_the_graph_of_the_same_numbers((states, choices, targets) in arrays()) {
            let found = MdpGraph::from_wide(states.as_deref(), choices.as_deref(), &targets);
            let identity = |rows: usize| (0..=rows as u32).collect();
            let of_choices = match &choices {
                Some(offsets) => naively(offsets),
                None => identity(targets.len()),
            };
            let of_states = match &states {
                Some(offsets) => naively(offsets),
                None => identity(of_choices.len().saturating_sub(1)),
            };
            let targets = naively(&targets).into_iter().map(StateId).collect();
            prop_assert_eq!(found, MdpGraph::from_parts(of_states, of_choices, targets));
        }
    }
}
