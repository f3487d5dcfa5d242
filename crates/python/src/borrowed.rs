//! Arrays of Python as arrays of a graph, without a copy; arrays of doubles, which are copied.

use mdp_graph::{Array, Lender, StateId};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::slice;

/// The memory of an array of Python, which has contiguous integers of 32 or 64 bits. It is not
/// freed during the lifetime of this value.
struct Borrowed<T: Element>(PyBuffer<T>);

macro_rules! lends {
    ($($number:ty),*) => {$(
        impl<T: Element + Send + Sync> Lender<$number> for Borrowed<T> {
            #[allow(unsafe_code)]
            fn values(&self) -> &[$number] {
                let is_as_wide = size_of::<T>() == size_of::<$number>();
                let Some(values) = self.0.as_slice_ptr().filter(|_| is_as_wide) else {
                    return &[];
                };
                // SAFETY: PyO3 has checked that the buffer has this many integers of this size, and
                // that they are aligned. The buffer stays where it is until `self` releases it.
                // Negative integers are large numbers here, and not valid indices. Code that
                // changes an array while a graph borrows it, or makes numpy move it without a
                // check, breaks Rust's rules, as does a program that changes a file that is mapped.
                // The documentation forbids this. The searches check all bounds.
                unsafe { slice::from_raw_parts(values.as_ptr().cast::<$number>(), values.len()) }
            }
        }
    )*};
}

lends!(u32, u64);

/// Borrows an array of 32-bit integers.
///
/// # Errors
/// If the array has another type or shape.
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

/// Borrows an array of 64-bit integers; `None` if it has another type.
///
/// # Errors
/// If the array is not contiguous or has several dimensions.
pub(crate) fn wide_numbers(array: &Bound<'_, PyAny>) -> PyResult<Option<Array<u64>>> {
    if let Ok(buffer) = PyBuffer::<i64>::get(array) {
        return borrow(buffer).map(Some);
    }
    let unsigned = PyBuffer::<u64>::get(array).ok();
    unsigned.map(borrow).transpose()
}

/// Does the same as [`numbers`], for an array of states.
pub(crate) fn states(array: &Bound<'_, PyAny>) -> PyResult<Array<StateId>> {
    struct States(Array<u32>);
    impl Lender<StateId> for States {
        fn values(&self) -> &[StateId] {
            StateId::cast_slice(&self.0)
        }
    }
    Ok(Array::lent(States(numbers(array)?)))
}

/// Copies an array of doubles.
///
/// # Errors
/// If the array has another type or shape.
pub(crate) fn doubles(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    PyBuffer::<f64>::get(array)?.to_vec(array.py())
}

fn borrow<T, I>(buffer: PyBuffer<T>) -> PyResult<Array<I>>
where
    T: Element + Send + Sync + 'static,
    Borrowed<T>: Lender<I>,
{
    match buffer.dimensions() == 1 && buffer.is_c_contiguous() {
        true => Ok(Array::lent(Borrowed(buffer))),
        false => Err(PyValueError::new_err(
            "expected an array of one dimension without gaps",
        )),
    }
}
