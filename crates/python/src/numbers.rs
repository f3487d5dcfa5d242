//! Numbers for Python, as the bytes of an array that it may write to.

use bytemuck::NoUninit;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// The bytes of these numbers, side by side.
pub(crate) fn bytes_of<'py, T: NoUninit>(
    py: Python<'py>,
    numbers: impl ExactSizeIterator<Item = T>,
) -> PyResult<Bound<'py, PyByteArray>> {
    let len = numbers.len() * size_of::<T>();
    PyByteArray::new_with(py, len, |bytes| {
        for (place, number) in bytes.chunks_exact_mut(size_of::<T>()).zip(numbers) {
            place.copy_from_slice(bytemuck::bytes_of(&number));
        }
        Ok(())
    })
}

/// The bytes of these numbers, copied at once.
pub(crate) fn copy_of<'py, T: NoUninit>(py: Python<'py>, numbers: &[T]) -> Bound<'py, PyByteArray> {
    PyByteArray::new(py, bytemuck::cast_slice(numbers))
}
