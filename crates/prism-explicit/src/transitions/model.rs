//! A model in memory: states, choices and branches, as two levels of compressed sparse rows. It is
//! built by a visitor, and does not depend on the text.

use std::collections::HashMap;
use std::ops::Range;

use parse_error::{OutOfMemory, reserve, reserve_exact};

use super::choice::Choice;
use super::visit::{TransitionsInfo, visit_transitions};
use super::visitor::Visitor;
use crate::error::Error;
use crate::options::ReadOptions;

/// The action number that stands for "no action".
const UNNAMED: u32 = u32::MAX;

/// A model: the choices of each state, and the branches of each choice.
///
/// | array | entries | what |
/// | --- | --- | --- |
/// | `state_offsets` | `num_states + 1` | where a state's choices start |
/// | `choice_offsets` | `num_choices + 1` | where a choice's branches start |
/// | `targets`, `values` | `num_transitions` | the branches |
/// | `lower_bounds` | `num_transitions`; none if no interval model | the branches' lower bounds |
/// | actions | `num_choices`, or `num_transitions` in a chain; none if nothing is named | index into the names |
#[derive(Debug, Clone, PartialEq)]
pub struct Transitions {
    info: TransitionsInfo,
    state_offsets: Vec<usize>,
    choices: Choices,
}

/// The choices of some states, numbered from 0.
#[derive(Debug, Clone, PartialEq, Default)]
struct Choices {
    choice_offsets: Vec<usize>,
    targets: Vec<u32>,
    values: Vec<f64>,
    /// The lower bounds, in an interval model.
    lower: Vec<f64>,
    choice_actions: ActionColumn,
    branch_actions: ActionColumn,
    names: Vec<String>,
}

/// The actions of choices or branches, as indices of names. Empty as long as there are no actions.
#[derive(Debug, Clone, PartialEq, Default)]
struct ActionColumn(Vec<u32>);

impl ActionColumn {
    /// Records the action of the entry that follows `before` others.
    fn push(&mut self, before: usize, action: u32) {
        if action != UNNAMED || !self.0.is_empty() {
            self.0.resize(before, UNNAMED);
            self.0.push(action);
        }
    }

    fn get(&self, entry: usize) -> u32 {
        self.0.get(entry).copied().unwrap_or(UNNAMED)
    }
}

/// Reads a transitions file, in either dialect, into memory. [`Transitions::info`] describes it.
///
/// # Errors
///
/// As [`visit_transitions`], and [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
pub fn read_transitions(input: &[u8], options: &ReadOptions<'_>) -> Result<Transitions, Error> {
    let visited = visit_transitions(input, options, |_, chunk| Gatherer::for_bytes(chunk.bytes))?;
    let joined = Transitions::join(visited.info, &visited.chunks);
    joined.map_err(|missing| Error::placeless(missing.into()))
}

/// The choices of one chunk.
#[derive(Default)]
struct Gatherer {
    states: Vec<u32>,
    choices: Choices,
    interned: HashMap<String, u32>,
    /// The last action. Consecutive lines often have the same one.
    last: u32,
    /// The lack of memory because of which choices are missing, if any.
    missing: Option<OutOfMemory>,
}

impl Gatherer {
    fn for_bytes(bytes: usize) -> Self {
        const BYTES_PER_LINE: usize = 16;
        let mut gatherer = Self {
            last: UNNAMED,
            ..Self::default()
        };
        gatherer.choices.choice_offsets.push(0);
        let room = reserve(&mut gatherer.choices.targets, bytes / BYTES_PER_LINE);
        gatherer.missing = room
            .and_then(|()| reserve(&mut gatherer.choices.values, bytes / BYTES_PER_LINE))
            .err();
        gatherer
    }

