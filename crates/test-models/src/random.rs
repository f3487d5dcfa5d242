//! Pseudo-random numbers, which are the same in each run.

/// Returns numbers that follow from this seed (xorshift, G. Marsaglia).
pub fn draws(seed: u64) -> impl FnMut() -> u32 {
    // From 0, all numbers would be 0.
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    }
}

/// Returns the numbers below `n` in a random order.
pub fn shuffled(n: u32, mut draw: impl FnMut() -> u32) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..n).collect();
    for last in (1..n).rev() {
        numbers.swap(last as usize, (draw() % (last + 1)) as usize);
    }
    numbers
}
