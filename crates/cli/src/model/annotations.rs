//! The values of variables and the labels of states, which are read only if the output needs them.

use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::interrupt;
use lts_network::{Field, Network};
use mdp_graph::StateId;
use prism_explicit::{
    Column, Labels, ReadOptions, States, read_labels, read_observations, read_states,
};
use prism_language::{Program, Variable};
use report::{StateLabel, Value};
use std::path::Path;
use umb::Domain;

/// The values of a model's variables in its states.
pub(crate) enum Valuations {
    /// Read from a file.
    Table(States),
    /// Found by exploring a model in PRISM's language.
    Packed(Packed),
    /// The states of the processes of a network.
    Processes(Processes),
}

/// Explored states, packed into words.
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

    /// Returns the packed form of a state.
    pub(crate) fn packed(&self, state: StateId) -> &[u64] {
        self.states.get(state)
    }

    /// Returns the names of the variables.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the value of variable `i` in a state, with 0 and 1 for `false` and `true`.
    pub(crate) fn value(&self, state: StateId, i: usize) -> i64 {
        self.variables[i].get(self.states.get(state))
    }

    /// Returns the possible values of variable `i`.
    pub(crate) fn domain(&self, i: usize) -> Domain {
        let variable = &self.variables[i];
        match variable.is_bool() {
            true => Domain::Bool,
            false => Domain::Int {
                lower: variable.low(),
                upper: variable.high(),
            },
        }
    }
}

/// Explored states of a network; each process is a variable, whose value is its state.
pub(crate) struct Processes {
    names: Vec<String>,
    fields: Vec<Field>,
    states: explore::States,
}

impl Processes {
    pub(crate) fn new(network: &Network, states: explore::States) -> Self {
        Self {
            names: network.process_names().to_vec(),
            fields: network.fields().to_vec(),
            states,
        }
    }
}

impl Valuations {
    /// Returns the names of the variables.
    pub(crate) fn names(&self) -> &[String] {
        match self {
            Self::Table(states) => states.variables(),
            Self::Packed(packed) => &packed.names,
            Self::Processes(processes) => &processes.names,
        }
    }

    /// Returns the values in one state, in the order of the names.
    pub(crate) fn row(&self, state: StateId) -> impl Iterator<Item = Value> {
        (0..self.names().len()).map(move |i| self.typed_value(state, i))
    }

    /// Returns the value of variable `i` in a state, with 0 and 1 for `false` and `true`.
    pub(crate) fn value(&self, state: StateId, i: usize) -> i64 {
        match self {
            Self::Table(states) => number(&states.columns()[i], state.index()),
            Self::Packed(packed) => packed.value(state, i),
            Self::Processes(processes) => {
                processes.fields[i].get(processes.states.get(state)).into()
            }
        }
    }

    pub(crate) fn is_bool(&self, i: usize) -> bool {
        match self {
            Self::Table(states) => matches!(states.columns()[i], Column::Bool(_)),
            Self::Packed(packed) => packed.variables[i].is_bool(),
            Self::Processes(_) => false,
        }
    }

    /// Returns the possible values of variable `i`: its range or, if that is not known, those in
    /// its column.
    pub(crate) fn domain(&self, i: usize) -> Domain {
        let (lower, upper) = match self {
            Self::Packed(packed) => return packed.domain(i),
            Self::Processes(processes) => {
                let states = processes.fields[i].num_states();
                (0, i64::from(states) - 1)
            }
            Self::Table(states) => return domain(&states.columns()[i]),
        };
        Domain::Int { lower, upper }
    }

    /// Returns the values for a report.
    pub(crate) fn as_report(&self) -> report::Valuations<'_> {
        report::Valuations {
            variables: self.names(),
            row: Box::new(|state| self.row(state).collect()),
        }
    }

    /// Formats the values in a state: `(x=1, done=true)`.
    pub(crate) fn text(&self, state: StateId) -> String {
        let pairs = self.names().iter().zip(self.row(state));
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!("({})", pairs.join(", "))
    }

    /// Formats a state by the values of its variables: `state 5 is (x=1, done=true)`.
    pub(crate) fn shown(&self, state: StateId) -> String {
        format!("state {state} is {}", self.text(state))
    }

    /// Returns the value of variable `i` in a state.
    pub(crate) fn typed_value(&self, state: StateId, i: usize) -> Value {
        match self.is_bool(i) {
            true => Value::Bool(self.value(state, i) != 0),
            false => Value::Int(self.value(state, i)),
        }
    }
}

/// Returns a value in a column, with 0 and 1 for `false` and `true`.
pub(crate) fn number(column: &Column, row: usize) -> i64 {
    match column.get(row) {
        Some(prism_explicit::Value::Bool(value)) => value.into(),
        Some(prism_explicit::Value::Int(value)) => value,
        // The table has such a row.
        None => 0,
    }
}

