//! Whether a depth-first search finds most of what it looks up in a cache. Then it takes less time
//! than several threads need to find out whether sweeps pay.

use crate::sample::EdgeSample;

/// If a smaller share of the edges is scattered, hardly any look-up leaves the cache.
pub(super) const HARDLY_ANY: f64 = 1.0 / 32.0;

/// That is enough in a graph with fewer states and edges than these.
const LARGE: usize = 1 << 24;

/// If a smaller share is scattered, some look-ups leave the cache. That is enough in a graph with
/// fewer states and edges than `SMALL`.
const SOME: f64 = 1.0 / 4.0;
const SMALL: usize = 1 << 22;

/// Whether it does in a graph with this sample of its edges. `size`: how many states and edges
/// there are.
pub(super) fn has_most(sample: EdgeSample, size: usize) -> bool {
    let scattered = sample.scattered();
    match size {
        ..SMALL => scattered < SOME,
        SMALL..LARGE => scattered < HARDLY_ANY,
        LARGE.. => false,
    }
}
