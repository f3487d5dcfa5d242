//! Numbers for Python. Those that this package keeps using are `bytes`, to which Python cannot
//! write; [`Numbers`] are those that it hands over, to which Python may write.

use bytemuck::NoUninit;
use mdp_graph::Table;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::c_int;

/// Numbers that Python reads and writes in place, by its buffer protocol.
#[pyclass(module = "maxend._maxend")]
pub(crate) struct Numbers(pub(crate) Table<u32>);

#[pymethods]
impl Numbers {
    // SAFETY: only Python calls this, with a view that may be written to.
    #[allow(unsafe_code, clippy::needless_pass_by_value)] // as PyO3 passes it
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let mut numbers = slf.try_borrow_mut()?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut numbers.0);
        let len = ffi::Py_ssize_t::try_from(bytes.len())
            .map_err(|_| PyBufferError::new_err("too many numbers"))?;
        // SAFETY: the view may be written to, as stated above. Python keeps `slf` until the view is
        // released, so that the bytes stay where they are. Rust does not access them any more.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), bytes.as_mut_ptr().cast(), len, 0, flags)
        };
        match filled {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

/// Returns the bytes of these numbers, one after another.
pub(crate) fn bytes_of<'py, T: NoUninit>(
    py: Python<'py>,
    numbers: impl ExactSizeIterator<Item = T>,
) -> PyResult<Bound<'py, PyBytes>> {
    let len = numbers.len() * size_of::<T>();
    PyBytes::new_with(py, len, |bytes| {
        for (place, number) in bytes.chunks_exact_mut(size_of::<T>()).zip(numbers) {
            place.copy_from_slice(bytemuck::bytes_of(&number));
        }
        Ok(())
    })
}

/// Returns the bytes of a copy of these numbers.
pub(crate) fn copy_of<'py, T: NoUninit>(py: Python<'py>, numbers: &[T]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, bytemuck::cast_slice(numbers))
}
