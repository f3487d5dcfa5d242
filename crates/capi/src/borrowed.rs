//! Lends arrays of a caller to a graph, without a copy.

use crate::error::Fault;
use mdp_graph::{Array, Lender, StateId};
use std::slice;

/// An array of a caller, who does not change or free it before the graph is freed.
pub(crate) struct Lent {
    values: *const u32,
    len: usize,
}

// SAFETY: nobody writes to the array for as long as it is lent.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl Lender<u32> for Lent {
    fn values(&self) -> &[u32] {
        // SAFETY: the caller of `borrowed` has promised that this many values exist, and stay.
        unsafe { slice::from_raw_parts(self.values, self.len) }
    }
}

impl Lender<StateId> for Lent {
    fn values(&self) -> &[StateId] {
        StateId::cast_slice(Lender::<u32>::values(self))
    }
}

/// Borrows an array of numbers or of states.
///
/// # Errors
/// If the array is missing, or not aligned.
///
/// # Safety
/// The pointer is null, or the values exist and do not change until the array is dropped.
pub(crate) unsafe fn borrowed<T>(
    what: &str,
    values: *const u32,
    len: u64,
) -> Result<Array<T>, Fault>
where
    T: Send + Sync + 'static,
    Lent: Lender<T>,
    Vec<T>: Into<Array<T>>,
{
    if len == 0 {
        return Ok(Vec::new().into());
    }
    if values.is_null() {
        return Err(Fault::argument(format!("{what} is NULL")));
    }
    if !values.is_aligned() {
        let message = format!("{what} is at an address that is not a multiple of 4");
        return Err(Fault::argument(message));
    }
    let len = usize::try_from(len)
        .ok()
        .filter(|len| *len <= isize::MAX as usize / 4);
    let len = len.ok_or_else(|| Fault::argument(format!("{what} is longer than memory")))?;
    Ok(Array::lent(Lent { values, len }))
}
