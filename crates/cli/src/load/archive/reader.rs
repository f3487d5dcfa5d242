//! [`Reader`]: the choices of an archive, one by one.

use super::super::choice_chunk::ChoiceChunk;
use mdp_graph::{MdpGraph, StateId};
use rayon::prelude::*;
use umb::{Actions, Bits, Numbers, Umb};

/// The arrays from which choices are built.
pub(super) struct Reader<'u> {
    pub(super) umb: &'u Umb<'u>,
    pub(super) actions: Option<Actions<'u>>,
    pub(super) exit_rates: Option<Numbers<'u>>,
    markovian: Option<Bits<'u>>,
    /// Whether actions and values are wanted.
    pub(super) detailed: bool,
}

impl<'u> Reader<'u> {
    pub(super) fn new(umb: &'u Umb<'u>, detailed: bool) -> Result<Self, umb::Error> {
        let mut reader = Self {
            umb,
            actions: None,
            exit_rates: None,
            markovian: umb.markovian_states()?,
            detailed,
        };
        if detailed {
            reader.actions = umb.choice_actions()?;
            reader.exit_rates = umb.exit_rates()?;
        }
        Ok(reader)
    }

    /// Returns all choices, in chunks that are read in parallel.
    pub(super) fn chunks(&self) -> Vec<ChoiceChunk> {
        let states = self.umb.num_states();
        let count = (4 * rayon::current_num_threads() as u64).min(states);
        let cut =
            |number: u64| (u128::from(states) * u128::from(number) / u128::from(count)) as u64;
        let chunks = (0..count).into_par_iter();
        chunks
            .map(|number| self.chunk(cut(number)..cut(number + 1)))
            .collect()
    }

    /// Returns the choices of some states.
    fn chunk(&self, states: std::ops::Range<u64>) -> ChoiceChunk {
        let share = (states.end - states.start) as f64 / self.umb.num_states() as f64;
        let branches = (self.umb.num_branches() as f64 * share) as usize;
        let bounds = self.umb.lower_bounds();
        let mut chunk = match bounds {
            Some(_) => ChoiceChunk::of_intervals(branches),
            None => ChoiceChunk::new(branches, self.detailed),
        };
        let (mut targets, mut values, mut lower) = (Vec::new(), Vec::new(), Vec::new());
        for choice in states.flat_map(|state| self.umb.choices_of(state)) {
            targets.clear();
            values.clear();
            lower.clear();
            let scale = self.scale(choice.state());
            for (branch, &target) in choice.branches().zip(choice.targets()) {
                if self.is_zero(branch) {
                    continue;
                }
                targets.push(target as u32);
                values.push(self.value(branch) * scale);
                lower.extend(bounds.map(|bounds| bounds[branch]));
            }
            let actions = self.actions.as_ref();
            let action = actions.and_then(|actions| actions.name(choice.number()));
            let state = choice.state() as u32;
            match bounds {
                Some(_) => {
                    chunk.choice_of_intervals(state, action, &targets, [&lower, &values]);
                }
                None => chunk.choice_of_any(state, action, &targets, &values),
            }
        }
        chunk
    }

    /// Returns the factor that turns the probabilities of a state into rates, or 1 if they are not
    /// to change.
    fn scale(&self, state: u64) -> f64 {
        let is_timed = self
            .markovian
            .as_ref()
            .is_none_or(|all| all.contains(state));
        let rates = self.exit_rates.as_ref().filter(|_| is_timed);
        rates.map_or(1.0, |rates| rates.get(state as usize))
    }

    /// Returns whether time passes in each state. In a deadlock that was given a self-loop, it
    /// does.
    pub(super) fn markovian_states(&self, graph: &MdpGraph) -> Option<Vec<bool>> {
        let all = self.markovian.as_ref()?;
        let passes = |state: StateId| {
            let choices = self.umb.choice_offsets().range(state.0.into());
            let has_added_loop = choices.is_empty() && !graph.is_deadlock(state);
            has_added_loop || all.contains(state.0.into())
        };
        Some(graph.states().map(passes).collect())
    }

    fn value(&self, branch: usize) -> f64 {
        self.umb
            .probabilities()
            .map_or(1.0, |numbers| numbers.get(branch))
    }

    fn is_zero(&self, branch: usize) -> bool {
        self.umb
            .probabilities()
            .is_some_and(|numbers| numbers.is_zero(branch))
    }
}
