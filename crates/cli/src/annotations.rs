//! What is known of states besides their choices: values of variables, labels. Read only when an output
//! needs them.

use crate::error::Error;
use crate::input::Input;
use crate::interrupt;
use crate::load::explicit::read_error;
use mdp_graph::StateId;
use prism_explicit::{Labels, ReadOptions, Row, States, read_labels, read_states};
use prism_language::{Program, Variable};
use report::{Label, Value};
use std::path::Path;

/// The values of a model's variables in its states.
pub(crate) enum Valuations {
    /// As a file lists them.
    Table(States),
    /// As they were found.
    Packed(Packed),
}

/// Explored states, packed as the program does.
pub(crate) struct Packed {
    names: Vec<String>,
    variables: Vec<Variable>,
    states: explore::States,
}

impl Packed {
    pub(crate) fn new(program: &Program, states: explore::States) -> Self {
        let variables = program.variables().to_vec();
        let names = variables.iter().map(|variable| variable.name().to_owned());
        Self {
            names: names.collect(),
            variables,
            states,
        }
    }
}

impl Valuations {
    /// The names of the variables.
    pub(crate) fn names(&self) -> &[String] {
        match self {
            Self::Table(states) => states.variables(),
            Self::Packed(packed) => &packed.names,
        }
    }

    /// The values in one state, side by side with the names.
    pub(crate) fn row(&self, state: StateId) -> Vec<Value> {
        match self {
            Self::Table(states) => {
                let values = states.row(state.0).into_iter().flat_map(Row::values);
                let value = |value| match value {
                    prism_explicit::Value::Bool(value) => Value::Bool(value),
                    prism_explicit::Value::Int(value) => Value::Int(value),
                };
                values.map(value).collect()
            }
            Self::Packed(packed) => {
                let state = packed.states.get(state);
                let value = |variable: &Variable| match variable.get(state) {
                    value if variable.is_bool() => Value::Bool(value != 0),
                    value => Value::Int(value),
                };
                packed.variables.iter().map(value).collect()
            }
        }
    }
}

/// The values of the variables in a file.
pub(crate) fn states(path: &Path, num_states: u32) -> Result<States, Error> {
    read(path, |text| {
        read_states(text, Some(num_states), &read_options())
    })
}

/// The labels in a file.
pub(crate) fn labels(path: &Path, num_states: u32) -> Result<Labels, Error> {
    read(path, |text| {
        read_labels(text, Some(num_states), &read_options())
    })
}

fn read<T>(
    path: &Path,
    parse: impl FnOnce(&[u8]) -> Result<T, prism_explicit::Error>,
) -> Result<T, Error> {
    let input = Input::read(path)?;
    parse(&input).map_err(|error| read_error(&input, &error))
}

fn read_options() -> ReadOptions<'static> {
    ReadOptions {
        interrupt: Some(interrupt::flag()),
        ..ReadOptions::default()
    }
}

/// Labels, as reports take them.
pub(crate) fn as_report(labels: Option<&Labels>) -> Vec<Label<'_>> {
    let as_label = |(name, states)| Label {
        name,
        states: StateId::cast_slice(states),
    };
    labels.map_or_else(Vec::new, |labels| labels.iter().map(as_label).collect())
}
