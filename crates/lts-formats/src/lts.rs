//! A labelled transition system in memory: transitions by their source state, in compressed sparse
//! rows.

use crate::labels::is_internal;
use parse_error::{OutOfMemory, check_room, reserve};
use std::ops::Range;

/// A labelled transition system; with probabilities, a Markov decision process.
///
/// | array | entries | what |
/// | --- | --- | --- |
/// | `state_offsets` | `num_states + 1` | where a state's transitions start |
/// | `labels` | `num_transitions` | the label of a transition, an index into the names |
/// | `branch_offsets` | `num_transitions + 1`, or none | where a transition's targets start |
/// | `targets` | a state for each transition, or for each branch | states |
/// | `probabilities` | `targets.len()`; none without probabilities | above 0 |
///
/// The transitions of a state are in the order in which they were given.
#[derive(Debug, Clone, PartialEq)]
pub struct Lts {
    initial: Vec<(u32, f64)>,
    state_offsets: Vec<usize>,
    labels: Vec<u32>,
    branch_offsets: Vec<usize>,
    targets: Vec<u32>,
    probabilities: Vec<f64>,
    names: Vec<String>,
}

/// Transitions in any order, before they are sorted by their sources.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) sources: Vec<u32>,
    pub(crate) labels: Vec<u32>,
    pub(crate) branches: Branches,
}

impl Listed {
    /// Makes room for one more transition, which has several branches if `branches` is not 0.
    #[inline]
    pub(crate) fn make_room(&mut self, branches: usize) -> Result<(), OutOfMemory> {
        reserve(&mut self.sources, 1)?;
        reserve(&mut self.labels, 1)?;
        self.branches.make_room(branches)
    }
}

/// The targets of transitions, in the order of the transitions.
#[derive(Debug, Default)]
pub(crate) struct Branches {
    targets: Vec<u32>,
    /// For each transition, the number of targets up to and including its own; empty as long as
    /// each transition has one target.
    ends: Vec<usize>,
    /// The probability of each target; empty as long as each transition has one target.
    probabilities: Vec<f64>,
}

/// The number of transitions and of targets in all parts, and whether a transition has several
/// branches.
struct Size {
    transitions: usize,
    targets: usize,
    is_probabilistic: bool,
}

impl Size {
    fn of(parts: &[Listed]) -> Self {
        Self {
            transitions: parts.iter().map(|part| part.sources.len()).sum(),
            targets: parts.iter().map(|part| part.branches.targets.len()).sum(),
            is_probabilistic: parts.iter().any(|part| !part.branches.ends.is_empty()),
        }
    }
}

impl Branches {
    /// Returns no branches yet, with room for this many.
    fn with_room(size: &Size) -> Self {
        let (ends, probabilities) = match size.is_probabilistic {
            // The offset of the first transition comes before the ends.
            true => (size.transitions + 1, size.targets),
            false => (0, 0),
        };
        Self {
            targets: Vec::with_capacity(size.targets),
            ends: Vec::with_capacity(ends),
            probabilities: Vec::with_capacity(probabilities),
        }
    }

    /// Makes room for one more transition, which has several branches if `branches` is not 0.
    #[inline]
    fn make_room(&mut self, branches: usize) -> Result<(), OutOfMemory> {
        reserve(&mut self.targets, branches.max(1))?;
        if branches == 0 && self.ends.is_empty() {
            return Ok(());
        }
        // The first distribution needs entries for all transitions before it.
        let missing = self.targets.len() - self.probabilities.len();
        reserve(&mut self.probabilities, missing + branches.max(1))?;
        let missing = match self.ends.is_empty() {
            true => self.targets.len(),
            false => 0,
        };
        reserve(&mut self.ends, missing + 1)
    }

    /// Adds a transition with one target.
    pub(crate) fn push(&mut self, target: u32) {
        self.targets.push(target);
        if !self.ends.is_empty() {
            self.ends.push(self.targets.len());
            self.probabilities.push(1.0);
        }
    }