    /// Makes room for one more choice.
    fn make_room(&mut self, choice: &Choice<'_>) -> Result<(), OutOfMemory> {
        let choices = &mut self.choices;
        reserve(&mut self.states, 1)?;
        reserve(&mut choices.choice_offsets, 1)?;
        reserve(&mut choices.targets, choice.targets.len())?;
        reserve(&mut choices.values, choice.values.len())?;
        reserve(&mut choices.lower, choice.lower.len())?;
        // Entries that have no action yet are added when the first one has an action.
        let missing = |column: &ActionColumn, all: usize| all - column.0.len();
        if choice.action.is_some() || !choices.choice_actions.0.is_empty() {
            let missing = missing(&choices.choice_actions, self.states.len());
            reserve(&mut choices.choice_actions.0, missing + 1)?;
        }
        if choice.branch_actions.iter().any(Option::is_some) || !choices.branch_actions.0.is_empty()
        {
            let missing = missing(&choices.branch_actions, choices.targets.len());
            let more = missing + choice.branch_actions.len();
            reserve(&mut choices.branch_actions.0, more)?;
        }
        Ok(())
    }

    fn intern(&mut self, action: Option<&str>) -> u32 {
        let Some(action) = action else {
            return UNNAMED;
        };
        let names = &mut self.choices.names;
        if names
            .get(self.last as usize)
            .is_some_and(|last| last == action)
        {
            return self.last;
        }
        self.last = match self.interned.get(action) {
            Some(&known) => known,
            None => {
                let new = names.len() as u32;
                names.push(action.to_owned());
                self.interned.insert(action.to_owned(), new);
                new
            }
        };
        self.last
    }
}

impl Visitor for Gatherer {
    fn choice(&mut self, choice: Choice<'_>) {
        if self.missing.is_none()
            && let Err(missing) = self.make_room(&choice)
        {
            // What was gathered is incomplete and of no use, so its memory is freed.
            (self.missing, self.choices, self.states) =
                (Some(missing), Choices::default(), Vec::new());
        }
        if self.missing.is_some() {
            return;
        }
        let action = self.intern(choice.action);
        self.choices.choice_actions.push(self.states.len(), action);
        for (branch, &named) in choice.branch_actions.iter().enumerate() {
            let action = self.intern(named);
            let before = self.choices.targets.len() + branch;
            self.choices.branch_actions.push(before, action);
        }
        self.states.push(choice.state);
        self.choices.targets.extend_from_slice(choice.targets);
        self.choices.values.extend_from_slice(choice.values);
        self.choices.lower.extend_from_slice(choice.lower);
        self.choices.choice_offsets.push(self.choices.targets.len());
    }
}

impl Transitions {
    fn join(info: TransitionsInfo, chunks: &[Gatherer]) -> Result<Self, OutOfMemory> {
        if let Some(missing) = chunks.iter().find_map(|chunk| chunk.missing) {
            return Err(missing);
        }
        let num_states = info.num_states as usize;
        let num_choices = info.num_choices as usize;
        let num_branches = info.num_transitions as usize;
        let mut gatherer = Gatherer {
            last: UNNAMED,
            ..Gatherer::default()
        };
        let mut state_offsets = Vec::new();
        reserve_exact(&mut state_offsets, num_states + 1)?;
        reserve_exact(&mut gatherer.choices.choice_offsets, num_choices + 1)?;
        reserve_exact(&mut gatherer.choices.targets, num_branches)?;
        reserve_exact(&mut gatherer.choices.values, num_branches)?;
        if info.model_type.has_intervals() {
            reserve_exact(&mut gatherer.choices.lower, num_branches)?;
        }
        let has = |column: fn(&Choices) -> &ActionColumn| {
            chunks
                .iter()
                .any(|chunk| !column(&chunk.choices).0.is_empty())
        };
        if has(|choices| &choices.choice_actions) {
            reserve_exact(&mut gatherer.choices.choice_actions.0, num_choices)?;
        }
        if has(|choices| &choices.branch_actions) {
            reserve_exact(&mut gatherer.choices.branch_actions.0, num_branches)?;
        }
        gatherer.choices.choice_offsets.push(0);
        for chunk in chunks {
            gatherer.append(chunk, &mut state_offsets);
        }
        state_offsets.resize(num_states + 1, num_choices);
        Ok(Self {
            info,
            state_offsets,
            choices: gatherer.choices,
        })
    }

