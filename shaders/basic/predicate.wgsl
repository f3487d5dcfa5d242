//! Evaluates a predicate: takes the workgroups from what follows in a submission, unless a condition
//! holds. What was recorded after a loop waits for its end, and what was recorded for a case waits for
//! that case (`gpu::Recording::when`).
//!
//! Each dispatch that depends on the predicate is sized by one of the even records, which lie together.
//!
//! Reads `odd`, and of `even` the predicate and what it is about. Owns the records of `even` that may be
//! closed, one an invocation: no predicate is about these.

const SIZE = 64u;

/// The loop has ended within so many iterations.
const ENDED = 0u;
/// The record that ended the loop has no workgroups in a dimension; or has some.
const WITHOUT = 1u;
const WITH = 2u;
/// The first word of a record is not zero.
const WORD = 3u;

struct PredicateParams {
    /// The words from one record of a buffer to the next.
    stride: u32,
    /// The record that holds the predicate: even, and closed with the others.
    record: u32,
}

//@ disjoint even: the records that may be closed are none that a condition is about
@group(0) @binding(0) var<storage, read_write> even: array<u32>;
@group(0) @binding(1) var<storage, read> odd: array<u32>;
@group(0) @binding(2) var<uniform> params: PredicateParams;

/// A predicate, as a record holds it. It is not in the parameters, because lavapipe compiles a kernel
/// again for each set of parameters that branches depend on.
struct Predicate {
    /// 0 if an earlier predicate has closed this one.
    is_asked: u32,
    condition: u32,
    /// The record that the condition is about: the first of a loop, even.
    first: u32,
    /// The iterations of the loop.
    iterations: u32,
    dimension: u32,
    /// The even records that may be closed, by their place among the even ones.
    close_from: u32,
    close_end: u32,
}

@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) local: u32) {
    let at = params.record / 2u * params.stride;
    let predicate = Predicate(
        even[at],
        even[at + 1u],
        even[at + 2u],
        even[at + 3u],
        even[at + 4u],
        even[at + 5u],
        even[at + 6u],
    );
    if predicate.is_asked == 0u || holds(predicate) {
        return;
    }
    for (var i = predicate.close_from + local; i < predicate.close_end; i += SIZE) {
        even[i * params.stride] = 0u;
    }
}

fn holds(predicate: Predicate) -> bool {
    switch predicate.condition {
        case ENDED: {
            return is_last(predicate.first + predicate.iterations);
        }
        case WORD: {
            return word(predicate.first, 0u) != 0u;
        }
        default: {
            let is_without = word(end_of_loop(predicate), predicate.dimension) == 0u;
            return is_without == (predicate.condition == WITHOUT);
        }
    }
}

/// The first record that asks for no iteration. Past the loop's iterations nobody asks.
fn end_of_loop(predicate: Predicate) -> u32 {
    var record = predicate.first;
    while record < predicate.first + predicate.iterations && !is_last(record) {
        record += 1u;
    }
    return record;
}

fn is_last(record: u32) -> bool {
    return word(record, 0u) == 0u || word(record, 1u) == 0u || word(record, 2u) == 0u;
}

fn word(record: u32, index: u32) -> u32 {
    let at = record / 2u * params.stride + index;
    if record % 2u == 0u {
        return even[at];
    }
    return odd[at];
}
