//! Whether a cache has what a depth-first search looks up, so that sweeps by several threads take
//! longer.

use crate::sample::EdgeSample;

/// If a smaller share of the edges is scattered, hardly any look-up leaves the cache.
pub(super) const HARDLY_ANY: f64 = 1.0 / 32.0;

/// In a graph with fewer states and edges than these, a search whose look-ups the cache has ends
/// before several threads have told whether sweeps pay.
const LARGE: usize = 1 << 24;

/// The same where a larger share of the edges is scattered, and of a smaller graph.
const SOME: f64 = 1.0 / 4.0;
const SMALL: usize = 1 << 22;

/// Whether it has, in a graph with so many states and edges and this sample of the edges.
pub(super) fn has_most(sample: EdgeSample, size: usize) -> bool {
    let scattered = sample.scattered();
    match size {
        ..SMALL => scattered < SOME,
        SMALL..LARGE => scattered < HARDLY_ANY,
        LARGE.. => false,
    }
}
