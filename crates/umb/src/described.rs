//! The type of the model that an index describes.

use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::index::{Time, TransitionSystem};
use crate::value_type::Kind;
use model_type::ModelType;

/// Returns the type of the model that the index describes.
pub(crate) fn model_type(system: &TransitionSystem) -> Result<ModelType, Error> {
    let probabilities = system.branch_probability_type.map(|values| values.kind);
    let has_intervals = probabilities.is_some_and(Kind::is_interval);
    if !has_intervals && system.num_observations > 0 {
        if (system.time, system.num_players) == (Time::Discrete, 1) && probabilities.is_some() {
            return Ok(ModelType::Pomdp);
        }
    } else if !has_intervals {
        match (system.time, system.num_players) {
            (Time::Discrete, 0) if probabilities.is_some() => return Ok(ModelType::Dtmc),
            (Time::Discrete, 1) if probabilities.is_some() => return Ok(ModelType::Mdp),
            (Time::Discrete, 1) => return Ok(ModelType::Lts),
            (Time::Discrete, 2..) if probabilities.is_some() => return Ok(ModelType::Smg),
            (Time::UrgentStochastic, 1) if probabilities.is_some() => return Ok(ModelType::Ma),
            (Time::Stochastic, 0) => return Ok(ModelType::Ctmc),
            _ => {}
        }
    }
    if has_intervals && system.time == Time::Discrete && system.num_observations == 0 {
        match system.num_players {
            0 => return Ok(ModelType::Idtmc),
            1 => return Ok(ModelType::Imdp),
            _ => {}
        }
    }
    let name = foreign_name(system, has_intervals);
    Err(Error::in_entry(INDEX, ErrorKind::ModelType { name }))
}

/// Returns the usual name of a model type that is not supported.
fn foreign_name(system: &TransitionSystem, has_intervals: bool) -> String {
    let has_probabilities = system.branch_probability_type.is_some();
    let base = match (system.time, system.num_players) {
        (Time::Discrete, 0) if has_probabilities => "DTMC",
        (Time::Discrete, 0) => "DTMC without probabilities",
        (Time::Discrete, 1) if has_probabilities => "MDP",
        (Time::Discrete, 1) => "LTS",
        (Time::Discrete, _) if has_probabilities => "TSG (stochastic game)",
        (Time::Discrete, _) => "TG (game)",
        (Time::Stochastic, 0) => "CTMC",
        (Time::Stochastic, 1) => "CTMDP",
        (Time::Stochastic, _) => "continuous-time game",
        (Time::UrgentStochastic, 1) => "MA (Markov automaton)",
        (Time::UrgentStochastic, _) => "Markov automaton without or with several players",
    };
    let interval = if has_intervals { "I" } else { "" };
    let observed = if system.num_observations > 0 {
        "PO"
    } else {
        ""
    };
    format!("{interval}{observed}{base}")
}
