//! The hash table of Wijs and Bošnački (2014), section 3.3: buckets of vectors, and double hashing
//! with a bound on the number of buckets that are tried. A vector is put into the first free place
//! of its sequence, and stays there.
#import gpuexplore/lib/vectors

/// The number of words of a bucket: a cache line.
const BUCKET = 32u;
/// The number of buckets that are tried: the bound H of the paper.
const BUCKETS_TRIED = 8u;

fn vectors_of_bucket() -> u32 {
    return BUCKET / WORDS;
}

/// Returns the place of the vector with this number, if vectors are counted bucket by bucket.
fn address_of(number: u32) -> u32 {
    let each = vectors_of_bucket();
    return (number / each) * BUCKET + (number % each) * WORDS;
}

/// Puts `first` where EMPTY is, as the first word of the vector, and returns what was there before.
fn claim_place(at: u32, first: u32) -> u32 {
    var seen = atomicLoad(&vectors[at]);
    while seen == EMPTY {
        let swap = atomicCompareExchangeWeak(&vectors[at], seen, first);
        if swap.exchanged {
            return EMPTY;
        }
        seen = swap.old_value;
    }
    return seen;
}

/// Walks along the sequence of places of the vector, and stores it in the first free one. Stops at
/// an equal vector if `finds` is set.
fn place_vector(flags: u32, finds: bool) -> Placed {
    let hash = hashes();
    let each = vectors_of_bucket();
    let first = (hash.y >> 16u) % each;
    var bucket = hash.x & params.mask;
    for (var tried = 0u; tried < BUCKETS_TRIED; tried++) {
        for (var i = 0u; i < each; i++) {
            let at = bucket * BUCKET + ((first + i) % each) * WORDS;
            let seen = claim_place(at, vector[0] | flags);
            work += WORDS;
            if seen == EMPTY {
                store_other_words(at);
                return Placed(IS_NEW, at);
            }
            if finds && (seen & ~OPEN) == vector[0] && has_other_words(at) {
                return Placed(IS_OLD, at);
            }
        }
        bucket = (bucket + (hash.y | 1u)) & params.mask;
    }
    return Placed(IS_HOMELESS, 0u);
}