    /// Adds a transition with several branches.
    pub(crate) fn push_distribution(&mut self, branches: &[(u32, f64)]) {
        if self.ends.is_empty() {
            self.ends.extend(1..=self.targets.len());
            self.probabilities.resize(self.targets.len(), 1.0);
        }
        for &(target, probability) in branches {
            self.targets.push(target);
            self.probabilities.push(probability);
        }
        self.ends.push(self.targets.len());
    }

    fn range(&self, transition: usize) -> Range<usize> {
        match self.ends.get(transition) {
            None => transition..transition + 1,
            Some(&end) => {
                transition
                    .checked_sub(1)
                    .map_or(0, |before| self.ends[before])..end
            }
        }
    }

    /// Adds the transition with index `transition` of `other`.
    fn copy(&mut self, other: &Self, transition: usize) {
        let range = other.range(transition);
        if other.probabilities.is_empty() {
            return self.push(other.targets[range.start]);
        }
        let targets = other.targets[range.clone()].iter().copied();
        let probabilities = other.probabilities[range].iter().copied();
        let branches: Vec<(u32, f64)> = targets.zip(probabilities).collect();
        match branches[..] {
            [(target, _)] => self.push(target),
            _ => self.push_distribution(&branches),
        }
    }
}

impl Lts {
    /// Checks whether there is room to sort these transitions.
    pub(crate) fn check_room(num_states: u32, parts: &[Listed]) -> Result<(), OutOfMemory> {
        let Size {
            transitions,
            targets,
            is_probabilistic,
        } = Size::of(parts);
        let offsets = (num_states as usize + 1) * size_of::<usize>();
        let (ends, probabilities) = match is_probabilistic {
            true => (8 * (transitions + 1), 8 * targets),
            false => (0, 0),
        };
        let order = 8 * transitions;
        let labels = 4 * transitions;
        let tables = [
            offsets,
            offsets,
            order,
            labels,
            4 * targets,
            ends,
            probabilities,
        ];
        check_room(&tables)
    }

    /// Sorts transitions by their sources. Those with the same source keep their order. All parts
    /// refer to labels by their indices in `names`, and all states are below `num_states`.
    pub(crate) fn new(
        num_states: u32,
        initial: Vec<(u32, f64)>,
        names: Vec<String>,
        parts: &[Listed],
    ) -> Self {
        let size = Size::of(parts);
        let mut state_offsets = vec![0_usize; num_states as usize + 1];
        for &source in parts.iter().flat_map(|part| &part.sources) {
            state_offsets[source as usize + 1] += 1;
        }
        for state in 0..num_states as usize {
            state_offsets[state + 1] += state_offsets[state];
        }
        // Computes the part and the index in it of each transition.
        let mut next = state_offsets.clone();
        let mut order = vec![(0_u32, 0_u32); size.transitions];
        for (part, listed) in parts.iter().enumerate() {
            for (number, &source) in listed.sources.iter().enumerate() {
                order[next[source as usize]] = (part as u32, number as u32);
                next[source as usize] += 1;
            }
        }
        drop(next);
        let mut labels = Vec::with_capacity(size.transitions);
        let mut branches = Branches::with_room(&size);
        for (part, number) in order {
            let listed = &parts[part as usize];
            labels.push(listed.labels[number as usize]);
            branches.copy(&listed.branches, number as usize);
        }
        let mut branch_offsets = branches.ends;
        if !branch_offsets.is_empty() {
            branch_offsets.insert(0, 0);
        }
        Self {
            initial,
            state_offsets,
            labels,
            branch_offsets,
            targets: branches.targets,
            probabilities: branches.probabilities,
            names,
        }
    }

