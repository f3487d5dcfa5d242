//! Cuckoo hashing with four functions, which the paper tried first (section 3.3).
//!
//! `vectors` has one vector after another. A slot holds 0, or the number of a vector plus 1, so one
//! exchange moves a vector of any number of words. Between two exchanges, a vector is in no slot,
//! and an invocation that looks for it at that time stores it a second time.
#import explore/lib/claim
#import gpuexplore/lib/vectors

const FUNCTIONS = 4u;
/// The number of vectors that are moved for one.
const MAX_MOVES = 64u;

@group(0) @binding(4) var<storage, read_write> slots: array<atomic<u32>>;

fn address_of(number: u32) -> u32 {
    return number * WORDS;
}

/// Returns the slot of a vector with these hashes, by one of the functions.
fn slot_of(hash: vec2<u32>, function: u32) -> u32 {
    return scatter(hash.x + function * (hash.y | 1u)) & params.mask;
}

/// Finds the vector in one of its slots.
fn find_vector(hash: vec2<u32>) -> Placed {
    for (var function = 0u; function < FUNCTIONS; function++) {
        let entry = atomicLoad(&slots[slot_of(hash, function)]);
        work += WORDS;
        if entry != EMPTY && is_at(address_of(entry - 1u)) {
            return Placed(IS_OLD, address_of(entry - 1u));
        }
    }
    return Placed(IS_NEW, 0u);
}

fn is_at(at: u32) -> bool {
    return (atomicLoad(&vectors[at]) & ~OPEN) == vector[0] && has_other_words(at);
}

/// Puts the number of the vector into one of its slots, unless an equal vector is in one of them.
/// If all of them are taken, others move. Returns IS_HOMELESS if one has no slot in the end.
fn put_in_slot(number: u32) -> u32 {
    var hash = hashes();
    for (var function = 0u; function < FUNCTIONS; function++) {
        let seen = claim(slot_of(hash, function), number + 1u);
        work += WORDS;
        if seen == EMPTY {
            return IS_NEW;
        }
        // Others may have stored the vector since it was looked for.
        if is_at(address_of(seen - 1u)) {
            return IS_OLD;
        }
    }
    var entry = number + 1u;
    var slot = slot_of(hash, 0u);
    for (var moved = 0u; moved < MAX_MOVES; moved++) {
        entry = atomicExchange(&slots[slot], entry);
        work += WORDS;
        if entry == EMPTY {
            return IS_NEW;
        }
        if !load_vector(address_of(entry - 1u)) {
            return IS_HOMELESS;
        }
        hash = hashes();
        slot = next_slot(hash, slot);
    }
    return IS_HOMELESS;
}

/// Returns the slot by the function after the one that leads to a slot.
fn next_slot(hash: vec2<u32>, slot: u32) -> u32 {
    for (var function = 0u; function + 1u < FUNCTIONS; function++) {
        if slot_of(hash, function) == slot {
            return slot_of(hash, function + 1u);
        }
    }
    return slot_of(hash, 0u);
}
