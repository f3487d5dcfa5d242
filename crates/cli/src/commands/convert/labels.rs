//! The labels of a converted model, and the file to which they are written.

use crate::args::ConvertArgs;
use crate::error::Error;
use crate::export::with_initial_states;
use crate::model::annotations;
use crate::{input, output};
use prism_explicit::{Dialect, Labels, TransitionsInfo};

/// Returns the labels of the model; `None` if there are none, or if the model goes to standard
/// output.
pub(super) fn of(
    args: &ConvertArgs,
    info: &TransitionsInfo,
    dialect: Dialect,
) -> Result<Option<Labels>, Error> {
    if output::is_stream(&args.out) {
        return Ok(None);
    }
    let from = args.labels.clone();
    let from = from.or_else(|| input::beside(&args.model.model, "lab"));
    let labels = match &from {
        Some(from) => Some(annotations::labels(from, info.num_states)?),
        None => None,
    };
    Ok(match dialect {
        // In this dialect, transitions cannot name the initial states.
        Dialect::Storm => with_initial_states(labels, &info.initial_states),
        Dialect::Prism => labels,
    })
}