    /// Returns the information in the file, apart from the choices.
    #[must_use]
    pub fn info(&self) -> &TransitionsInfo {
        &self.info
    }

    /// Returns the number of states.
    #[must_use]
    pub fn num_states(&self) -> u32 {
        self.info.num_states
    }

    /// Returns the index of the first choice of each state, among all choices. The length is the
    /// number of states plus 1.
    #[must_use]
    pub fn state_offsets(&self) -> &[usize] {
        &self.state_offsets
    }

    /// Returns the index of the first branch of each choice, among all branches. The length is the
    /// number of choices plus 1.
    #[must_use]
    pub fn choice_offsets(&self) -> &[usize] {
        &self.choices.choice_offsets
    }

    /// Returns the target of each branch.
    #[must_use]
    pub fn targets(&self) -> &[u32] {
        &self.choices.targets
    }

    /// Returns the value of each branch.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.choices.values
    }

    /// Returns the lower bound of each branch in an interval model, where the values are the upper
    /// bounds; empty for other models.
    #[must_use]
    pub fn lower_bounds(&self) -> &[f64] {
        &self.choices.lower
    }

    /// Returns the states without a choice, in ascending order.
    pub fn deadlocks(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.num_states()).filter(|&state| self.choice_range(state).is_empty())
    }

    /// Returns the choices of a state, in order.
    ///
    /// # Panics
    ///
    /// If there is no such state.
    pub fn choices_of(&self, state: u32) -> impl ExactSizeIterator<Item = ChoiceRef<'_>> {
        let range = self.choice_range(state);
        let first = range.start;
        range.map(move |number| ChoiceRef {
            choices: &self.choices,
            state,
            index: (number - first) as u32,
            number,
        })
    }

    /// Returns all choices, state by state.
    pub fn choices(&self) -> impl Iterator<Item = ChoiceRef<'_>> {
        (0..self.num_states()).flat_map(|state| self.choices_of(state))
    }

    /// Calls a visitor with all choices, state by state.
    pub fn visit(&self, visitor: &mut impl Visitor) {
        let mut branch_actions = Vec::new();
        for choice in self.choices() {
            branch_actions.clear();
            if !self.choices.branch_actions.0.is_empty() {
                branch_actions.extend(choice.branch_actions());
            }
            visitor.choice(Choice {
                state: choice.state(),
                index: choice.index(),
                action: choice.action(),
                targets: choice.targets(),
                values: choice.values(),
                lower: choice.lower_bounds(),
                branch_actions: &branch_actions,
            });
        }
    }

    fn choice_range(&self, state: u32) -> Range<usize> {
        self.state_offsets[state as usize]..self.state_offsets[state as usize + 1]
    }
}

impl Gatherer {
    /// Appends a later chunk, and sets the offsets of all states up to the last state of the chunk.
    fn append(&mut self, chunk: &Gatherer, state_offsets: &mut Vec<usize>) {
        let all = &mut self.choices;
        let (choices_before, branches_before) = (all.choice_offsets.len() - 1, all.targets.len());
        for (number, &state) in chunk.states.iter().enumerate() {
            if state_offsets.len() <= state as usize {
                state_offsets.resize(state as usize + 1, choices_before + number);
            }
        }
        let offsets = &chunk.choices.choice_offsets[1..];
        all.choice_offsets
            .extend(offsets.iter().map(|offset| offset + branches_before));
        all.targets.extend_from_slice(&chunk.choices.targets);
        all.values.extend_from_slice(&chunk.choices.values);
        all.lower.extend_from_slice(&chunk.choices.lower);
        let names = &chunk.choices.names;
        let renumbered: Vec<u32> = names.iter().map(|name| self.intern(Some(name))).collect();
        let renumber = |action: &u32| renumbered.get(*action as usize).copied().unwrap_or(UNNAMED);
        for (number, action) in chunk.choices.choice_actions.0.iter().enumerate() {
            self.choices
                .choice_actions
                .push(choices_before + number, renumber(action));
        }
        for (number, action) in chunk.choices.branch_actions.0.iter().enumerate() {
            self.choices
                .branch_actions
                .push(branches_before + number, renumber(action));
        }
    }
}

