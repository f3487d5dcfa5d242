//! Memory for lists that grow with a text. It is requested in a way that fails with an error
//! instead of ending the process.

use crate::fault::Fault;
use std::collections::TryReserveError;
use std::hint::black_box;

/// The system does not provide the memory that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// How much was requested, in bytes.
    pub bytes: u64,
}

impl<K: From<OutOfMemory>> From<OutOfMemory> for Box<Fault<K>> {
    /// A lack of memory has no place in the text.
    fn from(error: OutOfMemory) -> Self {
        Fault::placeless(error.into())
    }
}

impl OutOfMemory {
    /// Returns the error that there is no room for this many elements.
    fn of<T>(elements: usize) -> Self {
        let bytes = (elements as u64).saturating_mul(size_of::<T>() as u64);
        Self { bytes }
    }
}

/// Makes room for more elements. The room at least doubles, so that elements are seldom moved.
///
/// ```
/// let mut list = vec![1_u64, 2, 3];
/// parse_error::reserve(&mut list, 5)?;
/// assert!(list.capacity() >= 8);
/// let error = parse_error::reserve(&mut list, usize::MAX / 8).unwrap_err();
/// assert!(error.bytes > 1 << 60);
/// # Ok::<(), parse_error::OutOfMemory>(())
/// ```
///
/// # Errors
/// If there is no room.
#[inline]
pub fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    match list.capacity() - list.len() < more {
        true => grow(list, more),
        false => Ok(()),
    }
}

#[cold]
#[inline(never)]
fn grow<T>(list: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    let wanted = list.len().saturating_add(more).max(2 * list.capacity());
    list.try_reserve(more)
        .map_err(|_: TryReserveError| OutOfMemory::of::<T>(wanted))
}

/// Makes room for exactly as many elements more.
///
/// # Errors
/// If there is no room.
pub fn reserve_exact<T>(list: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    list.try_reserve_exact(more)
        .map_err(|_| OutOfMemory::of::<T>(list.len().saturating_add(more)))
}

/// Appends an element.
///
/// # Errors
/// If there is no room.
#[inline]
pub fn push<T>(list: &mut Vec<T>, element: T) -> Result<(), OutOfMemory> {
    reserve(list, 1)?;
    list.push(element);
    Ok(())
}

/// The number of bytes that tables leave for everything small that is allocated meanwhile.
const REST: usize = 1 << 21;

/// Checks whether there is room for tables of this many bytes, all at the same time, and a little
/// more for what is small. The memory is requested and returned. Nothing is written to it, so this
/// uses no memory, and takes little time.
///
/// With no tables, this is for loops that allocate small pieces of memory, such as names: if they
/// check every thousand of these, none of them fails.
///
/// # Errors
/// If there is no room.
pub fn check_room(tables: &[usize]) -> Result<(), OutOfMemory> {
    let mut held: Vec<Vec<u8>> = Vec::with_capacity(tables.len() + 1);
    for &bytes in tables.iter().chain([&REST]) {
        let mut table = Vec::new();
        let taken = reserve_exact(&mut table, bytes);
        held.push(table);
        if taken.is_err() {
            let bytes = tables.iter().chain([&REST]).map(|&bytes| bytes as u64);
            return Err(OutOfMemory {
                bytes: bytes.fold(0, u64::saturating_add),
            });
        }
    }
    // Without this, a compiler could omit the allocations, because nothing reads the memory.
    black_box(&held);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_memory_is_refused() {
        assert_eq!(check_room(&[1 << 20, 0, 1 << 20]), Ok(()));
        let most = isize::MAX as usize;
        let bytes = 16 + most as u64 + REST as u64;
        assert_eq!(check_room(&[16, most]), Err(OutOfMemory { bytes }));
        let mut list = vec![0_u32; 3];
        let bytes = 4 * (most as u64 / 8 + 3);
        let refused = Err(OutOfMemory { bytes });
        assert_eq!(reserve(&mut list, most / 8), refused);
        assert_eq!(reserve_exact(&mut list, most / 8), refused);
        assert_eq!(push(&mut list, 7), Ok(()));
        assert_eq!(list, [0, 0, 0, 7]);
        let fault: Box<Fault<OutOfMemory>> = OutOfMemory { bytes }.into();
        assert_eq!((fault.span, fault.kind.bytes), (None, bytes));
    }
}
