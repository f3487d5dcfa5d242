//! [`Options`]: the options that all searches have, and the limit of one of them.

use maxend::library::{self, DeviceChoice};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::num::NonZeroUsize;

/// The options of a search; see `maxend.Model.scc`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    device: String,
    adapter: Option<String>,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) certify: bool,
}

/// Returns the number of threads to take when this many are asked for, and the reason if it is
/// less.
#[pyfunction]
pub(crate) fn limited_threads(asked: NonZeroUsize) -> (NonZeroUsize, Option<String>) {
    library::limited_threads(asked)
}

impl Options {
    /// Returns the device.
    ///
    /// # Errors
    /// If there is no such kind of device, or it has no adapters.
    pub(crate) fn device(self) -> PyResult<DeviceChoice> {
        match (&*self.device, self.adapter) {
            ("gpu", adapter) => Ok(DeviceChoice::Gpu(adapter)),
            ("auto", Some(adapter)) => Ok(DeviceChoice::Gpu(Some(adapter))),
            ("auto", None) => Ok(DeviceChoice::Auto),
            ("cpu", None) => Ok(DeviceChoice::Cpu),
            ("cpu", Some(_)) => Err(PyValueError::new_err(
                "an adapter is a GPU, but device is 'cpu'",
            )),
            (name, _) => Err(PyValueError::new_err(format!(
                "device must be 'auto', 'cpu' or 'gpu', not {name:?}"
            ))),
        }
    }
}