/// A choice of a [`Transitions`] model.
#[derive(Debug, Clone, Copy)]
pub struct ChoiceRef<'a> {
    choices: &'a Choices,
    state: u32,
    index: u32,
    number: usize,
}

impl<'a> ChoiceRef<'a> {
    /// Returns the state of the choice.
    #[must_use]
    pub fn state(self) -> u32 {
        self.state
    }

    /// Returns the index of the choice among those of its state, from 0.
    #[must_use]
    pub fn index(self) -> u32 {
        self.index
    }

    /// Returns the action of the choice, in an MDP or LTS.
    #[must_use]
    pub fn action(self) -> Option<&'a str> {
        self.choices
            .name(self.choices.choice_actions.get(self.number))
    }

    /// Returns the targets of the branches.
    #[must_use]
    pub fn targets(self) -> &'a [u32] {
        &self.choices.targets[self.branches()]
    }

    /// Returns the values of the branches, in the order of the targets.
    #[must_use]
    pub fn values(self) -> &'a [f64] {
        &self.choices.values[self.branches()]
    }

    /// Returns the lower bounds of the branches, in an interval model; otherwise empty.
    #[must_use]
    pub fn lower_bounds(self) -> &'a [f64] {
        self.choices.lower.get(self.branches()).unwrap_or_default()
    }

    /// Returns the actions of the branches, which only Markov chains have.
    pub fn branch_actions(self) -> impl ExactSizeIterator<Item = Option<&'a str>> {
        self.branches()
            .map(move |branch| self.choices.name(self.choices.branch_actions.get(branch)))
    }

    fn branches(self) -> Range<usize> {
        self.choices.choice_offsets[self.number]..self.choices.choice_offsets[self.number + 1]
    }
}

impl Choices {
    fn name(&self, action: u32) -> Option<&str> {
        self.names.get(action as usize).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rooms(gatherer: &Gatherer) -> [usize; 7] {
        let choices = &gatherer.choices;
        [
            gatherer.states.capacity(),
            choices.choice_offsets.capacity(),
            choices.targets.capacity(),
            choices.values.capacity(),
            choices.lower.capacity(),
            choices.choice_actions.0.capacity(),
            choices.branch_actions.0.capacity(),
        ]
    }

    proptest! {
        /// Once there is room for a choice, adding it requests no memory.
        #[test]
        fn the_room_for_a_choice_is_enough(
            choices in prop::collection::vec((1..5_usize, any::<[bool; 3]>()), 0..60),
        ) {
            let mut gatherer = Gatherer::for_bytes(0);
            for (state, (branches, [is_named, are_named, has_bounds])) in (0..).zip(choices) {
                let (targets, values) = (vec![0; branches], vec![1.0; branches]);
                let branch_actions = vec![are_named.then_some("b"); branches];
                let choice = Choice {
                    state,
                    index: 0,
                    action: is_named.then_some("a"),
                    targets: &targets,
                    values: &values,
                    lower: if has_bounds { &values } else { &[] },
                    branch_actions: &branch_actions,
                };
                prop_assert_eq!(gatherer.make_room(&choice), Ok(()));
                let before = rooms(&gatherer);
                gatherer.choice(choice);
                prop_assert_eq!(rooms(&gatherer), before);
            }
        }
    }

    #[test]
    fn a_lack_of_memory_is_reported() {
        let mut gatherer = Gatherer::for_bytes(0);
        gatherer.missing = Some(OutOfMemory { bytes: 7 });
        let info = visit_transitions(b"1 1\n0 0 1\n", &ReadOptions::default(), |_, _| {
            Gatherer::for_bytes(0)
        });
        let info = info.expect("a model").info;
        let joined = Transitions::join(info, &[gatherer]);
        assert_eq!(joined, Err(OutOfMemory { bytes: 7 }));
    }
}
