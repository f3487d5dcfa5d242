//! Information beyond the graph that a caller may have: values of variables, labels, actions,
//! probabilities.

use mdp_graph::{ChoiceId, MdpGraph, StateId};
use serde::Serialize;
use std::fmt;
use std::iter::repeat;

/// The value of one variable in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
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
    /// The values in a state, in the order of `variables`.
    pub row: Box<dyn Fn(StateId) -> Vec<Value> + Sync + 'a>,
}

impl Valuations<'_> {
    /// Returns the values in a state as text: `(x=1, b=true)`.
    pub(crate) fn text(&self, state: StateId) -> String {
        let pairs = self.variables.iter().zip((self.row)(state));
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!("({})", pairs.join(", "))
    }
}

/// A named set of states.
#[derive(Clone, Copy, Debug)]
pub struct StateLabel<'a> {
    /// The name.
    pub name: &'a str,
    /// The states, in ascending order.
    pub states: &'a [StateId],
}

/// The information about choices that the graph does not contain.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceDetails<'a> {
    /// The names of the actions. The name of no action is empty.
    pub names: &'a [String],
    /// For each choice, the index of its action in `names`.
    pub actions: &'a [u32],
    /// The probability of each branch or, in a CTMC, its rate; empty if they are not to be shown.
    pub values: &'a [f64],
    /// In an interval model, the lower bound of the probability of each branch, whose value is the
    /// upper bound; empty in others.
    pub lower: &'a [f64],
}

impl<'a> ChoiceDetails<'a> {
    /// Returns the name of the action of a choice; empty if it has none.
    pub(crate) fn action(&self, choice: ChoiceId) -> &'a str {
        let number = self.actions.get(choice.index()).copied();
        let name = number.and_then(|number| self.names.get(number as usize));
        name.map_or("", String::as_str)
    }

    /// Returns the values of the branches of a choice, with their lower bounds in an interval
    /// model; empty if they are not to be shown.
    pub(crate) fn values(
        &self,
        graph: &MdpGraph,
        choice: ChoiceId,
    ) -> impl Iterator<Item = (Option<f64>, f64)> + use<'a> {
        let offsets = graph.branch_offsets();
        let branches = offsets[choice.index()] as usize..offsets[choice.index() + 1] as usize;
        let lower = self.lower.get(branches.clone()).unwrap_or_default();
        let lower = lower.iter().copied().map(Some).chain(repeat(None));
        lower.zip(
            self.values
                .get(branches)
                .unwrap_or_default()
                .iter()
                .copied(),
        )
    }

    /// Returns whether any action has a name.
    pub(crate) fn has_names(&self) -> bool {
        self.names.iter().any(|name| !name.is_empty())
    }
}

/// The initial states of a model, and their source.
#[derive(Clone, Copy, Debug)]
pub struct Initial<'a> {
    /// The states.
    pub states: &'a [StateId],
    /// Their source.
    pub from: InitialFrom,
    /// Whether all states are known to be reachable from them, as in a state space that was
    /// explored.
    pub reach_all: bool,
}

/// The source of initial states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialFrom {
    /// The label `init` of the model.
    Label,
    /// Another part of the model.
    Model,
    /// The model does not have them: state 0 is assumed, as in PRISM.
    Assumed,
}

/// A constant whose value was given from outside the model.
#[derive(Clone, Copy, Debug)]
pub struct Constant<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub value: ConstantValue,
}

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ConstantValue {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A real number.
    Real(f64),
}

impl fmt::Display for ConstantValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Real(value) => value.fmt(f),
        }
    }
}
