//! A state on a path, as JSON documents show it.

use crate::{Valuations, Value};
use mdp_graph::StateId;
use serde::Serialize;

/// A state on a path.
#[derive(Clone, Debug, Serialize)]
pub struct PathState<'a> {
    state: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    action: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Value>>,
}

impl<'a> PathState<'a> {
    /// Returns a state with the action that leads to it, which is empty if there is none, and the
    /// values of the variables, if they are known.
    #[must_use]
    pub fn new(state: StateId, action: &'a str, valuations: Option<&Valuations<'_>>) -> Self {
        Self {
            state: state.0,
            action,
            values: valuations.map(|valuations| (valuations.row)(state)),
        }
    }
}
