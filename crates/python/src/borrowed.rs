//! Arrays of Python as arrays of a graph, without a copy.

use mdp_graph::{Array, Lender, StateId};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::slice;

/// The memory of an array of Python: integers of 32 or 64 bits, side by side. It is not freed for
/// as long as this lives.
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
                // SAFETY: the buffer has so many integers of so many bytes, aligned for them as
                // PyO3 has checked, and it stays where it is until `self` releases it. Negative
                // ones are large numbers here, and no valid indices. Whoever changes an array while
                // a graph borrows it, or has numpy move it without a check, breaks Rust's rules, as
                // whoever changes a file that is mapped does; the documentation forbids it. The
                // searches check all bounds.
                unsafe { slice::from_raw_parts(values.as_ptr().cast::<$number>(), values.len()) }
            }
        }
    )*};
}

lends!(u32, u64);

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

/// Borrows an array of integers of 64 bits, if it is one.
///
/// # Errors
/// If it has gaps or several dimensions.
pub(crate) fn wide_numbers(array: &Bound<'_, PyAny>) -> PyResult<Option<Array<u64>>> {
    if let Ok(buffer) = PyBuffer::<i64>::get(array) {
        return borrow(buffer).map(Some);
    }
    let unsigned = PyBuffer::<u64>::get(array).ok();
    unsigned.map(borrow).transpose()
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
