//! Information from the caller about the run that found an answer.

use crate::Constant;
use serde::ser::{Serialize, Serializer};
use std::time::Duration;

/// A phase of a run, and its duration.
#[derive(Clone, Copy, Debug)]
pub struct Phase<'a> {
    /// `"read"`, `"build"`, `"decompose"`, …
    pub name: &'a str,
    /// The wall-clock time.
    pub time: Duration,
    /// The amount of work in this phase, if it is known.
    pub amount: Option<Amount>,
}

/// The amount of work in a phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The number of bytes that were read, written or moved.
    Bytes(u64),
    /// The number of branches that were processed.
    Branches(u64),
    /// The number of branches that were found by exploring states.
    Found(u64),
}

/// The first things that a report says: the version of the tool, and which model it read.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    /// The version of the tool.
    pub version: &'a str,
    /// The source of the model: a path, or `"-"`.
    pub model: &'a str,
    /// The name of the type of the model, such as `"mdp"`.
    pub model_type: &'a str,
    /// The constants that were given values for this run, in the order of the model.
    pub constants: &'a [Constant<'a>],
}

/// The information about a run that the graph and its answer do not contain.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The tool and the model.
    pub heading: Heading<'a>,
    /// The device that computed the answer.
    pub device: &'a str,
    /// The algorithm.
    pub search: &'a str,
    /// Whether a certificate of the answer was checked and accepted.
    pub certified: bool,
    /// The parts of the run, in order.
    pub phases: &'a [Phase<'a>],
}

/// The states of a model that had no choice in the file.
#[derive(Clone, Copy, Debug)]
pub struct DeadlockStates<'a> {
    /// The number of them.
    pub count: u64,
    /// Their treatment: `"self-loop"`, `"keep"` or `"error"`.
    pub policy: &'a str,
}

/// How the graph of a decomposition was made of the model.
#[derive(Clone, Copy, Debug)]
pub struct GraphOrigin<'a> {
    /// The states without a choice.
    pub deadlocks: DeadlockStates<'a>,
    /// The number of observations, if the model is partially observable.
    pub observations: Option<u64>,
    /// The names of the players, if the model is a game.
    pub players: Option<&'a [String]>,
    /// The players whose end components were sought. If it is empty, all players.
    pub coalition: &'a [String],
    /// The edges of an interval model that must stay in an end component: `"possible"` or
    /// `"certain"`.
    pub interval_edges: Option<&'a str>,
}

/// The time of each phase in seconds, by name and in order.
pub(crate) struct Seconds<'a>(pub(crate) &'a [Phase<'a>]);

impl Serialize for Seconds<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let phases = self.0.iter();
        serializer.collect_map(phases.map(|phase| (phase.name, phase.time.as_secs_f64())))
    }
}
