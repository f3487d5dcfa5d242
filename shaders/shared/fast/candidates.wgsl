//! Candidates for pivots: which state of a region is to be searched from.
//!
//! A candidate is a key, the larger the better: first the rank of its degrees, then a number that is another one for
//! each state, and by which neighbours are far apart. Never by the smallest index: numbered as models are, that makes
//! chains of components the worst case.
#import fast/pile

const MIX_MASK = 0x0fffffffu;

var<workgroup> first_key: atomic<u32>;

/// Different for different states under 2^28, unless they are of different ranks; never 0.
fn key(state: u32, reaching: u32, leaving: u32) -> u32 {
    var mixed = (state * 0x9e3779b1u) & MIX_MASK;
    mixed = ((mixed ^ (mixed >> 15u)) * 0x85ebca6bu) & MIX_MASK;
    mixed ^= mixed >> 13u;
    var rank = 0u;
    if params.by_degree == 1u {
        rank = min(firstLeadingBit(reaching | 1u) + firstLeadingBit(leaving | 1u), 7u);
    }
    return KEY | (rank << 28u) | mixed;
}

/// The state of a key. The factors are the inverses of those above, modulo 2^28.
fn state_of(key: u32) -> u32 {
    let mixed = key & MIX_MASK;
    var state = ((mixed ^ (mixed >> 13u) ^ (mixed >> 26u)) * 0x5cb9243u) & MIX_MASK;
    state = ((state ^ (state >> 15u)) * 0xe8b2f51u) & MIX_MASK;
    return state;
}

/// The key of a state with its degrees as they are now.
fn key_of(state: u32) -> u32 {
    return key(state, atomicLoad(&degrees[2u * state]), atomicLoad(&degrees[2u * state + 1u]));
}

/// In `pivots`: the best candidate of all states, until it is known whether any falls. No region has this name.
fn first() -> u32 {
    return arrayLength(&pivots) - 1u;
}

/// An invocation's best candidate of all states. A barrier.
fn offer_first(best: u32, local: u32) {
    atomicMax(&first_key, best);
    workgroupBarrier();
    if local == 0u && (params.stages & STAGE_PEEL) != 0u {
        atomicMax(&pivots[first()], atomicLoad(&first_key));
    }
}
