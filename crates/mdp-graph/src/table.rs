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
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use zerocopy::FromBytes;

/// The size of a huge page, in bytes. Smaller tables are left to the allocator.
const LARGE: usize = 1 << 21;

/// The size of a small page, in bytes.
const SMALL_PAGE: usize = 1 << 12;

/// Tables begin at different places in a page: each one this many bytes, or 17 cache lines, after
/// the one before. A search often writes to one table and then reads the same place of another one.
/// If the two places differ by a multiple of 4 kB, many processors take the read for one of what
/// was just written, and wait. By measurement on a Xeon, a search in which states follow one
/// another then takes up to 1.6 times as long.
const BEGIN_STEP: usize = 17 << 6;

/// Where the next table begins, modulo [`SMALL_PAGE`].
static NEXT_BEGIN: AtomicUsize = AtomicUsize::new(BEGIN_STEP);

/// A fixed number of values, all zero at first unless the table was made by [`Table::any`].
#[derive(Debug)]
pub struct Table<T>(Memory<T>);

#[derive(Debug)]
enum Memory<T> {
    Allocated(Vec<T>),
    Mapped {
        pages: Pages,
        /// Where the values begin, in bytes.
        begin: usize,
        len: usize,
    },
}

impl<T: Pod> Table<T> {
    /// Returns a table of `len` zeros. Pages of it that are never touched take no time and no
    /// memory, so this is for tables of which a search may use only a part.
    #[must_use]
    pub fn new(len: usize) -> Self {
        let bytes = len * size_of::<T>();
        match (bytes >= LARGE).then(|| map(bytes)).flatten() {
            Some(pages) => Self::mapped(Pages(Some(pages)), len),
            None => Self(Memory::Allocated(vec![T::zeroed(); len])),
        }
    }

    /// Returns a table on pages that have room for it at any begin.
    fn mapped(pages: Pages, len: usize) -> Self {
        let begin = NEXT_BEGIN.fetch_add(BEGIN_STEP, Relaxed) % SMALL_PAGE;
        Self(Memory::Mapped { pages, begin, len })
    }

    /// Returns a table of `len` zeros all of which will be used. If there are pages of an earlier
    /// table, they are reused, and zeros are written to them.
    #[must_use]
    pub fn zeroed(len: usize) -> Self {
        let Some(mut table) = Self::used(len) else {
            return Self::new(len);
        };
        table.fill(T::zeroed());
        table
    }

    /// Returns a table of `len` values, which may be anything: those of an earlier table, if there
    /// are pages of one. This is for stacks and for results, which are written before they are
    /// read.
    #[must_use]
    pub fn any(len: usize) -> Self {
        Self::used(len).unwrap_or_else(|| Self::new(len))
    }

    /// Returns a table of any values, on pages that have served before, if there are any.
    fn used(len: usize) -> Option<Self> {
        let bytes = len * size_of::<T>();
        let pages = (bytes >= LARGE).then(|| Pages::used(bytes)).flatten()?;
        Some(Self::mapped(pages, len))
    }

    /// Keeps the first `len` values, if there are more.
    pub fn truncate(&mut self, len: usize) {
        match &mut self.0 {
            Memory::Allocated(values) => values.truncate(len),
            Memory::Mapped { len: old, .. } => *old = len.min(*old),
        }
    }
}

/// The pages of tables that are no longer needed, for the next tables, the oldest first. It takes
/// as long to get new pages from the system as to do an easy search. All these pages together have
/// at most [`KEPT`] bytes.
///
/// No thread waits for the lock, because in a forked process it may never be released.
static UNUSED: Mutex<Vec<MmapMut>> = Mutex::new(Vec::new());

/// The number of bytes that are kept: as many as the allocator of glibc keeps.
const KEPT: usize = 1 << 26;

/// Returns the size of the pages that are kept for the next tables, in bytes.
#[must_use]
pub fn unused_bytes() -> usize {
    let unused = UNUSED.try_lock();
    unused.map_or(0, |unused| unused.iter().map(|pages| pages.len()).sum())
}

/// Returns the pages that are kept for the next tables to the system.
pub fn free_unused() {
    if let Ok(mut unused) = UNUSED.try_lock() {
        unused.clear();
    }
}

/// The pages of a table, which are kept when it is dropped. This is `Some` until then.
#[derive(Debug)]
struct Pages(Option<MmapMut>);