    /// Makes an LTS of these transitions, each of which has a source, a label and a target; `None`
    /// if a state is not below `num_states`. The transitions of a state keep their order.
    ///
    /// ```
    /// let lts = lts_formats::Lts::from_transitions(2, 0, [(0, "on", 1), (1, "off", 0)]);
    /// assert_eq!(lts.expect("all states are below 2").names(), ["on", "off"]);
    /// ```
    pub fn from_transitions<'a>(
        num_states: u32,
        initial: u32,
        transitions: impl IntoIterator<Item = (u32, &'a str, u32)>,
    ) -> Option<Self> {
        let mut names = Names::default();
        let mut listed = Listed::default();
        for (source, label, target) in transitions {
            if source >= num_states || target >= num_states {
                return None;
            }
            listed.sources.push(source);
            listed.labels.push(names.number(label));
            listed.branches.push(target);
        }
        let names = names.list.into_iter().map(str::to_owned).collect();
        let initial_is_there = initial < num_states;
        initial_is_there.then(|| Self::new(num_states, vec![(initial, 1.0)], names, &[listed]))
    }

    /// Returns the number of states.
    #[must_use]
    pub fn num_states(&self) -> u32 {
        // It was made from a 32-bit number.
        (self.state_offsets.len() - 1) as u32
    }

    /// Returns the number of transitions.
    #[must_use]
    pub fn num_transitions(&self) -> usize {
        self.labels.len()
    }

    /// Returns the number of branches, which is the number of transitions if there are no
    /// probabilities.
    #[must_use]
    pub fn num_branches(&self) -> usize {
        self.targets.len()
    }

    /// Returns the initial states with their probabilities, which sum to 1. Only models with
    /// probabilities have more than one.
    #[must_use]
    pub fn initial(&self) -> &[(u32, f64)] {
        &self.initial
    }

    /// Returns the names of the labels, without duplicates, in the order in which they first occur.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns whether some transition has several branches, or there are several initial states.
    #[must_use]
    pub fn is_probabilistic(&self) -> bool {
        !self.branch_offsets.is_empty() || self.initial.len() > 1
    }

    /// Returns the number of transitions that have the internal action.
    #[must_use]
    pub fn num_internal(&self) -> usize {
        let is_internal: Vec<bool> = self.names.iter().map(|name| is_internal(name)).collect();
        let labels = self.labels.iter();
        labels.filter(|&&label| is_internal[label as usize]).count()
    }

    /// Returns the transitions of a state, in order.
    ///
    /// # Panics
    ///
    /// If there is no such state.
    pub fn transitions_of(&self, state: u32) -> impl ExactSizeIterator<Item = TransitionRef<'_>> {
        let range = self.state_offsets[state as usize]..self.state_offsets[state as usize + 1];
        range.map(move |number| TransitionRef {
            lts: self,
            source: state,
            number,
        })
    }

    /// Returns all transitions, state by state.
    pub fn transitions(&self) -> impl Iterator<Item = TransitionRef<'_>> {
        (0..self.num_states()).flat_map(|state| self.transitions_of(state))
    }
}

/// A transition of an [`Lts`].
#[derive(Debug, Clone, Copy)]
pub struct TransitionRef<'a> {
    lts: &'a Lts,
    source: u32,
    number: usize,
}

impl<'a> TransitionRef<'a> {
    /// Returns the source of the transition.
    #[must_use]
    pub fn source(self) -> u32 {
        self.source
    }

    /// Returns the label of the transition.
    #[must_use]
    pub fn label(self) -> &'a str {
        &self.lts.names[self.label_number() as usize]
    }

    /// Returns the index of its label among the [names](Lts::names).
    #[must_use]
    pub fn label_number(self) -> u32 {
        self.lts.labels[self.number]
    }

    /// Returns the targets. Only models with probabilities may have more than one; the same state
    /// may then occur twice.
    #[must_use]
    pub fn targets(self) -> &'a [u32] {
        &self.lts.targets[self.branches()]
    }

    /// Returns the probability of each target; empty if the LTS has no probabilities.
    #[must_use]
    pub fn probabilities(self) -> &'a [f64] {
        match self.lts.probabilities.is_empty() {
            true => &[],
            false => &self.lts.probabilities[self.branches()],
        }
    }

    fn branches(self) -> Range<usize> {
        match &self.lts.branch_offsets[..] {
            [] => self.number..self.number + 1,
            offsets => offsets[self.number]..offsets[self.number + 1],
        }
    }
}

