//! The timeline of a run, as the caller measured it.

use crate::run::Phase;
use std::time::Duration;

/// The timeline of a run. All starting times are relative to the beginning of the run.
#[derive(Clone, Copy, Debug)]
pub struct Timeline<'a> {
    /// The phases of the run, one after another.
    pub phases: &'a [Span<'a>],
    /// The work of a device in one of these phases, if it was measured.
    pub work: Option<Work<'a>>,
}

/// A phase with its starting time.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    /// The phase, with its duration.
    pub phase: Phase<'a>,
    /// Its starting time.
    pub start: Duration,
}

/// The work of a device for a graph.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// The name of the device.
    pub device: &'a str,
    /// The starting time of the phase in which the device worked.
    pub start: Duration,
    /// The number of states of the graph.
    pub states: u64,
    /// The number of its edges.
    pub edges: u64,
    /// The number of bytes that the device reads and writes per second when it copies.
    pub bandwidth: f64,
    /// Counters, by name.
    pub counts: &'a [(&'a str, u64)],
    /// The number of edges that each pass visited, counted each time, if it was measured.
    pub edges_touched: &'a [(&'a str, u64)],
    /// The levels of the search, in order.
    pub levels: &'a [Level<'a>],
}

/// A level of a search, which has one dispatch for each shard.
#[derive(Clone, Copy, Debug)]
pub struct Level<'a> {
    /// The pass that ran.
    pub pass: &'a str,
    /// The number of dispatches.
    pub dispatches: u32,
    /// The number of workgroups of each dispatch, if it is known.
    pub workgroups: Option<u32>,
    /// The number of entries of the queue before the level, if there is a queue.
    pub entries: Option<u32>,
    /// The time on the device; 0 if the device cannot measure it.
    pub time: Duration,
}

impl Work<'_> {
    /// Returns the least number of bytes that must be read and written: 8 for each edge, which is
    /// visited once from each side, and 12 for each state.
    pub fn floor_bytes(&self) -> f64 {
        8.0 * self.edges as f64 + 12.0 * self.states as f64
    }

    /// Returns the time in seconds that this takes at the bandwidth of the device.
    pub fn floor(&self) -> f64 {
        self.floor_bytes() / self.bandwidth
    }
}
