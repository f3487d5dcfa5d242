//! The sets of states of dense iterations: a bit for each state, 32 to a word.
//!
//! While a level is explored, states are marked in `reached`. The arrays `seen` and `fresh` have
//! the states that were reached before the level, and its frontier. They do not change in the
//! meantime, so reads of them need no atomic operations, and caches serve them.

/// The number of words of bits that a workgroup takes at a time, with their states.
const BLOCK_WORDS = 64u;
const BLOCK = 2048u;
const_assert BLOCK == 32u * BLOCK_WORDS;
const_assert BLOCK_WORDS <= SIZE;

/// The logarithm of the number of words of a cache line of 128 bytes.
const LINE_LOG2 = 5u;

fn bit_of(state: u32) -> u32 {
    return 1u << (state & 31u);
}

/// Returns the number of words of each array.
fn words_of(states: u32) -> u32 {
    return states / 32u + u32(states % 32u != 0u);
}

fn blocks_of(states: u32) -> u32 {
    return states / BLOCK + u32(states % BLOCK != 0u);
}

/// Returns the place of a word in `reached`. Successive words lie in other cache lines, because
/// devices execute the atomic operations on one line one after the other, and the states of a level
/// often have numbers that follow each other.
fn place_of(word: u32) -> u32 {
    let lines = lines_log2();
    return ((word & ((1u << lines) - 1u)) << LINE_LOG2) | (word >> lines);
}

/// Returns the logarithm of the number of lines of `reached`, which is a power of two.
fn lines_log2() -> u32 {
    return 32u - countLeadingZeros((words_of(params.states) - 1u) >> LINE_LOG2);
}
