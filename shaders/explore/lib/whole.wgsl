//! Slots that hold whole vectors, so that a look-up needs no access to states.
//!
//! A slot has one word for each word of a vector: that word plus 1. No word of a vector has all its
//! bits set, so none becomes EMPTY. A word that is not EMPTY never changes.
//!
//! A vector takes a slot word by word, each by one compare-and-swap. If another word is there, the
//! vector goes on to its next slot, and can never take the one that it has left. So invocations
//! with the same vector stop at the same slot. Exactly one of them sets the last word, and so adds
//! the vector. One that sets a word continues with the next, so no slot stays half full.
#import explore/lib/claim
#import explore/lib/table
#import explore/lib/vector

/// The result for a slot: it holds another vector, it held this one before, or it holds it now.
const OTHER = 0u;
const HELD = 1u;
const ADDED = 2u;

/// Finds the vector in the table, or puts it there. OTHER: there was no slot.
fn find_or_add() -> u32 {
    let probe = probe_of_whole();
    for (var tried = 0u; tried < TRIES * BUCKET; tried++) {
        let is = take(slot_of(probe, tried));
        if is != OTHER {
            return is;
        }
    }
    return OTHER;
}

/// Puts the vector into a slot, unless another vector has taken it.
fn take(slot: u32) -> u32 {
    var is = OTHER;
    for (var word = 0u; word < WORDS; word++) {
        let own = vector[word & 7u] + 1u;
        let entry = claim(slot * WORDS + word, own);
        if entry == EMPTY {
            is = ADDED;
        } else if entry == own {
            is = HELD;
        } else {
            return OTHER;
        }
    }
    return is;
}

fn probe_of_whole() -> Probe {
    if WORDS == 1u {
        return probe_of_word(vector[0]);
    }
    return probe_of_vector();
}
