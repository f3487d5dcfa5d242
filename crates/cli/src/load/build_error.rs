//! The error for a graph that cannot be built.

use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::model::annotations::Valuations;
use mdp_graph::BuildError;

/// Returns the error for a graph that could not be built. If the error is about a state, a note
/// shows the values of its variables, if `values` returns them.
pub(crate) fn build_error(
    input: &Input,
    error: &BuildError,
    values: impl FnOnce() -> Option<Valuations>,
) -> Error {
    let diagnostic = Diagnostic::of_file(&input.name, error);
    let first = match error {
        BuildError::Deadlock { first, .. } => *first,
        _ => return diagnostic.into(),
    };
    match values() {
        Some(values) => diagnostic.note(values.shown(first)).into(),
        None => diagnostic.into(),
    }
}
