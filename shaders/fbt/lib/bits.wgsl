//! Where the bit of a state lies in an array of bits that kernels scan. Most of the bits are 0 most
//! of the time.
//!
//! An invocation of such a kernel handles eight states of a block, at a distance of a workgroup's
//! width, so neighbouring invocations handle neighbouring states. Its eight bits are adjacent: one
//! read of a word shows that there is no work, and one swap takes all eight.

/// The number of invocations of a workgroup.
const SIZE = 256u;
/// The number of states that a workgroup handles at a time.
const BLOCK = 2048u;
const BLOCK_WORDS = BLOCK / 32u;

fn word_of(state: u32) -> u32 {
    return state / BLOCK * BLOCK_WORDS + state % SIZE / 4u;
}

/// Returns the state's bit in its word.
fn bit_of(state: u32) -> u32 {
    return 1u << (state % 4u * 8u + state % BLOCK / SIZE);
}

/// Returns the word that holds the bits of an invocation in a block.
fn own_word(block: u32, local: u32) -> u32 {
    return block * BLOCK_WORDS + local / 4u;
}

/// Returns the position of these bits in the word.
fn own_shift(local: u32) -> u32 {
    return local % 4u * 8u;
}

/// Returns the state of an invocation's bit `k`.
fn own_state(block: u32, local: u32, k: u32) -> u32 {
    return block * BLOCK + k * SIZE + local;
}

/// Returns those of an invocation's eight bits whose states are in `first..end`.
fn own_bits(block: u32, local: u32, first: u32, end: u32) -> u32 {
    let own = own_state(block, local, 0u);
    return bits_below(end, own) & ~bits_below(first, own);
}

/// Returns the bits of the states below `limit`, if the lowest stands for `state`.
fn bits_below(limit: u32, state: u32) -> u32 {
    if limit <= state {
        return 0u;
    }
    return (1u << min((limit - state + SIZE - 1u) / SIZE, 8u)) - 1u;
}
