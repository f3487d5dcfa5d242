//! What a caller may know about states beyond the graph: values of variables, and labels.

use mdp_graph::StateId;
use std::fmt;

/// The value of one variable in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
        }
    }
}

/// The values of a model's variables.
pub struct Valuations<'a> {
    /// The variables' names.
    pub variables: &'a [String],
    /// The values in a state, side by side with `variables`.
    pub row: &'a dyn Fn(StateId) -> Vec<Value>,
}

/// A named set of states.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    /// The name.
    pub name: &'a str,
    /// The states, ascending.
    pub states: &'a [StateId],
}
