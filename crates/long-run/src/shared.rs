//! [`SharedBounds`]: bounds on the values of nodes, which several tasks write at the same time.

use crate::bounds::Bounds;
use mdp_graph::StateId;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bounds on the value of each node. While a task writes the bounds of a node, no other task may
/// read or write them.
pub(crate) struct SharedBounds(Vec<[AtomicU64; 2]>);

impl SharedBounds {
    /// Makes equal bounds for this many nodes.
    pub(crate) fn new(bounds: Bounds, nodes: usize) -> Self {
        let ends = || [bounds.lower, bounds.upper].map(|end| AtomicU64::new(end.to_bits()));
        Self((0..nodes).map(|_| ends()).collect())
    }

    #[inline]
    pub(crate) fn get(&self, node: StateId) -> Bounds {
        let [lower, upper] = &self.0[node.index()];
        Bounds {
            lower: f64::from_bits(lower.load(Ordering::Relaxed)),
            upper: f64::from_bits(upper.load(Ordering::Relaxed)),
        }
    }

    #[inline]
    pub(crate) fn set(&self, node: StateId, bounds: Bounds) {
        let [lower, upper] = &self.0[node.index()];
        lower.store(bounds.lower.to_bits(), Ordering::Relaxed);
        upper.store(bounds.upper.to_bits(), Ordering::Relaxed);
    }

    /// Narrows the bounds of a node. Returns whether this has changed them.
    #[inline]
    pub(crate) fn narrow(&self, node: StateId, by: Bounds) -> bool {
        let known = self.get(node);
        let has_changed = by.lower > known.lower || by.upper < known.upper;
        if has_changed {
            self.set(
                node,
                Bounds {
                    lower: known.lower.max(by.lower),
                    upper: known.upper.min(by.upper),
                },
            );
        }
        has_changed
    }
}
