//! Tests of devices that are lost before or during a search: both engines end with an error.

use crate::common::graph;
use crate::device::open;
use decompose::{ComponentSearch, Device, Error, Observer, Options, decompose};
use gpu::Gpu;
use mdp_graph::{ComponentKind, MdpGraph};
use std::sync::atomic::{AtomicUsize, Ordering};

/// An observer that makes the device fail when it has been polled a given number of times.
struct Loses {
    engine: Gpu,
    at: usize,
    asked: AtomicUsize,
}

impl Observer for Loses {
    fn is_cancelled(&self) -> bool {
        if self.asked.fetch_add(1, Ordering::Relaxed) == self.at {
            self.engine.lose();
        }
        false
    }
}

/// Returns a chain of small components, each of which takes a round.
fn chain(components: u32) -> MdpGraph {
    let states = 0..2 * components;
    let row = |s: u32| match s % 2 {
        0 => vec![vec![s + 1], vec![(s + 2).min(2 * components - 1)]],
        _ => vec![vec![s - 1]],
    };
    graph(&states.map(row).collect())
}

#[test]
fn a_search_on_a_device_that_was_lost_is_an_error() {
    let graph = chain(2000);
    for search in [
        ComponentSearch::Auto,
        ComponentSearch::Fbt,
        ComponentSearch::Bfbt,
    ] {
        for at in [0, 1, 3] {
            let Some(engine) = open() else { return };
            let observer = Loses {
                engine: engine.clone(),
                at,
                asked: AtomicUsize::new(0),
            };
            let options = Options {
                search,
                device: Device::from(engine),
                observer: &observer,
            };
            let kind = match at {
                3 => ComponentKind::Mec,
                _ => ComponentKind::Scc,
            };
            let found = decompose(&graph, kind, &options);
            assert!(
                matches!(found, Err(Error::Gpu(gpu::Error::DeviceLost { .. }))),
                "{search:?} {at}: {found:?}"
            );
            // Later calls return the same error.
            let again = decompose(&graph, ComponentKind::Scc, &options);
            assert!(
                matches!(again, Err(Error::Gpu(gpu::Error::DeviceLost { .. }))),
                "{again:?}"
            );
        }
    }
}
