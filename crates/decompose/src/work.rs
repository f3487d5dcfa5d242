//! The work of a device on a decomposition, for profiles.

use std::time::Duration;

/// The work of a device that found the components of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// The number of states of the graph.
    pub states: u64,
    /// The number of its edges. If choices matter, the same edge of several choices counts several
    /// times.
    pub edges: u64,
    /// The number of bytes that the device reads and writes in a second when it copies its own
    /// memory.
    pub bandwidth: f64,
    /// The names of some steps, and how often each was done.
    pub counts: Vec<(&'static str, u64)>,
    /// The number of visits to edges in each pass. Empty if the engine does not count them.
    pub edges_touched: Vec<(&'static str, u64)>,
    /// The levels of the search, in order. Empty if the adapter has no timestamps and the engine
    /// reports nothing else.
    pub levels: Vec<Level>,
}

/// A level of a search, which is one dispatch for each shard. For the papers' engine, any dispatch,
/// including those after the end of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The pass that ran.
    pub pass: &'static str,
    /// The number of dispatches.
    pub dispatches: u32,
    /// The number of workgroups of each dispatch, if that is known.
    pub workgroups: Option<u32>,
    /// The number of entries of the queue that were waiting for it, if there is a queue.
    pub entries: Option<u32>,
    /// Its time on the device; 0 if the adapter has no timestamps.
    pub time: Duration,
}
