//! State vectors as they are stored: word by word, with two bits for the search in each word.
//!
//! An EMPTY word is not written yet, or the write is not visible. Its reader treats the vector as a
//! different one. So a vector may be stored twice, but is never missed.
#import explore/lib/hash

const EMPTY = 0u;
/// In each word that is written.
const TAKEN = 0x40000000u;
/// In the first word: the vector is to be expanded.
const OPEN = 0x80000000u;
/// The bits of a word that hold states of processes.
const STATE_BITS = 30u;

@group(0) @binding(1) var<storage, read_write> vectors: array<atomic<u32>>;

/// The vector that an invocation works on, with TAKEN in each word.
var<private> vector: array<u32, 8>;
/// The approximate number of iterations of its loops.
var<private> work: u32;

/// Returns two hashes of the vector.
fn hashes() -> vec2<u32> {
    var one = 0u;
    var two = 0u;
    for (var word = 0u; word < WORDS; word++) {
        one = mix_one(one, vector[word & 7u]);
        two = mix_two(two, vector[word & 7u]);
    }
    return vec2(scatter(one), scatter(two ^ 0x9e3779b9u));
}

/// Loads the vector at an address. Returns whether all of it is there.
fn load_vector(at: u32) -> bool {
    for (var word = 0u; word < WORDS; word++) {
        vector[word & 7u] = atomicLoad(&vectors[at + word]) & ~OPEN;
        if vector[word & 7u] == EMPTY {
            return false;
        }
    }
    return true;
}

/// Returns whether the words at an address but the first one are those of the vector.
fn has_other_words(at: u32) -> bool {
    for (var word = 1u; word < WORDS; word++) {
        if atomicLoad(&vectors[at + word]) != vector[word & 7u] {
            return false;
        }
    }
    return true;
}

/// Writes the words of the vector but the first one.
fn store_other_words(at: u32) {
    for (var word = 1u; word < WORDS; word++) {
        atomicStore(&vectors[at + word], vector[word & 7u]);
    }
}
