//! Numbers of any width up to 64 bits, packed without gaps, the lowest bits first.

/// Returns the number in bits `at..at + width` of `bytes`.
pub(crate) fn get(bytes: &[u8], at: u64, width: u32) -> u64 {
    let (first, shift) = ((at / 8) as usize, (at % 8) as u32);
    let last = (first + 9).min(bytes.len());
    // A number that starts within a byte may touch nine.
    let mut window = [0; 16];
    window[..last - first].copy_from_slice(&bytes[first..last]);
    let number = (u128::from_le_bytes(window) >> shift) as u64;
    number & mask(width)
}

/// Sets bits `at..at + width` of `bytes`, which are zeros, to the lowest bits of `number`.
pub(crate) fn put(bytes: &mut [u8], at: u64, width: u32, number: u64) {
    let (first, shift) = ((at / 8) as usize, (at % 8) as u32);
    let window = (u128::from(number & mask(width)) << shift).to_le_bytes();
    for (byte, bits) in bytes[first..].iter_mut().zip(window).take(9) {
        *byte |= bits;
    }
}

/// Returns the number of bits that are needed for all numbers up to `largest`, at least 1.
pub(crate) fn width_of(largest: u64) -> u32 {
    (64 - largest.leading_zeros()).max(1)
}

fn mask(width: u32) -> u64 {
    u64::MAX.checked_shr(64 - width).unwrap_or(0)
}

#[cfg(test)]
mod tests;
