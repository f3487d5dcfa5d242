//! [`Table`]: numbers for each state or branch, zero at first, on huge pages where the system has
//! them. Nothing but memory: checker and producer both use it.
//!
//! A search touches its tables in no order. On pages of 4 kB, taking them from the system costs
//! more than a deep search itself, and each look-up misses the translation cache. Pages are taken
//! when they are first touched: a table may be as long as what it holds can ever be.

use bytemuck::Pod;
use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};

/// What is smaller is left to the allocator, in bytes: two huge pages.
const LARGE: usize = 1 << 22;

/// A fixed number of values, all zero at first.
pub(crate) enum Table<T> {
    Allocated(Vec<T>),
    /// Pages with at least so many values.
    Mapped(MmapMut, usize),
}

impl<T: Pod> Table<T> {
    pub(crate) fn new(len: usize) -> Self {
        let bytes = len * size_of::<T>();
        match (bytes >= LARGE).then(|| map(bytes)).flatten() {
            Some(pages) => Self::Mapped(pages, len),
            None => Self::Allocated(vec![T::zeroed(); len]),
        }
    }
}

/// Fresh pages, if the system gives any. If it has no huge ones, these are as good as others.
fn map(bytes: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(bytes).ok()?;
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

impl<T: Pod> Deref for Table<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Allocated(values) => values,
            Self::Mapped(pages, len) => bytemuck::cast_slice(&pages[..len * size_of::<T>()]),
        }
    }
}

impl<T: Pod> DerefMut for Table<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::Allocated(values) => values,
            Self::Mapped(pages, len) => {
                bytemuck::cast_slice_mut(&mut pages[..*len * size_of::<T>()])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGE, Table};

    #[test]
    fn small_and_large_tables_hold_what_is_written() {
        for len in [0, 1, 1000, LARGE / 8, LARGE / 8 + 1, LARGE] {
            let mut table: Table<[u32; 2]> = Table::new(len);
            assert_eq!(table.len(), len);
            assert!(table.iter().all(|entry| *entry == [0, 0]));
            for (i, entry) in table.iter_mut().enumerate() {
                *entry = [i as u32, !(i as u32)];
            }
            let is_kept = |(i, entry): (usize, &[u32; 2])| *entry == [i as u32, !(i as u32)];
            assert!(table.iter().enumerate().all(is_kept));
        }
    }
}
