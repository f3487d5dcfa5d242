//! Converts failures to the exceptions that the package declares.

use maxend::library::{Failure, FailureKind};
use mdp_graph::BuildError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

/// Returns the exception for a failure.
pub(crate) fn exception(py: Python<'_>, failure: Failure) -> PyErr {
    let class = match failure.kind {
        FailureKind::Stopped => return PyKeyboardInterrupt::new_err(()),
        FailureKind::Usage => return PyValueError::new_err(failure.message),
        FailureKind::Device => "DeviceError",
        FailureKind::Rejected => "CertificateError",
        _ => "ModelError",
    };
    let Failure {
        message,
        file,
        line,
        column,
        ..
    } = failure;
    let made = made(py, class, (message, file, line, column));
    made.unwrap_or_else(|error| error)
}

/// Returns the exception for arrays that do not describe a graph.
pub(crate) fn no_graph(py: Python<'_>, error: &BuildError) -> PyErr {
    let made = made(py, "ModelError", (error.to_string(),));
    made.unwrap_or_else(|error| error)
}

fn made<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<PyErr> {
    let class = py.import("maxend._errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call1(arguments)?))
}
