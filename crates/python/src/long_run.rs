//! [`long_run`]: the optimal long-run averages of a model.

use crate::file::File;
use crate::numbers::copy_of;
use crate::options::Options;
use crate::rewards::{Rewards, objective};
use crate::supervise::supervise;
use maxend::library::{self, Averages, Averaging};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// The averages to find; see `maxend.Model.long_run`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Task<'py> {
    rewards: Rewards<'py>,
    objective: String,
    exact: bool,
    epsilon: f64,
    relative: bool,
    max_iterations: u64,
}

/// Lower and upper bounds as doubles, and fractions if they are known.
type Shown<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Option<Vec<Fraction<'py>>>,
);

/// A numerator and a denominator, as signed integers, the lowest byte first.
type Fraction<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Computes the averages of all states and of the MECs. Also returns the device.
#[pyfunction]
pub(crate) fn long_run<'py>(
    py: Python<'py>,
    file: &File,
    task: Task<'_>,
    options: Options,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Shown<'py>, Shown<'py>, String)> {
    let how = Averaging {
        rewards: task.rewards.try_into()?,
        objective: objective(&task.objective)?,
        exact: task.exact,
        epsilon: task.epsilon,
        is_relative: task.relative,
        max_iterations: task.max_iterations,
        threads: options.threads,
        device: options.device()?,
    };
    let model = Arc::clone(&file.0);
    let found = supervise(py, progress, move |supervisor| {
        library::long_run(&model, &how, supervisor)
    })?;
    let shown = |averages| shown(py, averages);
    Ok((shown(&found.values), shown(&found.gains), found.device))
}

fn shown<'py>(py: Python<'py>, averages: &Averages) -> Shown<'py> {
    let fractions = averages.exact.iter().flatten().map(|value| {
        let [over, under] = [value.numer(), value.denom()]
            .map(|number| PyBytes::new(py, &number.to_signed_bytes_le()));
        (over, under)
    });
    (
        copy_of(py, &averages.lower),
        copy_of(py, &averages.upper),
        averages.exact.is_some().then(|| fractions.collect()),
    )
}
