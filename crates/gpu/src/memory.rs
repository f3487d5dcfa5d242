//! Memory of the host for what a device sends.

use bytemuck::Pod;

/// So many zeros, on huge pages if the system gives any: it hands over small ones, one by one, no faster than they
/// are filled from a bus.
pub(crate) fn zeros<T: Pod>(len: usize) -> Vec<T> {
    let mut zeros = vec![T::zeroed(); len];
    advise_huge_pages(bytemuck::cast_slice_mut(&mut zeros));
    zeros
}

/// Asks for huge pages where whole ones fit.
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
        // SAFETY: these pages belong to `bytes`, and what lies in them stays as it is: the advice only says which
        // pages are to back them. Whether it is taken, nobody needs to know.
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
            let mut zeros = zeros::<u32>(len);
            assert_eq!(zeros.len(), len);
            assert!(zeros.iter().all(|&word| word == 0));
            zeros.fill(7);
            zeros.push(8);
            assert!(zeros[..len].iter().all(|&word| word == 7));
        }
    }
}
