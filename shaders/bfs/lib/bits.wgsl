//! The sets of states of dense iterations: a bit for each state, 32 to a word.
//!
//! While a level is explored, states are marked in `reached`. Other arrays have the states that
//! were reached before the level, and its frontier. They do not change in the meantime, so reads of
//! them need no atomic operations, and caches serve them.

/// A workgroup takes so many words of bits at a time, and the states of these.
const BLOCK_WORDS = 64u;
const BLOCK = 2048u;
const_assert BLOCK == 32u * BLOCK_WORDS;
const_assert BLOCK_WORDS <= SIZE;

fn bit_of(state: u32) -> u32 {
    return 1u << (state & 31u);
}

/// How many words there are, and how many blocks.
fn words_of(states: u32) -> u32 {
    return states / 32u + u32(states % 32u != 0u);
}

fn blocks_of(states: u32) -> u32 {
    return states / BLOCK + u32(states % BLOCK != 0u);
}
