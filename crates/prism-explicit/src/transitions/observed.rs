//! Collects the observations of a POMDP's states from the lines that lead to them. Each line has
//! the observation of its target, and all lines with the same target must agree.

use super::preamble::{Preamble, unknown_observation};
use crate::error::{Checked, ErrorKind, Fault, Span};

/// The value of states whose observation is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// The observations of the states of a POMDP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observations {
    /// The number of observations. Each observation is a number below it.
    pub count: u32,
    /// The observation of each state.
    pub of_states: Vec<u32>,
}

/// The observations that are known so far.
pub(super) struct Observed(Observations);

impl Observed {
    /// Returns the observations of the initial states in the preamble; `None` if the model is not a
    /// POMDP.
    pub(super) fn new(preamble: &Preamble) -> Option<Self> {
        let count = preamble.counts?.observations?;
        let mut observed = Self(Observations {
            count,
            of_states: Vec::new(),
        });
        let states = preamble.initial_states.iter();
        for (&state, &observation) in states.zip(&preamble.initial_observations) {
            observed.note(state, observation);
        }
        Some(observed)
    }

    /// Records the observation of a state. Returns false if the state cannot have this observation.
    pub(super) fn note(&mut self, state: u32, observation: u32) -> bool {
        let all = &mut self.0.of_states;
        let state = state as usize;
        if observation >= self.0.count {
            return false;
        }
        if state >= all.len() {
            // The state is below the number of states in the header, which is bounded by the size
            // of the file.
            all.resize(state + 1, UNKNOWN);
        }
        if all[state] == UNKNOWN {
            all[state] = observation;
        }
        all[state] == observation
    }

    /// Returns the reason why a state cannot have an observation, which is at `place`.
    pub(super) fn blame(&self, state: u32, second: u32, place: Span) -> Box<Fault> {
        let Observations { count, of_states } = &self.0;
        match of_states.get(state as usize) {
            Some(&first) if second < *count => {
                let kind = ErrorKind::TwoObservations {
                    state,
                    first,
                    second,
                };
                Fault::new(place, kind)
            }
            _ => unknown_observation(place, second, *count),
        }
    }

    /// Returns the observations of all states. If a state has none, the error is at `header`.
    pub(super) fn finish(self, num_states: u32, header: Span) -> Checked<Observations> {
        let mut all = self.0;
        all.of_states.resize(num_states as usize, UNKNOWN);
        match all.of_states.iter().position(|&seen| seen == UNKNOWN) {
            Some(state) => {
                let state = state as u32;
                Err(Fault::new(header, ErrorKind::NoObservation { state }))
            }
            None => Ok(all),
        }
    }
}
