//! The part of an MDP inside maximal end components: their states, one component after another,
//! with only the choices that they retain.

use crate::bounds::Bounds;
use crate::problem::Problem;
use mdp_graph::{ChoiceId, ComponentId, Components, OutOfMemory, StateId, check_room};
use rayon::prelude::*;
use std::ops::Range;

/// The number of states or choices that a thread copies at a time.
const BLOCK: usize = 1 << 12;

/// The wanted maximal end components of a model. States, choices and branches are numbered over all
/// of them. Components that are not wanted have no states here.
pub(crate) struct Inner {
    /// The first state of each component, and the end of the last one.
    starts: Vec<u32>,
    /// The first choice of each state, and the end of the last one.
    states: Vec<u32>,
    /// The first branch of each choice, and the end of the last one.
    choices: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    pub(crate) probabilities: Vec<f64>,
    /// The expected reward of each choice.
    pub(crate) earned: Vec<Bounds>,
    /// The sum of the probabilities of each choice.
    pub(crate) sums: Vec<Bounds>,
    /// Both, with ordinary rounding.
    pub(crate) outcomes: Vec<Outcome>,
}

/// The data of a choice for an iteration.
#[derive(Clone, Copy)]
pub(crate) struct Outcome {
    /// The expected reward.
    pub(crate) earned: f64,
    /// One divided by the sum of its probabilities.
    pub(crate) scale: f64,
}

/// What the memory is for, in messages.
const WHAT: &str = "the choices inside components";

impl Inner {
    /// Returns the part of the model inside the wanted components.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(
        problem: &Problem<'_>,
        mecs: &Components,
        is_wanted: impl Fn(ComponentId) -> bool,
    ) -> Result<Self, OutOfMemory> {
        check_room_for_states(problem, mecs)?;
        let members = mecs.members();
        let (mut starts, mut order) = (vec![0], Vec::with_capacity(mecs.num_member_states()));
        for id in mecs.ids() {
            if is_wanted(id) {
                order.extend_from_slice(members.states(id));
            }
            starts.push(order.len() as u32);
        }
        let mut places = vec![0; problem.graph.num_states()];
        for (place, state) in order.iter().enumerate() {
            places[state.index()] = place as u32;
        }
        let (states, retained) = retained(problem, mecs, &order);
        let lengths = retained
            .iter()
            .map(|&(_, choice)| problem.branches(choice).len() as u32);
        check_room_for_choices(retained.len(), lengths.clone())?;
        let choices = starts_of(lengths);
        let branches = choices.last().map_or(0, |&end| end as usize);
        let (mut targets, mut probabilities) = (vec![0; branches], vec![0.0; branches]);
        fill(&mut targets, &choices, |choice| {
            let (_, choice) = retained[choice];
            let targets = problem.graph.targets(choice).iter();
            targets.map(|target| places[target.index()])
        });
        fill(&mut probabilities, &choices, |choice| {
            let (_, choice) = retained[choice];
            problem.probabilities[problem.branches(choice)]
                .iter()
                .copied()
        });
        let of_choices = retained.par_iter();
        let earned: Vec<Bounds> = of_choices
            .clone()
            .map(|&(state, choice)| problem.earned(state, choice))
            .collect();
        let sums: Vec<Bounds> = of_choices.map(|&(_, choice)| problem.sum(choice)).collect();
        let both = earned.par_iter().zip(&sums);
        Ok(Self {
            starts,
            states,
            choices,
            targets,
            probabilities,
            outcomes: both
                .map(|(earned, sum)| Outcome {
                    earned: earned.middle(),
                    scale: 1.0 / sum.middle(),
                })
                .collect(),
            earned,
            sums,
        })
    }

    /// Returns the states of a component, which is given by its number.
    pub(crate) fn component(&self, component: usize) -> Range<usize> {
        self.starts[component] as usize..self.starts[component + 1] as usize
    }

    pub(crate) fn choices(&self, state: usize) -> Range<usize> {
        self.states[state] as usize..self.states[state + 1] as usize
    }

    pub(crate) fn branches(&self, choice: usize) -> Range<usize> {
        self.choices[choice] as usize..self.choices[choice + 1] as usize
    }
}

