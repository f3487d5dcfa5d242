//! Host memory for data that are copied from a device.

use std::alloc::{Layout, alloc_zeroed};

use bytemuck::Pod;

use crate::error::{Error, Result};

/// Allocates `len` zeros, which are about to be overwritten with the buffer `what`. They are on
/// huge pages, if the system has any. The system provides small pages one by one, no faster than a
/// bus fills them.
///
/// # Errors
///
/// [`Error::HostMemory`] if the host has no memory.
pub(crate) fn zeros<T: Pod>(what: &str, len: usize) -> Result<Vec<T>> {
    let mut zeros = allocate(len).ok_or_else(|| Error::HostMemory {
        what: what.to_owned(),
        needed: (len as u64).saturating_mul(size_of::<T>() as u64),
    })?;
    advise_huge_pages(bytemuck::cast_slice_mut(&mut zeros));
    Ok(zeros)
}

/// Allocates `len` zeros. The system provides the zeros, so that they need not be written.
#[allow(unsafe_code)]
fn allocate<T: Pod>(len: usize) -> Option<Vec<T>> {
    let layout = Layout::array::<T>(len).ok()?;
    if layout.size() == 0 {
        return Some(vec![T::zeroed(); len]);
    }
    // SAFETY: the layout has a size.
    let zeros = unsafe { alloc_zeroed(layout) }.cast::<T>();
    // SAFETY: this many elements were allocated just now, by the allocator of vectors, and zeros
    // are a value of any `Pod`.
    (!zeros.is_null()).then(|| unsafe { Vec::from_raw_parts(zeros, len, len) })
}

/// Requests huge pages for all whole huge pages in `bytes`.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn advise_huge_pages(bytes: &mut [u8]) {
    const HUGE: usize = 2 << 20;
    let before = bytes.as_ptr().align_offset(HUGE);
    let Some(rest) = bytes.get_mut(before..) else {
        return;
    };
    let whole = rest.len() - rest.len() % HUGE;
    if whole > 0 {
        // SAFETY: these pages belong to `bytes`, and their contents do not change: the advice only
        // concerns the size of the pages. It does not matter whether the system follows it.
        let _ = unsafe { libc::madvise(rest.as_mut_ptr().cast(), whole, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages(_: &mut [u8]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_zeros_on_pages_of_any_size() {
        for len in [0, 1, 1000, 3 << 20] {
            let mut zeros = zeros::<u32>("words", len).unwrap();
            assert_eq!(zeros.len(), len);
            assert!(zeros.iter().all(|&word| word == 0));
            zeros.fill(7);
            zeros.push(8);
            assert!(zeros[..len].iter().all(|&word| word == 7));
        }
    }

    #[test]
    fn more_memory_than_the_host_has_is_refused() {
        for len in [usize::MAX, usize::MAX / 8, 1 << 46] {
            let refused = zeros::<u32>("results", len).unwrap_err();
            assert!(
                matches!(&refused, Error::HostMemory { what, .. } if what == "results"),
                "{refused}"
            );
        }
        let refused = zeros::<u32>("results", 1 << 46).unwrap_err();
        insta::assert_snapshot!(refused, @"out of memory: the host has no room for the 281474976710656 bytes of `results`");
    }
}