/// Returns the possible values of a column: all between the least and the greatest.
pub(crate) fn domain(column: &Column) -> Domain {
    let (lower, upper) = match column {
        Column::Int(values) => bounds(values.iter().copied().map(i64::from)),
        Column::Wide(values) => bounds(values.iter().copied()),
        _ => return Domain::Bool,
    };
    Domain::Int { lower, upper }
}

/// Returns the least and the greatest of some values; 0 if there are none.
fn bounds(values: impl Iterator<Item = i64>) -> (i64, i64) {
    let both = values.fold(None, |bounds, value| {
        let (lower, upper) = bounds.unwrap_or((value, value));
        Some((value.min(lower), value.max(upper)))
    });
    both.unwrap_or((0, 0))
}

/// Reads the values of the variables from a file.
pub(crate) fn states(path: &Path, num_states: u32) -> Result<States, Error> {
    read(path, |text| {
        read_states(text, Some(num_states), &read_options())
    })
}

/// Reads the values of observables from a file.
pub(crate) fn observations(path: &Path, count: u32) -> Result<States, Error> {
    read(path, |text| {
        read_observations(text, Some(count), &read_options())
    })
}

/// Reads the labels from a file.
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
    parse(&input).map_err(|error| Error::explicit(&input, &error))
}

fn read_options() -> ReadOptions<'static> {
    ReadOptions {
        interrupt: Some(interrupt::flag()),
        ..ReadOptions::default()
    }
}

/// Returns the states with a label that an option names.
pub(crate) fn labelled<'a>(
    option: &str,
    label: &str,
    labels: Option<&'a Labels>,
    model: &Path,
) -> Result<&'a [u32], Error> {
    if let Some(states) = labels.and_then(|labels| labels.get(label)) {
        return Ok(states);
    }
    let (file, label) = (model.display(), shown(label));
    let names = names(labels);
    if names.is_empty() {
        let message = format!("{option} {label}: no labels in {file} or beside it (see --labels)");
        return Err(Error::wrong(message));
    }
    let message = format!("{option} {label}: {file} has no such label");
    Err(with_names(Diagnostic::new(message), &names).into())
}

fn names(labels: Option<&Labels>) -> Vec<&str> {
    labels.map_or_else(Vec::new, |labels| {
        labels.iter().map(|(name, _)| name).collect()
    })
}

/// Adds the names of the labels of a model.
fn with_names(diagnostic: Diagnostic, names: &[&str]) -> Diagnostic {
    match names.is_empty() {
        true => diagnostic,
        false => diagnostic.note(format!("its labels are {}", names.join(", "))),
    }
}

/// Returns the value of an option as it is printed: blanks would not be seen without quotes.
fn shown(value: &str) -> String {
    match value.trim().is_empty() {
        true => format!("'{value}'"),
        false => value.to_owned(),
    }
}

/// Returns the states, in ascending order, that an option names by a number or by a label.
pub(crate) fn named(
    option: &str,
    text: &str,
    model: &Path,
    num_states: usize,
    labels: Option<&Labels>,
) -> Result<Vec<StateId>, Error> {
    if let Some(state) = numbered(option, text, model, num_states)? {
        return Ok(vec![StateId(state)]);
    }
    // A label may have such a name, but hardly any label has.
    let is_no_name = text.trim().is_empty() || text.parse::<f64>().is_ok();
    if is_no_name && labels.and_then(|labels| labels.get(text)).is_none() {
        let value = shown(text);
        let message = format!(
            "{option} {value}: expected the number of a state of {}, or the name of a label",
            model.display()
        );
        return Err(with_names(Diagnostic::new(message), &names(labels)).into());
    }
    let states = labelled(option, text, labels, model)?;
    Ok(StateId::cast_slice(states).to_vec())
}

/// Returns the state whose number an option gives, or `None` if the text is not a number.
///
/// # Errors
/// If the model has fewer states.
fn numbered(option: &str, text: &str, model: &Path, states: usize) -> Result<Option<u32>, Error> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    match text.parse::<u32>() {
        Ok(state) => check_state(option, state, model, states).map(|()| Some(state)),
        Err(_) => Err(no_state(option, text, model, states)),
    }
}

/// Checks that an option names a state below this number of states.
///
/// # Errors
/// If it is not.
pub(crate) fn check_state(
    option: &str,
    state: u32,
    model: &Path,
    states: usize,
) -> Result<(), Error> {
    match (state as usize) < states {
        true => Ok(()),
        false => Err(no_state(option, &state.to_string(), model, states)),
    }
}

fn no_state(option: &str, state: &str, model: &Path, states: usize) -> Error {
    let there = match states {
        0 => "has no states".to_owned(),
        1 => "has state 0 alone".to_owned(),
        states => format!("has states 0 to {}", states - 1),
    };
    Error::wrong(format!("{option} {state}: {} {there}", model.display()))
}

/// Returns the labels for a report.
pub(crate) fn as_report(labels: Option<&Labels>) -> Vec<StateLabel<'_>> {
    let as_label = |(name, states)| StateLabel {
        name,
        states: StateId::cast_slice(states),
    };
    labels.map_or_else(Vec::new, |labels| labels.iter().map(as_label).collect())
}
