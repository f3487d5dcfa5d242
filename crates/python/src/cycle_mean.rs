//! [`cycle_mean`]: the optimal means or ratios of the cycles of a model.

use crate::file::File;
use crate::numbers::bytes_of;
use crate::options::Options;
use crate::rewards::{Rewards, objective};
use crate::supervise::supervise;
use maxend::library::{self, CycleAveraging, OptimalCycle, RewardChoice};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// The values to find; see `maxend.Model.cycle_mean`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Task<'py> {
    rewards: Rewards<'py>,
    times: Option<Rewards<'py>>,
    objective: String,
}

/// The number of a component, the value of its optimal cycle, and the branches of this cycle.
type Cycle<'py> = (usize, String, Bound<'py, PyBytes>);

/// Computes the optimum of each strongly connected component that has a cycle. Returns the number
/// of components, these optima, the place of the best one, and the device.
#[pyfunction]
pub(crate) fn cycle_mean<'py>(
    py: Python<'py>,
    file: &File,
    task: Task<'_>,
    options: Options,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(usize, Vec<Cycle<'py>>, Option<usize>, String)> {
    let how = CycleAveraging {
        rewards: task.rewards.try_into()?,
        times: task.times.map(RewardChoice::try_from).transpose()?,
        objective: objective(&task.objective)?,
        threads: options.threads,
        certify: options.certify,
        device: options.device()?,
    };
    let model = Arc::clone(&file.0);
    let found = supervise(py, progress, move |supervisor| {
        library::cycle_means(&model, &how, supervisor)
    })?;
    let cycle = |optimum: &OptimalCycle| {
        let branches = optimum.cycle.iter().map(|branch| i64::from(branch.0));
        let value = optimum.value.to_string();
        Ok((optimum.component, value, bytes_of(py, branches)?))
    };
    let cycles: PyResult<Vec<_>> = found.optima.iter().map(cycle).collect();
    Ok((found.num_components, cycles?, found.best, found.device))
}
