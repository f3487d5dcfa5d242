//! Memory for tables that are as long as a graph. It is requested before the tables are made, in a
//! way that fails with an error instead of ending the process.

use memmap2::MmapMut;
use std::fmt;

/// The system does not provide the memory that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// How much is needed, in bytes.
    pub bytes: u64,
    /// What it is needed for.
    pub what: &'static str,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, what } = self;
        write!(f, "out of memory: {bytes} bytes were needed for {what}")
    }
}

impl std::error::Error for OutOfMemory {}

/// The number of bytes that tables leave for everything else that is allocated meanwhile.
const REST: usize = 1 << 21;

/// Checks whether there is room for tables of this many bytes, all at the same time, and a little
/// more for data whose size does not depend on the graph. The memory is requested and returned.
/// Nothing is written to it, so this uses no memory, and takes little time.
///
/// It is requested from the system. If it were requested from the allocator, that of glibc would
/// take it for usual from then on that so much memory is freed at once. It would put lists of up to
/// this size, and no more than 32 MiB, between other data, copy them when they grow, and keep the
/// gaps.
///
/// # Errors
/// If there is no room.
pub fn check_room(what: &'static str, tables: &[usize]) -> Result<(), OutOfMemory> {
    let mut held = Vec::with_capacity(tables.len() + 1);
    for &bytes in tables.iter().chain([&REST]).filter(|&&bytes| bytes > 0) {
        let Ok(table) = MmapMut::map_anon(bytes) else {
            let bytes = tables.iter().map(|&bytes| bytes as u64).sum();
            return Err(OutOfMemory { bytes, what });
        };
        held.push(table);
    }
    Ok(())
}

/// Checks whether there is room for data whose size does not depend on the graph.
///
/// # Errors
/// If there is no room.
pub(crate) fn check_rest() -> Result<(), OutOfMemory> {
    check_room("what is small", &[])
}

#[cfg(test)]
mod tests {
    use super::check_room;

    #[test]
    fn too_much_memory_is_refused() {
        assert_eq!(check_room("a test", &[1 << 20, 0, 1 << 20]), Ok(()));
        let most = isize::MAX as usize;
        let error = check_room("a test", &[16, most]).expect_err("no machine has so much memory");
        let bytes = 16 + most as u64;
        let message = format!("out of memory: {bytes} bytes were needed for a test");
        assert_eq!(error.to_string(), message);
    }
}
