//! The cache of Wijs and Bošnački (2014), section 3.3: vectors that the workgroup has met, in its
//! own memory, by linear probing. Those that were not looked up in the table yet are OPEN.

/// The number of words of the cache.
const CACHE = 2048u;
/// The number of places that are tried for a vector.
const PLACES_TRIED = 8u;

var<workgroup> cache: array<atomic<u32>, CACHE>;
/// The number of vectors in it.
var<workgroup> num_cached: atomic<u32>;

/// Returns the number of vectors that fit.
fn most_cached() -> u32 {
    return CACHE / WORDS;
}

/// Puts the vector into the cache, if it is not there. Returns false if it has no room.
fn remember() -> bool {
    let first = hashes().y;
    for (var tried = 0u; tried < PLACES_TRIED; tried++) {
        let at = ((first + tried) % most_cached()) * WORDS;
        let seen = claim_cached(at, vector[0] | OPEN);
        work += WORDS;
        if seen == EMPTY {
            for (var word = 1u; word < WORDS; word++) {
                atomicStore(&cache[at + word], vector[word & 7u]);
            }
            // RESULT UNUSED: how many there are is read after a barrier.
            atomicAdd(&num_cached, 1u);
            return true;
        }
        if (seen & ~OPEN) == vector[0] && has_cached_words(at) {
            return true;
        }
    }
    return false;
}

/// Puts `first` where EMPTY is in the cache, and returns what was there before.
fn claim_cached(at: u32, first: u32) -> u32 {
    var seen = atomicLoad(&cache[at]);
    while seen == EMPTY {
        let swap = atomicCompareExchangeWeak(&cache[at], seen, first);
        if swap.exchanged {
            return EMPTY;
        }
        seen = swap.old_value;
    }
    return seen;
}

fn has_cached_words(at: u32) -> bool {
    for (var word = 1u; word < WORDS; word++) {
        if atomicLoad(&cache[at + word]) != vector[word & 7u] {
            return false;
        }
    }
    return true;
}

/// Makes the vector at a place of the cache the invocation's own, if nobody has looked it up yet.
fn take_cached(place: u32) -> bool {
    let at = place * WORDS;
    let first = atomicLoad(&cache[at]);
    if (first & OPEN) == 0u {
        return false;
    }
    atomicStore(&cache[at], first & ~OPEN);
    vector[0] = first & ~OPEN;
    for (var word = 1u; word < WORDS; word++) {
        vector[word & 7u] = atomicLoad(&cache[at + word]);
    }
    return true;
}

/// Empties the cache if it is more than half full. All invocations call it together, between two
/// barriers.
fn clear_cache(local: u32, is_full: bool) {
    if is_full {
        for (var at = local; at < CACHE; at += SIZE) {
            atomicStore(&cache[at], EMPTY);
        }
        if local == 0u {
            atomicStore(&num_cached, 0u);
        }
    }
}
