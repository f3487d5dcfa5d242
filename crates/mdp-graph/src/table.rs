//! [`Table`] and [`Stack`]: the memory of searches. It is as long as a graph, zero at first, and on
//! huge pages if the system has them.
//!
//! A search of three million states touches 50 MB, mostly in no order. With pages of 4 kB these are
//! 12,000 page faults. On a virtual machine they take half a millisecond per megabyte, which is
//! more than the search itself takes. In addition, each look-up misses the translation cache. Pages
//! are allocated when they are first touched, so a stack may be as long as the longest possible
//! path.

use bytemuck::Pod;
use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};
use zerocopy::FromBytes;

/// What is smaller is left to the allocator, in bytes: two huge pages.
const LARGE: usize = 1 << 22;

/// A fixed number of values, all zero at first.
#[derive(Debug)]
pub struct Table<T>(Memory<T>);

#[derive(Debug)]
enum Memory<T> {
    Allocated(Vec<T>),
    /// Pages with room for so many values.
    Mapped(MmapMut, usize),
}

impl<T: Pod> Table<T> {
    /// A table of `len` zeros.
    #[must_use]
    pub fn new(len: usize) -> Self {
        let bytes = len * size_of::<T>();
        match (bytes >= LARGE).then(|| map(bytes)).flatten() {
            Some(pages) => Self(Memory::Mapped(pages, len)),
            None => Self(Memory::Allocated(vec![T::zeroed(); len])),
        }
    }

    /// Keeps the first `len` values, if there are more.
    pub fn truncate(&mut self, len: usize) {
        match &mut self.0 {
            Memory::Allocated(values) => values.truncate(len),
            Memory::Mapped(_, old) => *old = len.min(*old),
        }
    }
}

macro_rules! shared {
    ($($number:ty => $atomic:ty,)*) => {$(
        impl Table<$number> {
            /// The values, for threads to share.
            ///
            /// # Panics
            /// Never: a table of numbers is aligned for them.
            #[must_use]
            pub fn as_atomics(&mut self) -> &[$atomic] {
                let bytes = bytemuck::cast_slice_mut(self);
                let atomics = <[$atomic]>::mut_from_bytes(bytes);
                atomics.expect("a table of numbers is aligned for them")
            }
        }
    )*};
}

shared! {
    u8 => AtomicU8,
    u32 => AtomicU32,
    u64 => AtomicU64,
}

impl<T> From<Vec<T>> for Table<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Memory::Allocated(values))
    }
}

impl<T: Pod> Clone for Table<T> {
    fn clone(&self) -> Self {
        let mut table = Self::new(self.len());
        table.copy_from_slice(self);
        table
    }
}

impl<T: Pod + PartialEq> PartialEq for Table<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Pod + Eq> Eq for Table<T> {}

/// Fresh zeroed pages, if the system gives any. Without huge pages they are as good as others.
fn map(bytes: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(bytes).ok()?;
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

impl<T: Pod> Deref for Table<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Memory::Allocated(values) => values,
            Memory::Mapped(pages, len) => bytemuck::cast_slice(&pages[..len * size_of::<T>()]),
        }
    }
}

impl<T: Pod> DerefMut for Table<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Memory::Allocated(values) => values,
            Memory::Mapped(pages, len) => {
                bytemuck::cast_slice_mut(&mut pages[..*len * size_of::<T>()])
            }
        }
    }
}

/// A stack in a table, never higher than the table is long.
#[derive(Debug)]
pub struct Stack<'a, T> {
    slots: &'a mut [T],
    len: usize,
}

impl<'a, T: Copy> Stack<'a, T> {
    /// An empty stack with room for as many values as there are `slots`.
    pub fn new(slots: &'a mut [T]) -> Self {
        Self { slots, len: 0 }
    }

    /// Puts a value on top.
    ///
    /// # Panics
    /// Panics if every slot is taken.
    #[inline]
    pub fn push(&mut self, value: T) {
        self.slots[self.len] = value;
        self.len += 1;
    }

    /// Takes the value off the top.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.slots[self.len])
    }

    /// Takes off the values from the top for as long as `wanted` holds; the first is the lowest.
    #[inline]
    pub fn pop_while(&mut self, mut wanted: impl FnMut(T) -> bool) -> &mut [T] {
        let before = self.len;
        while self.len > 0 && wanted(self.slots[self.len - 1]) {
            self.len -= 1;
        }
        &mut self.slots[self.len..before]
    }
}
