//! Checks the values of branches before a model is written: whether the format can hold them, and
//! whether the file can be read again.

use super::target::Target;
use crate::error::Error;
use crate::model::Model;
use mdp_graph::{MdpGraph, StateId};
use prism_explicit::{ModelType, SUM_TOLERANCE};
use rayon::prelude::*;
use report::counted;
use std::ops::Range;
use std::path::Path;

/// The number of states that a task checks.
const RUN: usize = 1 << 12;

/// Rejects values that are infinite, rates whose sum is, and probabilities that do not sum to 1 if
/// the format needs that. Otherwise warns of such sums.
pub(super) fn values(model: &Model, target: Target, out: &Path) -> Result<(), Error> {
    let Some(details) = &model.choices.details else {
        return Ok(());
    };
    let check = Check {
        graph: &model.graph,
        values: &details.values,
        markovian: model.states.markovian.as_deref(),
        model_type: model.model_type,
    };
    let states = 0..model.graph.num_states() as u32;
    let found = check.all(&states);
    let error = |message| Error::of_file(&out.display().to_string(), message);
    if let Some(message) = found.wrong {
        return Err(error(message));
    }
    if let Some(NoDistribution { choice, state, sum }) = found.first {
        let start = format!("the probabilities of choice {choice} of state {state} sum to {sum}");
        match target {
            Target::Umb => return Err(error(format!("{start}: in an archive, they sum to 1"))),
            Target::Aut => {
                let rest = "an Aldebaran file leaves one of them out, so they must sum to 1";
                return Err(error(format!("{start}: {rest}")));
            }
            Target::Drn | Target::Explicit(_) => warn(found.without_sum),
        }
    }
    Ok(())
}

/// Returns whether readers accept these probabilities.
pub(crate) fn is_distribution(values: &[f64]) -> bool {
    (values.iter().sum::<f64>() - 1.0).abs() <= SUM_TOLERANCE
}

/// Warns that reading the written model needs an option.
pub(crate) fn warn(choices: u64) {
    if choices > 0 {
        let count = counted(choices, "choice", "choices");
        tracing::warn!(
            "the probabilities of {count} do not sum to 1: the result can be read with --allow-any-sum only"
        );
    }
}

struct Check<'a> {
    graph: &'a MdpGraph,
    /// The probabilities, rates, or upper bounds of branches.
    values: &'a [f64],
    /// In which states time passes, in a Markov automaton.
    markovian: Option<&'a [bool]>,
    model_type: ModelType,
}

/// A choice whose probabilities do not sum to 1. It is numbered within its state.
struct NoDistribution {
    choice: usize,
    state: u32,
    sum: f64,
}

/// What was found in some states.
#[derive(Default)]
struct Found {
    /// What is wrong with the first state that is wrong.
    wrong: Option<String>,
    /// The first choice whose probabilities do not sum to 1, and the number of these choices.
    first: Option<NoDistribution>,
    without_sum: u64,
}

impl Found {
    /// Adds what was found in later states.
    fn and(self, later: Self) -> Self {
        Self {
            wrong: self.wrong.or(later.wrong),
            first: self.first.or(later.first),
            without_sum: self.without_sum + later.without_sum,
        }
    }
}

impl Check<'_> {
    fn all(&self, states: &Range<u32>) -> Found {
        let in_run = |found: Found, state| match found.wrong {
            Some(_) => found,
            None => found.and(self.state(state)),
        };
        states
            .clone()
            .into_par_iter()
            .with_min_len(RUN)
            .fold(Found::default, in_run)
            .reduce(Found::default, Found::and)
    }

    fn state(&self, state: u32) -> Found {
        let branches = self.graph.branch_range(StateId(state));
        if let Some(&value) = self.values[branches.clone()]
            .iter()
            .find(|v| v.is_infinite())
        {
            let message = format!("the rates of a branch of state {state} sum to {value}");
            return Found {
                wrong: Some(message),
                ..Found::default()
            };
        }
        let passes = self.markovian.map(|all| all[state as usize]);
        match (self.model_type, passes) {
            (ModelType::Ctmc, _) | (_, Some(true)) => self.rates(state, branches),
            (_, Some(false)) => self.distributions(state),
            (of, None) if of.has_distributions() => self.distributions(state),
            _ => Found::default(),
        }
    }

    fn rates(&self, state: u32, branches: Range<usize>) -> Found {
        let sum: f64 = self.values[branches].iter().sum();
        let message = || format!("the rates of state {state} sum to more than the largest double");
        Found {
            wrong: sum.is_infinite().then(message),
            ..Found::default()
        }
    }

    fn distributions(&self, state: u32) -> Found {
        let mut found = Found::default();
        for (choice, id) in self.graph.choice_range(StateId(state)).enumerate() {
            let offsets = self.graph.branch_offsets();
            let branches = offsets[id] as usize..offsets[id + 1] as usize;
            let values = &self.values[branches];
            if !is_distribution(values) {
                found.without_sum += 1;
                let sum = values.iter().sum();
                found
                    .first
                    .get_or_insert(NoDistribution { choice, state, sum });
            }
        }
        found
    }
}
