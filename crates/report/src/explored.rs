//! The result of exploring the states of a model, as JSON: counts, and traces to what was found.
//!
//! The structures below are the schema, which `docs/exploring.md` explains field by field.

use crate::indented;
use crate::path::PathState;
use crate::run::Seconds;
use crate::schema::{Constants, Schema};
use crate::{Heading, Phase};
use serde::Serialize;
use std::io::{self, Write};

/// The version of the JSON schema.
const SCHEMA_VERSION: u32 = 1;

/// The result of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Explored<'a> {
    /// The tool and the model.
    pub heading: Heading<'a>,
    /// The names of the variables, if traces have their values.
    pub variables: Option<&'a [String]>,
    /// How much was explored.
    pub extent: ExploredExtent,
    /// The effort of the paper's search, if it was used.
    pub effort: Option<PaperEffort>,
    /// Whether a certificate was checked and accepted.
    pub certified: bool,
    /// The parts of the run, in order.
    pub phases: &'a [Phase<'a>],
    /// The results of all searches, in order.
    pub results: &'a [Sought<'a>],
}

/// How much was explored.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum ExploredExtent {
    /// All states.
    All {
        /// The number of states.
        states: u64,
        /// The number of choices.
        choices: u64,
        /// The number of transitions: branches of choices.
        transitions: u64,
        /// The number of states without a transition.
        deadlocks: u64,
    },
    /// The states up to the last one that was looked for.
    Until {
        /// The number of states that a sequential search visits until it has found everything.
        searched: u64,
    },
}

/// The effort of the search of Wijs and Bošnački.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PaperEffort {
    /// How many states were expanded. A state may be expanded several times.
    pub expanded: u64,
    /// The number of launches.
    pub launches: u64,
}

/// A thing that was looked for.
#[derive(Clone, Debug, Serialize)]
pub struct Sought<'a> {
    /// What it is.
    #[serde(flatten)]
    pub what: SoughtKind<'a>,
    found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    transitions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<PathState<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<Vec<PathState<'a>>>,
}

/// The kind of a thing that was looked for, and its name.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "kind", content = "name", rename_all = "lowercase")]
pub enum SoughtKind<'a> {
    /// A state without a transition.
    Deadlock,
    /// A cycle of internal actions.
    Livelock,
    /// A transition with this action.
    Action(&'a str),
    /// A state in which this expression is true.
    State(&'a str),
}

impl<'a> Sought<'a> {
    /// Returns a thing that is not there.
    #[must_use]
    pub fn missing(what: SoughtKind<'a>) -> Self {
        Self {
            what,
            found: false,
            transitions: None,
            trace: None,
            cycle: None,
        }
    }

    /// Returns a thing that was found: a path from an initial state to it and, for a livelock, the
    /// cycle that begins and ends in the last state of the path. Each state has the action that
    /// leads to it.
    #[must_use]
    pub fn at(
        what: SoughtKind<'a>,
        trace: Vec<PathState<'a>>,
        cycle: Option<Vec<PathState<'a>>>,
    ) -> Self {
        Self {
            what,
            found: true,
            transitions: Some(trace.len().saturating_sub(1)),
            trace: Some(trace),
            cycle,
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    schema: Schema<'a>,
    model: Model<'a>,
    exploration: Exploration,
    seconds: Seconds<'a>,
    results: &'a [Sought<'a>],
}

#[derive(Serialize)]
struct Model<'a> {
    file: &'a str,
    r#type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    constants: Option<Constants<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<&'a [String]>,
}

#[derive(Serialize)]
struct Exploration {
    #[serde(flatten)]
    extent: ExploredExtent,
    #[serde(flatten)]
    effort: Option<PaperEffort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<&'static str>,
}

/// Writes one JSON document, in which each state of a trace has a separate line.
///
/// # Errors
/// Errors of `out`.
pub fn write_explored_json(out: &mut dyn Write, of: &Explored<'_>) -> io::Result<()> {
    let document = Document {
        schema: Schema::new("maxend-explore", SCHEMA_VERSION, of.heading.version),
        model: Model {
            file: of.heading.model,
            r#type: of.heading.model_type,
            constants: Constants::of(of.heading.constants),
            variables: of.variables,
        },
        exploration: Exploration {
            extent: of.extent,
            effort: of.effort,
            certificate: of.certified.then_some("accepted"),
        },
        seconds: Seconds(of.phases),
        results: of.results,
    };
    indented::write(out, 4, &document)
}
