//! A model in memory: states, choices and branches, as two levels of compressed sparse rows. It is
//! built by a visitor, and does not depend on the text.

use std::collections::HashMap;
use std::ops::Range;

use super::choice::Choice;
use super::visit::{TransitionsInfo, visit_transitions};
use super::visitor::Visitor;
use crate::error::{Error, ErrorKind};
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
/// As [`visit_transitions`], and [`ErrorKind::OutOfMemory`].
pub fn read_transitions(input: &[u8], options: &ReadOptions<'_>) -> Result<Transitions, Error> {
    let visited = visit_transitions(input, options, |_, chunk| Gatherer::for_bytes(chunk.bytes))?;
    Transitions::join(visited.info, &visited.chunks)
}

/// The choices of one chunk.
#[derive(Default)]
struct Gatherer {
    states: Vec<u32>,
    choices: Choices,
    interned: HashMap<String, u32>,
    /// The last action. Consecutive lines often have the same one.
    last: u32,
}

impl Gatherer {
    fn for_bytes(bytes: usize) -> Self {
        const BYTES_PER_LINE: usize = 16;
        let mut gatherer = Self {
            last: UNNAMED,
            ..Self::default()
        };
        gatherer.choices.choice_offsets.push(0);
        gatherer.choices.targets.reserve(bytes / BYTES_PER_LINE);
        gatherer.choices.values.reserve(bytes / BYTES_PER_LINE);
        gatherer
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
    fn join(info: TransitionsInfo, chunks: &[Gatherer]) -> Result<Self, Error> {
        let num_states = info.num_states as usize;
        let num_choices = info.num_choices as usize;
        let num_branches = info.num_transitions as usize;
        let mut gatherer = Gatherer {
            last: UNNAMED,
            ..Gatherer::default()
        };
        let mut state_offsets = Vec::new();
        reserve(&mut state_offsets, num_states + 1)?;
        reserve(&mut gatherer.choices.choice_offsets, num_choices + 1)?;
        reserve(&mut gatherer.choices.targets, num_branches)?;
        reserve(&mut gatherer.choices.values, num_branches)?;
        if info.model_type.has_intervals() {
            reserve(&mut gatherer.choices.lower, num_branches)?;
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

fn reserve<T>(array: &mut Vec<T>, entries: usize) -> Result<(), Error> {
    array.try_reserve_exact(entries).map_err(|_| {
        let bytes = (entries as u64).saturating_mul(size_of::<T>() as u64);
        Error::placeless(ErrorKind::OutOfMemory { bytes })
    })
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
