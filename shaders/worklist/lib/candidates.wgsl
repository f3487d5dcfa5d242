//! Candidates for pivots: the states from which a region may be searched.
//!
//! A candidate is a key; the largest one wins. A key consists of the number of the state's edges,
//! as far as there are bits for it, and below that a permutation of the state's number, which sends
//! neighbours far apart. State numbers themselves are not suitable: models are numbered as they
//! were explored, so the smallest number would make chains of components the worst case.
#import worklist/lib/edges
#import worklist/lib/iteration

var<workgroup> first_key: atomic<u32>;

/// Returns the bits that number all states.
fn number_mask() -> u32 {
    return (1u << params.number_bits) - 1u;
}

/// Returns the key of a state with these degrees. It differs between states, and is never 0.
fn key(state: u32, count: vec2<u32>) -> u32 {
    let mask = number_mask();
    var mixed = (state * 0x9e3779b1u) & mask;
    mixed = ((mixed ^ (mixed >> 15u)) * 0x85ebca6bu) & mask;
    mixed ^= mixed >> 13u;
    var rank = 0u;
    if params.by_degree == 1u {
        rank = min(count.x + count.y, (KEY - 1u) >> params.number_bits);
    }
    return KEY | (rank << params.number_bits) | mixed;
}

/// Returns the state of a key. The factors are the inverses of those above, modulo
/// 2^MAX_NUMBER_BITS, and so modulo each smaller power of two.
fn state_of(key: u32) -> u32 {
    let mask = number_mask();
    let mixed = key & mask;
    var state = ((mixed ^ (mixed >> 13u) ^ (mixed >> 26u)) * 0x5cb9243u) & mask;
    state = ((state ^ (state >> 15u)) * 0xe8b2f51u) & mask;
    return state;
}

/// Returns the place in `pivots` of the best candidate of all states, which is kept there until it
/// is known whether any state is trimmed. No region has this name.
fn first_pivot_at() -> u32 {
    return arrayLength(&pivots) - 1u;
}

/// Offers an invocation's best candidate of all states. A barrier.
fn offer_first(best: u32, local: u32) {
    atomicMax(&first_key, best);
    workgroupBarrier();
    if local == 0u && (params.stages & STAGE_TRIM) != 0u {
        atomicMax(&pivots[first_pivot_at()], atomicLoad(&first_key));
    }
}
