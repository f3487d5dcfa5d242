//! Statistics that need a pass over all edges: decides when they are computed, and from which
//! initial states.

use crate::args::{DecomposeArgs, Format};
use crate::error::Error;
use crate::input;
use crate::model::Model;
use crate::model::annotations;
use mdp_graph::StateId;
use report::{Initial, InitialFrom};

/// A summary of a model with at most this many branches always has the statistics, which take a few
/// milliseconds. (For 10 million branches they take 10 to 60 % of the whole command.)
const BRANCHES_FOR_FREE: usize = 1 << 20;

/// Returns whether the output has the statistics, for a model with this many branches.
pub(super) fn are_wanted(args: &DecomposeArgs, branches: usize) -> bool {
    match args.format {
        // JSON lists every state, and has the statistics of every component.
        Format::Json => true,
        // The labels file says what the initial states are, which a summary needs for its
        // statistics only.
        Format::Summary => {
            args.statistics || args.labels.is_some() || branches <= BRANCHES_FOR_FREE
        }
        Format::Labels | Format::Prism | Format::Dot | Format::Umb => false,
    }
}

/// The initial states of a model, and their source.
pub(super) struct InitialStates {
    states: Vec<u32>,
    from: InitialFrom,
    reach_all: bool,
}

/// Returns the initial states of a model. For a model in PRISM's language, the model defines them.
/// Otherwise, they are the states with the label `init`, in the model or in a file beside it; else
/// the states that the model names in another way; else state 0.
///
/// # Errors
/// If the file beside the model is wrong.
pub(super) fn initial_states(args: &DecomposeArgs, model: &Model) -> Result<InitialStates, Error> {
    if model.construction.is_explored {
        return Ok(InitialStates {
            states: model.states.initial.clone(),
            from: InitialFrom::Model,
            reach_all: true,
        });
    }
    // A label `init` without states counts as missing (see `Model::named_initial`).
    let init = |labels: &prism_explicit::Labels| {
        let states = labels.get("init").filter(|states| !states.is_empty());
        states.map(<[u32]>::to_vec)
    };
    let num_states = model.graph.num_states() as u32;
    let beside = || input::beside(&args.model.model, "lab");
    let labelled = match &model.states.labels {
        Some(labels) => init(labels),
        // A summary prints no labels, so they have not been read.
        None if model.states.initial.is_empty() => match beside() {
            Some(path) => init(&annotations::labels(&path, num_states)?),
            None => None,
        },
        None => None,
    };
    let (states, from) = match labelled {
        Some(states) => (states, InitialFrom::Label),
        None if !model.states.initial.is_empty() => {
            (model.states.initial.clone(), InitialFrom::Model)
        }
        // The empty model has no state 0.
        None => ((0..num_states.min(1)).collect(), InitialFrom::Assumed),
    };
    Ok(InitialStates {
        states,
        from,
        reach_all: false,
    })
}

impl InitialStates {
    /// Returns the initial states for a report.
    pub(super) fn as_report(&self) -> Initial<'_> {
        Initial {
            states: StateId::cast_slice(&self.states),
            from: self.from,
            reach_all: self.reach_all,
        }
    }
}
