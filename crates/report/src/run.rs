//! Information from the caller about the run that made a decomposition.

use crate::Constant;
use serde::ser::{Serialize, Serializer};
use std::time::Duration;

/// A part of a run, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct Phase<'a> {
    /// `"read"`, `"build"`, `"decompose"`, …
    pub name: &'a str,
    /// Wall-clock time.
    pub time: Duration,
    /// How much was done in it, if that is known.
    pub amount: Option<Amount>,
}

/// How much was done in a part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// This many bytes were read, written or moved.
    Bytes(u64),
    /// This many branches were worked on.
    Branches(u64),
    /// This many branches were found by exploring states.
    Found(u64),
}

/// Facts about a run that the graph and its components do not hold.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The version of the tool.
    pub version: &'a str,
    /// Where the model came from: a path, or `"-"`.
    pub model: &'a str,
    /// `"mdp"`, `"dtmc"`, `"ctmc"` or `"lts"`.
    pub model_type: &'a str,
    /// The number of observations, if the model is partially observable.
    pub observations: Option<u64>,
    /// The names of the players, if the model is a game.
    pub players: Option<&'a [String]>,
    /// The players whose end components were sought; those of all players if there is none.
    pub coalition: &'a [String],
    /// Which edges of an interval model have to stay in an end component: `"possible"` or
    /// `"certain"`.
    pub interval_edges: Option<&'a str>,
    /// The constants that were given values for this run, in the order of the model.
    pub constants: &'a [Constant<'a>],
    /// The number of states that had no choice in the file.
    pub deadlocks: u64,
    /// What became of them: `"self-loop"`, `"keep"` or `"error"`.
    pub deadlock_policy: &'a str,
    /// What the decomposition ran on.
    pub device: &'a str,
    /// The algorithm.
    pub search: &'a str,
    /// Whether a certificate of the answer was checked and accepted.
    pub certified: bool,
    /// The parts of the run, in order.
    pub phases: &'a [Phase<'a>],
}

/// The time of each phase in seconds, by name and in order.
pub(crate) struct Seconds<'a>(pub(crate) &'a [Phase<'a>]);

impl Serialize for Seconds<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let phases = self.0.iter();
        serializer.collect_map(phases.map(|phase| (phase.name, phase.time.as_secs_f64())))
    }
}
