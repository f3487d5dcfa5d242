//! [`Sizes`]: the numbers of states of components, of which most may have one state.

use crate::numbering::NONE;
use crate::{BitSet, Table};
use std::sync::OnceLock;

/// The sizes of components. Those of components of several states are counted when one of them is
/// asked for.
#[derive(Clone, Debug)]
pub(crate) struct Sizes {
    /// The components of several states.
    several: BitSet,
    counted: OnceLock<Counted>,
}

/// The sizes of the components of several states.
#[derive(Clone, Debug)]
struct Counted {
    /// For each word of the set of these components, how many there are in the words before it.
    before: Vec<u32>,
    sizes: Table<u32>,
}

impl Sizes {
    /// Returns sizes, given which components have several states.
    pub(crate) fn new(several: BitSet) -> Self {
        Self {
            several,
            counted: OnceLock::new(),
        }
    }

    /// Returns the number of components.
    pub(crate) fn len(&self) -> usize {
        self.several.bound()
    }

    /// Returns whether a component has only one state.
    #[inline]
    pub(crate) fn is_one(&self, component: usize) -> bool {
        !self.several.contains(component)
    }

    /// Returns the components of one state.
    pub(crate) fn ones(&self) -> BitSet {
        BitSet::from_fn(self.len(), |component| self.is_one(component))
    }

    /// Returns the number of components of one state.
    pub(crate) fn num_ones(&self) -> usize {
        self.len() - self.several.count()
    }

    /// Returns the size of a component, given the component of each state.
    #[inline]
    pub(crate) fn get(&self, numbers: &[u32], component: usize) -> u32 {
        match self.is_one(component) {
            true => 1,
            false => {
                let counted = self.counted(numbers);
                counted.sizes[place(&self.several, &counted.before, component)]
            }
        }
    }

    /// Returns the sizes of the components of several states, given the component of each state.
    pub(crate) fn of_several(&self, numbers: &[u32]) -> &[u32] {
        &self.counted(numbers).sizes
    }

    fn counted(&self, numbers: &[u32]) -> &Counted {
        self.counted.get_or_init(|| count(numbers, &self.several))
    }
}

/// Returns the place of a component of several states among these.
#[inline]
fn place(several: &BitSet, before: &[u32], component: usize) -> usize {
    let below = several.words()[component / 64] & ((1 << (component % 64)) - 1);
    (before[component / 64] + below.count_ones()) as usize
}

/// Counts by one thread, for the reason of [`first_states`](crate::first_states::first_states).
fn count(numbers: &[u32], several: &BitSet) -> Counted {
    let mut len = 0;
    let mut before = Vec::with_capacity(several.words().len());
    for word in several.words() {
        before.push(len);
        len += word.count_ones();
    }
    let mut sizes: Table<u32> = Table::new(len as usize);
    // Neighbours are often in one component: they are counted together.
    for run in numbers.chunk_by(|a, b| a == b) {
        if run[0] != NONE && several.contains(run[0] as usize) {
            sizes[place(several, &before, run[0] as usize)] += run.len() as u32;
        }
    }
    Counted { before, sizes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sizes_are_those_of_a_count(
            numbers in prop::collection::vec(prop_oneof![0..150u32, Just(NONE), 0..9u32], 0..500),
        ) {
            let size = |number: usize| {
                numbers.iter().filter(|&&other| other == number as u32).count() as u32
            };
            let several = BitSet::from_fn(150, |number| size(number) > 1);
            let sizes = Sizes::new(several.clone());
            for number in (0..150).filter(|&number| size(number) > 0) {
                prop_assert_eq!(sizes.get(&numbers, number), size(number));
            }
            let expected: Vec<u32> = (0..150).map(size).filter(|&size| size > 1).collect();
            prop_assert_eq!(sizes.of_several(&numbers), &expected);
        }
    }
}
