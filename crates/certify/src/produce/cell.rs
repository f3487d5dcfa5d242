//! [`Cell`]: a number of one or four bytes that belongs to a state, and that threads share.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

/// A number of a state that threads share.
pub(super) trait Cell: Sync {
    fn get(&self) -> u32;
    /// Stores a number, which fits.
    fn set(&self, number: u32);
}

impl Cell for AtomicU8 {
    #[inline]
    fn get(&self) -> u32 {
        self.load(Relaxed).into()
    }

    #[inline]
    fn set(&self, number: u32) {
        self.store(number as u8, Relaxed);
    }
}

impl Cell for AtomicU32 {
    #[inline]
    fn get(&self) -> u32 {
        self.load(Relaxed)
    }

    #[inline]
    fn set(&self, number: u32) {
        self.store(number, Relaxed);
    }
}
