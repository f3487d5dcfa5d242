//! The work of a device on a decomposition, for profiles.

use std::time::Duration;

/// What a device did to find the components of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// The states of the graph.
    pub states: u64,
    /// Its edges; those of different choices count each, if choices matter.
    pub edges: u64,
    /// The bytes that the device reads and writes in a second when it copies.
    pub bandwidth: f64,
    /// How often what was done, by name.
    pub counts: Vec<(&'static str, u64)>,
    /// How many edges each pass looked at, each time anew. None, if the engine does not count them.
    pub edges_touched: Vec<(&'static str, u64)>,
    /// The levels of the search, in order. None, if the adapter has no clock and the engine tells
    /// of nothing else.
    pub levels: Vec<Level>,
}

/// A dispatch of a search, one a shard; of the papers' engine, any dispatch, those after a loop's
/// end included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The pass that ran.
    pub pass: &'static str,
    /// The number of dispatches.
    pub dispatches: u32,
    /// How many workgroups each had, if that is known.
    pub workgroups: Option<u32>,
    /// How many entries of the queue were waiting for it, if there is a queue.
    pub entries: Option<u32>,
    /// Its time on the device; 0 if the device cannot tell.
    pub time: Duration,
}