impl Pages {
    /// Returns pages that have served before, with room for a table of this many bytes, of any
    /// value.
    fn used(bytes: usize) -> Option<Self> {
        let bytes = bytes + SMALL_PAGE;
        let mut unused = UNUSED.try_lock().ok()?;
        let fitting = unused.iter().enumerate();
        let fitting = fitting.filter(|(_, pages)| (bytes..=4 * bytes).contains(&pages.len()));
        let (i, _) = fitting.min_by_key(|(_, pages)| pages.len())?;
        Some(Self(Some(unused.remove(i))))
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let Some(pages) = self.0.take().filter(|pages| pages.len() <= KEPT) else {
            return;
        };
        let Ok(mut unused) = UNUSED.try_lock() else {
            return;
        };
        unused.push(pages);
        while unused.iter().map(|pages| pages.len()).sum::<usize>() > KEPT {
            unused.remove(0);
        }
    }
}

impl Deref for Pages {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl DerefMut for Pages {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        self.0.as_deref_mut().unwrap_or_default()
    }
}

macro_rules! shared {
    ($($number:ty => $atomic:ty,)*) => {$(
        impl Table<$number> {
            /// Returns the values as atomics, which threads may share.
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

/// Returns fresh zeroed pages with room for a table of this many bytes, if the system provides any.
/// If it has no huge pages, these are small ones. The size is a multiple of that of huge pages: a
/// remainder in small pages would take longer to get, page by page.
fn map(bytes: usize) -> Option<MmapMut> {
    let bytes = bytes.checked_add(SMALL_PAGE)?;
    let pages = MmapMut::map_anon(bytes.checked_next_multiple_of(LARGE)?).ok()?;
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
            Memory::Mapped { pages, begin, len } => {
                bytemuck::cast_slice(&pages[*begin..begin + len * size_of::<T>()])
            }
        }
    }
}

impl<T: Pod> DerefMut for Table<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Memory::Allocated(values) => values,
            Memory::Mapped { pages, begin, len } => {
                bytemuck::cast_slice_mut(&mut pages[*begin..*begin + *len * size_of::<T>()])
            }
        }
    }
}

/// A stack in a table. It cannot be higher than the table is long.
#[derive(Debug)]
pub struct Stack<'a, T> {
    slots: &'a mut [T],
    len: usize,
}

impl<'a, T: Copy> Stack<'a, T> {
    /// Returns an empty stack with room for as many values as there are `slots`.
    pub fn new(slots: &'a mut [T]) -> Self {
        Self { slots, len: 0 }
    }

    /// Pushes a value.
    ///
    /// # Panics
    /// Panics if every slot is taken.
    #[inline]
    pub fn push(&mut self, value: T) {
        self.slots[self.len] = value;
        self.len += 1;
    }

    /// Pops the value at the top.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.slots[self.len])
    }

    /// Returns the values, from the bottom to the top.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.slots[..self.len]
    }

    /// Pops values from the top as long as `wanted` holds for them. Returns them, the lowest first.
    #[inline]
    pub fn pop_while(&mut self, mut wanted: impl FnMut(T) -> bool) -> &mut [T] {
        let before = self.len;
        while self.len > 0 && wanted(self.slots[self.len - 1]) {
            self.len -= 1;
        }
        &mut self.slots[self.len..before]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Several threads take such tables at once, and none of them gets memory that another one
    /// uses.
    #[test]
    fn tables_of_any_values_have_their_length_whatever_was_kept() {
        let use_some = |thread: u32| {
            for len in [3, LARGE / 4, LARGE, 10, LARGE / 2 + 1, LARGE / 4 + 7, KEPT] {
                let mut table: Table<u32> = Table::any(len);
                assert_eq!(table.len(), len);
                table.fill(thread);
                std::thread::yield_now();
                assert!(table.iter().all(|&value| value == thread));
            }
        };
        std::thread::scope(|scope| {
            for thread in 1..4 {
                scope.spawn(move || use_some(thread));
            }
        });
        let unused = UNUSED.lock().expect("no thread panics");
        assert!(unused.iter().map(|pages| pages.len()).sum::<usize>() <= KEPT);
    }

    #[test]
    fn tables_begin_at_different_places_in_a_page() {
        let tables: [Table<u32>; 4] = [(); 4].map(|()| Table::any(LARGE));
        let mut places = tables
            .each_ref()
            .map(|table| table.as_ptr() as usize % SMALL_PAGE);
        places.sort_unstable();
        assert!(
            places.is_sorted_by(|one, other| one + 64 <= *other),
            "{places:?}"
        );
    }

    #[test]
    fn tables_are_zero_at_first() {
        let lens = [0, 1, LARGE / 4 - 1, LARGE / 4, LARGE / 4 + 1];
        let both = lens.map(|len| [(len, Table::<u32>::new(len)), (len, Table::zeroed(len))]);
        for (len, mut table) in both.into_iter().flatten().chain([(9, Table::zeroed(9))]) {
            assert_eq!(table.len(), len);
            assert!(table.iter().all(|&value| value == 0));
            table.fill(1);
            table.truncate(1);
            assert_eq!(table.len(), len.min(1));
        }
    }
}
