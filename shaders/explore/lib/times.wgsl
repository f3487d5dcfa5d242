//! The number of successors of a state, up to a limit.

/// Successors of a state are counted up to this: one invocation writes them, which has to take well
/// under a second.
const MAX_SUCCESSORS = 0x3ffffu;

/// Returns the product, if it is not too large.
fn times(a: u32, b: u32) -> u32 {
    if a > MAX_SUCCESSORS / max(b, 1u) {
        return MAX_SUCCESSORS;
    }
    return a * b;
}
