//! The common parts of all searches: their results and their observer.

use crate::Error;
use decompose::Observer;
use std::sync::atomic::{AtomicU64, Ordering};

/// The solution of a component.
pub(crate) struct Solution {
    /// The weight and the time of the cycle.
    pub(crate) weight: i64,
    pub(crate) time: i64,
    /// The edges of the cycle in order, by number.
    pub(crate) arcs: Vec<u32>,
    /// The potential V of each state, such that q weight - p time + V(u) - V(v) >= 0 for each edge
    /// u -> v, where p/q is the value of the cycle in lowest terms.
    pub(crate) potentials: Vec<i64>,
    /// The number of improvements of the policy, the interval or the tree.
    pub(crate) iterations: u32,
}

/// Calls the observer, and counts the states that are done.
pub(crate) struct Ticker<'a> {
    observer: &'a dyn Observer,
    done: AtomicU64,
    total: u64,
}

impl<'a> Ticker<'a> {
    /// Makes a ticker for a search in components with this many states in total.
    pub(crate) fn new(observer: &'a dyn Observer, total: u64) -> Self {
        Self {
            observer,
            done: AtomicU64::new(0),
            total,
        }
    }

    /// Returns an error if the observer cancels the search.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.observer.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Counts the states of a component that is solved, and reports progress.
    pub(crate) fn add(&self, states: usize) {
        let before = self.done.fetch_add(states as u64, Ordering::Relaxed);
        self.observer.progress(before + states as u64, self.total);
    }
}