/// The bytes of memory that a string takes beside its characters.
const BYTES_OF_STRING: usize = size_of::<String>() + 32;

/// Labels, numbered in the order in which they first occur.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    pub(crate) list: Vec<&'a str>,
    numbers: std::collections::HashMap<&'a str, u32>,
    /// The index of the last label. Consecutive transitions often have the same one.
    last: u32,
}

impl<'a> Names<'a> {
    /// Makes room for one more label.
    #[inline]
    pub(crate) fn make_room(&mut self) -> Result<(), OutOfMemory> {
        reserve(&mut self.list, 1)?;
        let entries = self.numbers.capacity();
        let bytes = (2 * entries * size_of::<(&str, u32)>()) as u64;
        self.numbers
            .try_reserve(1)
            .map_err(|_| OutOfMemory { bytes })
    }

    /// Returns copies of the labels.
    pub(crate) fn into_owned(self) -> Result<Vec<String>, OutOfMemory> {
        let bytes = self.list.iter().map(|name| name.len() + BYTES_OF_STRING);
        check_room(&[bytes.sum()])?;
        Ok(self.list.into_iter().map(str::to_owned).collect())
    }

    pub(crate) fn number(&mut self, name: &'a str) -> u32 {
        if self.list.get(self.last as usize) != Some(&name) {
            let next = self.list.len() as u32;
            self.last = *self.numbers.entry(name).or_insert(next);
            if self.last == next {
                self.list.push(name);
            }
        }
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rooms(listed: &Listed) -> [usize; 5] {
        let Branches {
            targets,
            ends,
            probabilities,
        } = &listed.branches;
        [
            listed.sources.capacity(),
            listed.labels.capacity(),
            targets.capacity(),
            ends.capacity(),
            probabilities.capacity(),
        ]
    }

    proptest! {
        /// Once there is room for a transition, adding it requests no memory.
        #[test]
        fn the_room_for_a_transition_is_enough(
            sizes in prop::collection::vec(prop_oneof![3 => Just(0), 1 => 2..9_usize], 0..60),
        ) {
            let mut listed = Listed::default();
            for &size in &sizes {
                prop_assert_eq!(listed.make_room(size), Ok(()));
                let before = rooms(&listed);
                listed.sources.push(0);
                listed.labels.push(0);
                match size {
                    0 => listed.branches.push(0),
                    _ => listed.branches.push_distribution(&vec![(0, 0.5); size]),
                }
                prop_assert_eq!(rooms(&listed), before);
            }
            let size = Size::of(&[listed]);
            prop_assert_eq!(size.transitions, sizes.len());
            prop_assert_eq!(size.targets, sizes.iter().map(|&size| size.max(1)).sum::<usize>());
            prop_assert_eq!(size.is_probabilistic, sizes.iter().any(|&size| size > 0));
        }

        #[test]
        fn the_room_for_a_name_is_enough(labels in prop::collection::vec("[a-c]{1,3}", 0..60)) {
            let mut names = Names::default();
            for label in &labels {
                prop_assert_eq!(names.make_room(), Ok(()));
                let before = (names.list.capacity(), names.numbers.capacity());
                names.number(label);
                prop_assert_eq!((names.list.capacity(), names.numbers.capacity()), before);
            }
            let known = names.list.clone();
            prop_assert_eq!(names.into_owned(), Ok(known.into_iter().map(str::to_owned).collect()));
        }
    }
}
