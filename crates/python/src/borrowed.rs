//! Arrays of Python as arrays of a graph, without a copy.

use crate::numbers::Numbers;
use crate::supervise::on_all_threads;
use bytemuck::Pod;
use mdp_graph::{Array, Lender, StateId};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::slice;

/// The memory of an array of Python: integers of 32 bits, side by side. It is not freed for as long
/// as this lives.
struct Borrowed<T: pyo3::buffer::Element>(PyBuffer<T>);

impl<T: pyo3::buffer::Element + Send + Sync> Lender<u32> for Borrowed<T> {
    fn values(&self) -> &[u32] {
        values_of(&self.0)
    }
}

/// The integers of a buffer without their signs: negative ones are large numbers. None if they are
/// of another size.
#[allow(unsafe_code)]
fn values_of<T: pyo3::buffer::Element, U: Pod>(buffer: &PyBuffer<T>) -> &[U] {
    let Some(values) = buffer
        .as_slice_ptr()
        .filter(|_| size_of::<T>() == size_of::<U>())
    else {
        return &[];
    };
    // SAFETY: the buffer has so many integers of this size, aligned for them as PyO3 has checked,
    // and it stays where it is until its owner releases it, for which it must be borrowed no more.
    // Whoever changes an array while a graph borrows it, or has numpy move it without a check,
    // breaks Rust's rules, as whoever changes a file that is mapped does; the documentation forbids
    // it. The searches check all bounds.
    unsafe { slice::from_raw_parts(values.as_ptr().cast::<U>(), values.len()) }
}

/// Borrows an array of integers of 32 bits.
///
/// # Errors
/// If it is anything else.
pub(crate) fn numbers(array: &Bound<'_, PyAny>) -> PyResult<Array<u32>> {
    if let Ok(buffer) = PyBuffer::<i32>::get(array) {
        return borrow(buffer);
    }
    match PyBuffer::<u32>::get(array) {
        Ok(buffer) => borrow(buffer),
        Err(_) => Err(PyTypeError::new_err(
            "expected an array of integers of 32 bits",
        )),
    }
}

/// As [`numbers`], for numbers of states.
pub(crate) fn states(array: &Bound<'_, PyAny>) -> PyResult<Array<StateId>> {
    struct States(Array<u32>);
    impl Lender<StateId> for States {
        fn values(&self) -> &[StateId] {
            StateId::cast_slice(&self.0)
        }
    }
    Ok(Array::lent(States(numbers(array)?)))
}

fn borrow<T>(buffer: PyBuffer<T>) -> PyResult<Array<u32>>
where
    T: pyo3::buffer::Element + Send + Sync + 'static,
{
    match buffer.dimensions() == 1 && buffer.is_c_contiguous() {
        true => Ok(Array::lent(Borrowed(buffer))),
        false => Err(PyValueError::new_err(
            "expected an array of one dimension without gaps",
        )),
    }
}

/// The integers of an array of 64 bits each as integers of 32 bits. Nothing if one of them is
/// negative or too large, or if the array is of another kind.
#[pyfunction]
pub(crate) fn narrowed(py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Option<Numbers>> {
    if let Ok(buffer) = PyBuffer::<i64>::get(array) {
        return narrow(py, &buffer);
    }
    match PyBuffer::<u64>::get(array) {
        Ok(buffer) => narrow(py, &buffer),
        Err(_) => Ok(None),
    }
}

fn narrow<T>(py: Python<'_>, buffer: &PyBuffer<T>) -> PyResult<Option<Numbers>>
where
    T: pyo3::buffer::Element + Send + Sync,
{
    if buffer.dimensions() != 1 || !buffer.is_c_contiguous() {
        return Ok(None);
    }
    let narrowed = on_all_threads(py, || mdp_graph::narrowed(values_of(buffer)))?;
    Ok(narrowed.map(Numbers))
}
