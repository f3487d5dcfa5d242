//! Decides whether a depth-first search finds most of its data in a cache. If it does, the whole
//! search takes less time than the test whether sweeps would be faster.

use crate::sample::EdgeSample;
use std::fs;
use std::sync::OnceLock;

/// The data of fewer states than this fit into a cache.
pub(super) const FEW_STATES: usize = 1 << 16;

/// If the share of scattered edges is smaller than this, hardly any look-up misses the cache.
pub(super) const HARDLY_ANY: f64 = 1.0 / 32.0;

/// A graph with `HARDLY_ANY` scattered edges must have fewer states and edges than this.
const LARGE: usize = 1 << 24;

/// If the share of scattered edges is smaller than this, some look-ups miss the cache. Then the
/// graph must have fewer states and edges than `SMALL`.
const SOME: f64 = 1.0 / 4.0;
const SMALL: usize = 1 << 22;

/// The size in bytes of the cache for which `LARGE` and `SMALL` were measured.
const MEASURED_CACHE: usize = 1 << 25;

/// With this many threads or fewer, sweeps are no faster than a search that finds its data in a
/// larger cache. More threads make up for it.
const FEW_THREADS: usize = 3;

/// One thread takes less time to search a graph with fewer states and edges than this than to sweep
/// it, even if all look-ups miss the cache of the core. By measurement, that holds for two threads
/// if states have few edges.
const ONE_THREAD: usize = 3 << 20;
const FEW_EDGES_EACH: usize = 2;

/// Returns whether one thread searches a graph of this size faster than this many threads sweep it,
/// wherever its edges lead.
pub(super) fn is_small(states: usize, edges: usize, threads: usize) -> bool {
    let pays = match threads {
        ..=1 => true,
        2 => edges <= FEW_EDGES_EACH * states,
        _ => false,
    };
    pays && states + edges < ONE_THREAD
}

/// Returns whether a depth-first search finds most of its data in a cache, in a graph with this
/// sample of its edges. `size` is the number of states plus the number of edges, and `threads` the
/// number of threads that would sweep.
pub(super) fn mostly_fits(sample: EdgeSample, size: usize, threads: usize) -> bool {
    match threads {
        ..=FEW_THREADS => fits(sample, size, largest_cache()),
        _ => fits(sample, size, MEASURED_CACHE),
    }
}

/// Returns whether a depth-first search finds most of its data in a cache of this many bytes. A
/// smaller cache than usual counts as usual: the limits were not measured there.
fn fits(sample: EdgeSample, size: usize, cache: usize) -> bool {
    let scattered = sample.scattered();
    let times = (cache / MEASURED_CACHE).max(1);
    match size / times {
        ..SMALL => scattered < SOME,
        SMALL..LARGE => scattered < HARDLY_ANY,
        LARGE.. => false,
    }
}

/// Returns the size in bytes of the largest cache of the first core, if the system tells it, and
/// otherwise that of the usual one.
fn largest_cache() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let of_level = |level: usize| {
            let file = format!("/sys/devices/system/cpu/cpu0/cache/index{level}/size");
            parse(&fs::read_to_string(file).ok()?)
        };
        (0..8).filter_map(of_level).max().unwrap_or(MEASURED_CACHE)
    })
}

/// Returns a number of bytes, as Linux writes it: `32768K`.
fn parse(size: &str) -> Option<usize> {
    let number: usize = size.trim().strip_suffix('K')?.parse().ok()?;
    number.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_threads_search_small_graphs() {
        let half = ONE_THREAD / 2;
        assert!(is_small(half, half - 1, 1) && !is_small(half, half, 1));
        assert!(is_small(1000, 2000, 2) && !is_small(1000, 2001, 2));
        assert!(!is_small(1000, 1000, 3));
    }

    #[test]
    fn a_larger_cache_holds_larger_graphs() {
        let of = |scattered, size, cache| fits(EdgeSample::with(scattered), size, cache);
        for (scattered, limit) in [(0.2, SMALL), (0.01, LARGE)] {
            assert!(
                of(scattered, limit - 1, MEASURED_CACHE) && !of(scattered, limit, MEASURED_CACHE)
            );
            assert!(of(scattered, 9 * limit - 1, 9 * MEASURED_CACHE));
            assert!(!of(scattered, 9 * limit, 9 * MEASURED_CACHE));
            assert!(of(scattered, limit - 1, 0) && !of(scattered, limit, MEASURED_CACHE / 2));
        }
        assert!(!of(0.3, 1, 100 * MEASURED_CACHE));
    }

    #[test]
    fn sizes_of_caches_are_read() {
        assert_eq!(parse("32768K\n"), Some(MEASURED_CACHE));
        for wrong in ["", "K", "32M", "-1K", "99999999999999999999K"] {
            assert_eq!(parse(wrong), None);
        }
        assert!(largest_cache() > 0);
    }
}
