//! What a model's other files say of its states: values of variables, labels. Read only when an
//! output needs them.

use crate::error::Error;
use crate::input::{self, Input};
use crate::{interrupt, load};
use mdp_graph::StateId;
use prism_explicit::{Labels, ReadOptions, Row, States, read_labels, read_states};
use report::{Label, Value};
use std::path::{Path, PathBuf};

/// The values of the variables in the file that was named, else in the one beside the model.
pub(crate) fn states(
    named: Option<&Path>,
    model: &Path,
    num_states: u32,
) -> Result<Option<States>, Error> {
    let path = beside_or_named(named, model, "sta");
    read(path, |text| {
        read_states(text, Some(num_states), &read_options())
    })
}

/// The labels in the file that was named, else in the one beside the model.
pub(crate) fn labels(
    named: Option<&Path>,
    model: &Path,
    num_states: u32,
) -> Result<Option<Labels>, Error> {
    read(labels_path(named, model), |text| {
        read_labels(text, Some(num_states), &read_options())
    })
}

/// Where the labels are, if there are any.
pub(crate) fn labels_path(named: Option<&Path>, model: &Path) -> Option<PathBuf> {
    beside_or_named(named, model, "lab")
}

fn beside_or_named(named: Option<&Path>, model: &Path, extension: &str) -> Option<PathBuf> {
    let named = named.map(Path::to_owned);
    named.or_else(|| input::beside(model, extension))
}

fn read<T>(
    path: Option<PathBuf>,
    parse: impl FnOnce(&[u8]) -> Result<T, prism_explicit::Error>,
) -> Result<Option<T>, Error> {
    let Some(path) = path else {
        return Ok(None);
    };
    let input = Input::read(&path)?;
    let parsed = parse(&input).map_err(|error| load::read_error(&input, &error))?;
    Ok(Some(parsed))
}

fn read_options() -> ReadOptions<'static> {
    ReadOptions {
        interrupt: Some(interrupt::flag()),
        ..ReadOptions::default()
    }
}

/// The values in one state, as reports take them.
pub(crate) fn row(states: &States, state: StateId) -> Vec<Value> {
    let values = states.row(state.0).into_iter().flat_map(Row::values);
    values
        .map(|value| match value {
            prism_explicit::Value::Bool(value) => Value::Bool(value),
            prism_explicit::Value::Int(value) => Value::Int(value),
        })
        .collect()
}

/// Labels, as reports take them.
pub(crate) fn as_report(labels: Option<&Labels>) -> Vec<Label<'_>> {
    let as_label = |(name, states)| Label {
        name,
        states: StateId::cast_slice(states),
    };
    labels.map_or_else(Vec::new, |labels| labels.iter().map(as_label).collect())
}
