//! The error for a graph that cannot be built.

use crate::annotations::Valuations;
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::input::Input;
use mdp_graph::BuildError;

/// Why a graph could not be built. A state that is to blame is named by the values of its variables
/// too, where `values` finds any.
pub(crate) fn refused(
    input: &Input,
    error: &BuildError,
    values: impl FnOnce() -> Option<Valuations>,
) -> Error {
    let diagnostic = Diagnostic::new(format!("{}: {error}", input.name));
    let first = match error {
        BuildError::Deadlock { first, .. } => *first,
        _ => return diagnostic.into(),
    };
    match values() {
        Some(values) => diagnostic.note(values.shown(first)).into(),
        None => diagnostic.into(),
    }
}
