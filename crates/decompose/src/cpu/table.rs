//! Memory of the searches: tables and stacks as long as a graph, zeroed, on huge pages where the
//! system has them.
//!
//! A search of three million states touches 50 MB, mostly in no order. In pages of 4 kB that is
//! 12,000 page faults, half a millisecond a megabyte on a virtual machine, which is more than the
//! search itself takes; and each look-up misses the translation cache. Pages are taken when they
//! are first touched, so a stack may be as long as the longest path that there can be.

use bytemuck::Pod;
use memmap2::MmapMut;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// What is smaller is left to the allocator, in bytes: two huge pages.
const LARGE: usize = 1 << 22;

/// A fixed number of values, all zero at first.
pub(super) struct Table<T> {
    memory: Memory,
    len: usize,
    values: PhantomData<T>,
}

enum Memory {
    Allocated(Vec<u32>),
    Mapped(MmapMut),
}

impl<T: Pod> Table<T> {
    pub(super) fn new(len: usize) -> Self {
        const { assert!(align_of::<T>() <= align_of::<u32>()) };
        let bytes = len * size_of::<T>();
        let mapped = (bytes >= LARGE).then(|| map(bytes)).flatten();
        let memory = mapped.map_or_else(
            || Memory::Allocated(vec![0; bytes.div_ceil(size_of::<u32>())]),
            Memory::Mapped,
        );
        Self {
            memory,
            len,
            values: PhantomData,
        }
    }
}

/// Fresh zeroed pages, if the system gives any. Without huge pages they are as good as others.
fn map(bytes: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(bytes).ok()?;
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

impl<T: Pod> Deref for Table<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Allocated(words) => &bytemuck::cast_slice(words)[..self.len],
            Memory::Mapped(pages) => &bytemuck::cast_slice(pages)[..self.len],
        }
    }
}

impl<T: Pod> DerefMut for Table<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Allocated(words) => &mut bytemuck::cast_slice_mut(words)[..self.len],
            Memory::Mapped(pages) => &mut bytemuck::cast_slice_mut(pages)[..self.len],
        }
    }
}

/// A stack in a table, never higher than the table is long.
pub(super) struct Stack<'a, T> {
    slots: &'a mut [T],
    len: usize,
}

impl<'a, T: Copy> Stack<'a, T> {
    pub(super) fn new(slots: &'a mut [T]) -> Self {
        Self { slots, len: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, value: T) {
        self.slots[self.len] = value;
        self.len += 1;
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.slots[self.len])
    }

    /// Takes off the values from the top for as long as `wanted` holds; the first is the lowest.
    #[inline]
    pub(super) fn pop_while(&mut self, mut wanted: impl FnMut(T) -> bool) -> &mut [T] {
        let before = self.len;
        while self.len > 0 && wanted(self.slots[self.len - 1]) {
            self.len -= 1;
        }
        &mut self.slots[self.len..before]
    }
}
