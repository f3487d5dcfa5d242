//! The timeline of a run, as its caller measured it.

use crate::run::Phase;
use std::time::Duration;

/// What a run did when. All beginnings are counted from the beginning of the run.
#[derive(Clone, Copy, Debug)]
pub struct Timeline<'a> {
    /// What the run did, one thing after another.
    pub phases: &'a [Span<'a>],
    /// What a device did in one of these phases, if that was measured.
    pub work: Option<Work<'a>>,
}

/// Something that took time.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    /// What it was, and how long it took.
    pub phase: Phase<'a>,
    /// When it began.
    pub start: Duration,
}

/// What a device did for a graph.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// The device, for people.
    pub device: &'a str,
    /// When the phase began that it was done in.
    pub start: Duration,
    /// The states of the graph.
    pub states: u64,
    /// Its edges.
    pub edges: u64,
    /// The bytes that the device reads and writes in a second when it copies.
    pub bandwidth: f64,
    /// How often what was done, by name.
    pub counts: &'a [(&'a str, u64)],
    /// How many edges each pass looked at, each time anew, if that was counted.
    pub edges_touched: &'a [(&'a str, u64)],
    /// The levels of the search, in order.
    pub levels: &'a [Level<'a>],
}

/// A dispatch of a search, one a shard.
#[derive(Clone, Copy, Debug)]
pub struct Level<'a> {
    /// The pass that ran.
    pub pass: &'a str,
    /// The number of dispatches.
    pub dispatches: u32,
    /// How many workgroups each had, if that is known.
    pub workgroups: Option<u32>,
    /// How many entries of the queue were waiting for it, if there is a queue.
    pub entries: Option<u32>,
    /// Its time on the device; 0 if the device cannot tell.
    pub time: Duration,
}

impl Work<'_> {
    /// How many bytes must be read and written at least: 8 an edge, which is looked at once from
    /// each side, and 12 a state.
    pub fn floor_bytes(&self) -> f64 {
        8.0 * self.edges as f64 + 12.0 * self.states as f64
    }

    /// The seconds that this takes at the bandwidth.
    pub fn floor(&self) -> f64 {
        self.floor_bytes() / self.bandwidth
    }
}
