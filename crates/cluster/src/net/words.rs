//! Messages as words of 32 bits: global numbers take two words, and one bit distinguishes two kinds
//! of messages.

/// The bit of a local number that distinguishes two kinds of messages.
pub(crate) const TAG: u32 = 1 << 31;

/// Packs a local number and a 64-bit number.
pub(crate) fn pair(local: u32, number: u64) -> [u32; 3] {
    [local, number as u32, (number >> 32) as u32]
}

/// Returns the 64-bit number.
pub(crate) fn wide([_, low, high]: [u32; 3]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
