//! [`Partition`]: a partition of the states, before components have numbers.

use crate::Table;
use crate::numbering::{self, Known, MarkRange};
use std::ops::Range;

/// A mark for each state: two states are in the same component if theirs are equal. A mark is any
/// number below [`Components::NONE`](crate::Components::NONE), which says that a state is in no
/// component.
#[derive(Debug)]
pub struct Partition {
    pub(crate) marks: Table<u32>,
    pub(crate) known: Known,
}

impl Partition {
    /// Returns the partition in which all of `num_states` states are in one component.
    ///
    /// ```
    /// use mdp_graph::Partition;
    ///
    /// assert_eq!(Partition::one(3).into_numbers(), (1, vec![0, 0, 0].into()));
    /// ```
    #[must_use]
    pub fn one(num_states: usize) -> Self {
        Self::of_parts(Table::any(num_states), 1)
    }

    /// Returns the partition in which each of `num_states` states is a component by itself.
    ///
    /// ```
    /// use mdp_graph::Partition;
    ///
    /// assert_eq!(Partition::singletons(3).into_numbers(), (3, vec![0, 1, 2].into()));
    /// ```
    #[must_use]
    pub fn singletons(num_states: usize) -> Self {
        Self::of_parts(Table::any(num_states), num_states)
    }

    /// Makes a partition from marks of states that are all in components, of which there are
    /// `parts`. If each state is a component by itself, or if there is only one component, the
    /// marks are not read, and may be anything: a search need not write them.
    #[must_use]
    pub fn of_parts(marks: Table<u32>, parts: usize) -> Self {
        Self {
            marks,
            known: Known::Count(parts),
        }
    }

    /// As [`of_parts`](Self::of_parts), for marks that are the numbers of `range`. In addition,
    /// there may be `num_lone` components of one state that all have the end of the range as their
    /// mark, if there are at most 2^31 states.
    ///
    /// ```
    /// use mdp_graph::Partition;
    ///
    /// let partition = Partition::of_range(vec![9, 8, 9, 8, 9].into(), 8..9, 3);
    /// assert_eq!(partition.into_numbers(), (4, vec![0, 1, 2, 1, 3].into()));
    /// ```
    #[must_use]
    pub fn of_range(marks: Table<u32>, range: Range<u32>, num_lone: usize) -> Self {
        let count = range.len() + num_lone;
        let range = MarkRange {
            lone: range.end,
            marks: range,
        };
        Self {
            marks,
            known: Known::Range(range, count),
        }
    }

    /// Returns marks that are equal for states of the same component, and for no others.
    #[must_use]
    pub fn into_marks(mut self) -> Table<u32> {
        numbering::distinguish(&mut self.marks, self.known);
        self.marks
    }

    /// Returns the number of components, and the number of the component of each state, as in
    /// [`Components::numbers`](crate::Components::numbers). This is faster than making
    /// [`Components`](crate::Components).
    ///
    /// ```
    /// use mdp_graph::{Components, Partition};
    ///
    /// let marks = vec![7, Components::NONE, 3, 7];
    /// let (components, numbers) = Partition::from(marks).into_numbers();
    /// assert_eq!(components, 2);
    /// assert_eq!(*numbers, [0, Components::NONE, 1, 0]);
    /// ```
    #[must_use]
    pub fn into_numbers(mut self) -> (usize, Table<u32>) {
        let count = numbering::number(&mut self.marks, self.known);
        (count, self.marks)
    }
}

impl From<Table<u32>> for Partition {
    fn from(marks: Table<u32>) -> Self {
        Self {
            marks,
            known: Known::Nothing,
        }
    }
}

impl From<Vec<u32>> for Partition {
    fn from(marks: Vec<u32>) -> Self {
        Table::from(marks).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Components;
    use proptest::prelude::*;

    #[test]
    fn marks_of_one_part_may_be_anything() {
        let one = || Partition::of_parts(vec![3, 1, 2].into(), 1);
        assert_eq!(*one().into_marks(), [0; 3]);
        assert_eq!(one().into_numbers(), (1, vec![0; 3].into()));
    }

    #[test]
    fn marks_of_as_many_parts_as_states_may_be_anything() {
        let each = || Partition::of_parts(vec![0; 3].into(), 3);
        assert_eq!(*each().into_marks(), [0, 1, 2]);
        assert_eq!(each().into_numbers(), (3, vec![0, 1, 2].into()));
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_components(
            marks in prop::collection::vec(
                prop_oneof![0..9u32, Just(Components::NONE), 90..500u32],
                0..300,
            ),
        ) {
            let components = Components::from_mec_marks(marks.clone());
            let (count, numbers) = Partition::from(marks).into_numbers();
            prop_assert_eq!(count, components.len());
            prop_assert_eq!(&*numbers, components.numbers());
        }

        #[test]
        fn a_known_number_of_parts_changes_nothing(
            marks in prop::collection::vec(0..300u32, 0..30),
        ) {
            let mut parts = marks.clone();
            parts.sort_unstable();
            parts.dedup();
            let known = || Partition::of_parts(marks.clone().into(), parts.len());
            let unknown = || Partition::from(marks.clone());
            let numbers = [known().into_numbers(), unknown().into_numbers()];
            prop_assert_eq!(&numbers[0], &numbers[1]);
            let components = [known(), unknown()].map(Components::from_mec_marks);
            prop_assert_eq!(&components[0], &components[1]);
        }

        #[test]
        fn a_known_range_of_marks_changes_nothing(
            picks in prop::collection::vec(0..7u32, 0..30),
            (start, parts) in (0..100u32, 1..7u32),
        ) {
            // Each mark of the range occurs.
            let marks = (0..parts).chain(picks.iter().map(|pick| pick % parts));
            let marks: Vec<u32> = marks.rev().map(|mark| start + mark).collect();
            let known = Partition::of_range(marks.clone().into(), start..start + parts, 0);
            prop_assert_eq!(known.into_numbers(), Partition::from(marks).into_numbers());
        }
    }
}
