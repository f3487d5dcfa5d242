//! The observations of the states of a partially observable model.

use crate::error::Error;
use crate::model::choices::Details;
use mdp_graph::{MdpGraph, StateId};
use prism_explicit::States;
use std::collections::HashMap;

/// The observations of a model.
pub(crate) struct Observations {
    /// The number of observations.
    pub(crate) count: u64,
    /// The observation of each state.
    pub(crate) of_states: Vec<u32>,
    /// The values of the observables in each observation, if they are known.
    pub(crate) values: Option<States>,
}

impl Observations {
    /// Checks PRISM's condition that states with the same observation have the same actions, in the
    /// same order. The self-loop of a deadlock counts as a choice.
    pub(crate) fn check_actions(
        &self,
        model: &str,
        graph: &MdpGraph,
        details: &Details,
    ) -> Result<(), Error> {
        let actions = |state: StateId| &details.actions[graph.choice_range(state)];
        // Observation numbers may be large even if few states have them.
        let mut first = HashMap::new();
        for state in graph.states() {
            let observation = self.of_states[state.index()];
            let first = *first.entry(observation).or_insert(state);
            if actions(first) != actions(state) {
                let [sorted, other] = [first, state].map(|state| sorted(actions(state)));
                let difference = match sorted == other {
                    true => "and the same actions, but in another order",
                    false => "but not the same actions",
                };
                return Err(Error::wrong(format!(
                    "{model}: states {first} and {state} have the same observation, {}, {difference}: \
                     {} and {}",
                    self.shown(observation),
                    named(details, actions(first)),
                    named(details, actions(state)),
                )));
            }
        }
        Ok(())
    }

    /// Formats an observation, by the values of the observables if they are known.
    fn shown(&self, observation: u32) -> String {
        let row = self.values.as_ref().and_then(|all| {
            let pairs = all.variables().iter().zip(all.row(observation)?.values());
            let pairs: Vec<String> = pairs
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            Some(format!("({})", pairs.join(", ")))
        });
        row.unwrap_or_else(|| observation.to_string())
    }
}

fn sorted(actions: &[u32]) -> Vec<u32> {
    let mut sorted = actions.to_vec();
    sorted.sort_unstable();
    sorted
}

/// Lists actions as PRISM does: `[a, b, ]`, with an empty text for a choice without an action.
fn named(details: &Details, actions: &[u32]) -> String {
    let names = actions
        .iter()
        .map(|&action| details.names[action as usize].as_str());
    let names: Vec<&str> = names.collect();
    format!("[{}]", names.join(", "))
}
