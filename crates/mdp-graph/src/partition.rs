//! [`Partition`]: says which states belong together, before components have numbers.

use crate::{Table, naming};

/// A mark for each state: two states are in the same component if theirs are equal. A mark is any
/// number below [`Components::NONE`](crate::Components::NONE), which says that a state is in no
/// component.
#[derive(Debug)]
pub struct Partition {
    pub(crate) marks: Table<u32>,
    /// How many marks differ, if that is known. Then no state is in no component.
    pub(crate) parts: Option<usize>,
}

impl Partition {
    /// Marks of states that are all in a component; so many of them differ. To know that saves
    /// looking at them where each state is a component of its own, and where all are one: then the
    /// marks may be anything.
    #[must_use]
    pub fn of_parts(marks: Table<u32>, parts: usize) -> Self {
        let parts = Some(parts);
        Self { marks, parts }
    }

    /// The marks.
    #[must_use]
    pub fn into_marks(mut self) -> Table<u32> {
        if self.parts == Some(1) {
            self.marks.fill(0);
        }
        self.marks
    }

    /// How many components there are, and the number of that of each state, as
    /// [`Components::numbers`](crate::Components::numbers) has it. Components know more, and take
    /// longer to make.
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
        (naming::number(&mut self.marks, self.parts), self.marks)
    }
}

impl From<Table<u32>> for Partition {
    fn from(marks: Table<u32>) -> Self {
        Self { marks, parts: None }
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
        fn what_is_known_of_parts_changes_nothing(
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
    }
}