/// Access to all components at once, for devices.
#[cfg(feature = "gpu")]
impl Inner {
    /// Returns the number of components.
    pub(crate) fn num_components(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of states.
    pub(crate) fn num_states(&self) -> usize {
        self.states.len() - 1
    }

    /// Returns the first branch of each choice, and the end of the last one.
    pub(crate) fn choice_starts(&self) -> &[u32] {
        &self.choices
    }
}

/// Checks whether there is memory for the states, and for the list of their choices.
fn check_room_for_states(problem: &Problem<'_>, mecs: &Components) -> Result<(), OutOfMemory> {
    let members = mecs.num_member_states();
    let choices = problem.graph.num_choices() * size_of::<(StateId, ChoiceId)>();
    let places = 4 * problem.graph.num_states();
    // The list is made of the lists of blocks, which grow by doubling.
    let tables = [8 * members, 4 * members, places, choices, 2 * choices];
    check_room(WHAT, &tables)
}

/// Checks whether there is memory for this many choices, which have so many branches each.
fn check_room_for_choices(
    choices: usize,
    lengths: impl Iterator<Item = u32>,
) -> Result<(), OutOfMemory> {
    let branches: usize = lengths.map(|length| length as usize).sum();
    let bounds = choices * size_of::<Bounds>();
    let outcomes = choices * size_of::<Outcome>();
    let tables = [
        4 * choices,
        bounds,
        bounds,
        outcomes,
        4 * branches,
        8 * branches,
    ];
    check_room(WHAT, &tables)
}

/// Returns the first retained choice of each state, and all of these choices with their states.
fn retained(
    problem: &Problem<'_>,
    mecs: &Components,
    order: &[StateId],
) -> (Vec<u32>, Vec<(StateId, ChoiceId)>) {
    let of_block = |block: &[StateId]| {
        let (mut lengths, mut all) = (Vec::with_capacity(block.len()), Vec::new());
        for &state in block {
            let before = all.len();
            let choices = mecs.retained_choices(problem.graph, state);
            all.extend(choices.map(|choice| (state, choice)));
            lengths.push((all.len() - before) as u32);
        }
        (lengths, all)
    };
    let blocks: Vec<_> = order.par_chunks(BLOCK).map(of_block).collect();
    let lengths = blocks.iter().flat_map(|(lengths, _)| lengths).copied();
    let starts = starts_of(lengths);
    let mut all = Vec::with_capacity(starts.last().map_or(0, |&end| end as usize));
    for (_, of_block) in blocks {
        all.extend_from_slice(&of_block);
    }
    (starts, all)
}

/// Returns the start of each of the rows with these lengths, and the end of the last one.
fn starts_of(lengths: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut end = 0;
    let ends = lengths.map(|length| {
        end += length;
        end
    });
    [0].into_iter().chain(ends).collect()
}

/// Fills an array whose rows begin at `starts`, in parallel.
pub(crate) fn fill<T: Send, I: Iterator<Item = T>>(
    mut array: &mut [T],
    starts: &[u32],
    row: impl Fn(usize) -> I + Sync,
) {
    let rows = starts.len() - 1;
    let mut parts = Vec::with_capacity(rows.div_ceil(BLOCK));
    for first in (0..rows).step_by(BLOCK) {
        let end = (first + BLOCK).min(rows);
        let (part, rest) = array.split_at_mut((starts[end] - starts[first]) as usize);
        parts.push((first..end, part));
        array = rest;
    }
    parts.into_par_iter().for_each(|(rows, part)| {
        for (place, value) in part.iter_mut().zip(rows.flat_map(&row)) {
            *place = value;
        }
    });
}
