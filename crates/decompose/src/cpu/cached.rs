//! Decides whether a depth-first search finds most of its data in a cache. If it does, the whole
//! search takes less time than the test whether sweeps would be faster.

use crate::sample::EdgeSample;

/// If the share of scattered edges is smaller than this, hardly any look-up misses the cache.
pub(super) const HARDLY_ANY: f64 = 1.0 / 32.0;

/// A graph with `HARDLY_ANY` scattered edges must have fewer states and edges than this.
const LARGE: usize = 1 << 24;

/// If the share of scattered edges is smaller than this, some look-ups miss the cache. Then the
/// graph must have fewer states and edges than `SMALL`.
const SOME: f64 = 1.0 / 4.0;
const SMALL: usize = 1 << 22;

/// Whether a depth-first search finds most of its data in a cache, in a graph with this sample of
/// its edges. `size` is the number of states plus the number of edges.
pub(super) fn has_most(sample: EdgeSample, size: usize) -> bool {
    let scattered = sample.scattered();
    match size {
        ..SMALL => scattered < SOME,
        SMALL..LARGE => scattered < HARDLY_ANY,
        LARGE.. => false,
    }
}
