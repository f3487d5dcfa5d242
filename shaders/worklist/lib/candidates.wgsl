//! Candidates for pivots: which state of a region is to be searched from.
//!
//! A candidate is a key, the larger the better: first how many edges it has, as far as there are bits for that, then a number that is
//! another one for each state, and by which neighbours are far apart. Never by the smallest index: numbered as models are, that
//! makes chains of components the worst case.
#import worklist/lib/queue

var<workgroup> first_key: atomic<u32>;

/// The bits that number all states.
fn number_mask() -> u32 {
    return (1u << params.number_bits) - 1u;
}

/// Different for different states of the same rank; never 0.
fn key(state: u32, reaching: u32, leaving: u32) -> u32 {
    let mask = number_mask();
    var mixed = (state * 0x9e3779b1u) & mask;
    mixed = ((mixed ^ (mixed >> 15u)) * 0x85ebca6bu) & mask;
    mixed ^= mixed >> 13u;
    var rank = 0u;
    if params.by_degree == 1u {
        rank = min(reaching + leaving, (KEY - 1u) >> params.number_bits);
    }
    return KEY | (rank << params.number_bits) | mixed;
}

/// The state of a key. The factors are the inverses of those above, modulo 2^28 and so modulo less.
fn state_of(key: u32) -> u32 {
    let mask = number_mask();
    let mixed = key & mask;
    var state = ((mixed ^ (mixed >> 13u) ^ (mixed >> 26u)) * 0x5cb9243u) & mask;
    state = ((state ^ (state >> 15u)) * 0xe8b2f51u) & mask;
    return state;
}

/// The key of a state with its degrees as they are now.
fn key_of(state: u32) -> u32 {
    return key(state, atomicLoad(&degrees[2u * state]), atomicLoad(&degrees[2u * state + 1u]));
}

/// Where `pivots` has the best candidate of all states, until it is known whether any falls. No region has this name.
fn first_at() -> u32 {
    return arrayLength(&pivots) - 1u;
}

/// An invocation's best candidate of all states. A barrier.
fn offer_first(best: u32, local: u32) {
    atomicMax(&first_key, best);
    workgroupBarrier();
    if local == 0u && (params.stages & STAGE_PEEL) != 0u {
        atomicMax(&pivots[first_at()], atomicLoad(&first_key));
    }
}
