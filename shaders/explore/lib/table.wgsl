//! The hash table: slots of one word in buckets, tried in an order that depends on the vector
//! alone.
//!
//! A slot is one of
//!
//!     EMPTY
//!     NEW   | tag | place + 1      a vector that this batch found: that of the candidate there
//!     KNOWN | tag | number         a vector that an earlier dispatch wrote: that of this state
//!
//! where NEW is 0. The tag has the remaining bits, and is the same for equal vectors. An entry is
//! put into the first empty slot of its order, and never leaves it. So if a vector is not found
//! before an empty slot, it is not in the table.
#import explore/lib/hash

const EMPTY = 0u;
const KNOWN = 0x80000000u;

/// The number of slots of a bucket: half a cache line.
const BUCKET = 16u;
/// The number of buckets that are tried.
const TRIES = 16u;
/// The largest number of slots of a table: an index and a flag fit a word.
const MAX_SLOTS = 0x40000000u;

/// The sequence of slots of a vector.
struct Probe {
    bucket: u32,
    /// The slot of a bucket that is tried first.
    first: u32,
    /// The distance from one bucket to the next. It is odd, so that all are tried in the end.
    step: u32,
    tag: u32,
}

fn index_mask() -> u32 {
    return (1u << params.index_bits) - 1u;
}

/// Returns the number of bits of the tag in a slot.
fn tag_mask() -> u32 {
    return ~(KNOWN | index_mask());
}

/// Returns the probe of a vector by two hashes of it.
fn probe_of(one: u32, two: u32) -> Probe {
    let first = scatter(one);
    let second = scatter(two ^ 0x9e3779b9u);
    return Probe(
        first & params.bucket_mask,
        second % BUCKET,
        (second / BUCKET) | 1u,
        (second ^ (first << 7u)) & tag_mask(),
    );
}

/// Returns the probe of a vector of one word, where slots hold vectors.
fn probe_of_word(word: u32) -> Probe {
    let hash = scatter(word);
    return Probe(
        hash & params.bucket_mask,
        (word * 0x9e3779b1u) >> 28u,
        (scatter(hash ^ 0x9e3779b9u) / BUCKET) | 1u,
        0u,
    );
}

/// Returns the slot that is tried after this many others.
fn slot_of(probe: Probe, tried: u32) -> u32 {
    let bucket = (probe.bucket + (tried / BUCKET) * probe.step) & params.bucket_mask;
    return bucket * BUCKET + (probe.first + tried) % BUCKET;
}
