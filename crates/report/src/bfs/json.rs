//! `json`: all distances and parents, for programs.
//!
//! The structures below are the schema, which `docs/formats.md` explains.

use super::{Bfs, NONE, Step, Target};
use crate::Run;
use crate::indented;
use crate::path::PathState;
use crate::run::Seconds;
use crate::schema::{ModelFacts, Schema};
use mdp_graph::StateId;
use serde::Serialize;
use serde::ser::Serializer;
use std::io::{self, Write};

/// The version of the JSON schema.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    schema: Schema<'a>,
    model: ModelFacts<'a>,
    search: SearchFacts<'a>,
    seconds: Seconds<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<TargetFacts<'a>>,
    states: StateFacts<'a>,
}

#[derive(Serialize)]
struct SearchFacts<'a> {
    device: &'a str,
    search: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<&'static str>,
    sources: &'a [u32],
    reached: u64,
    levels: &'a [u64],
}

#[derive(Serialize)]
struct StateFacts<'a> {
    distances: Numbers<'a>,
    parents: Numbers<'a>,
}

#[derive(Serialize)]
struct TargetFacts<'a> {
    name: &'a str,
    distance: Option<usize>,
    path: Option<Vec<PathState<'a>>>,
}

/// Numbers, with -1 in place of `u32::MAX`.
struct Numbers<'a>(&'a [u32]);

impl Serialize for Numbers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|&number| match number {
            NONE => -1,
            number => i64::from(number),
        }))
    }
}

fn target<'a>(of: &Bfs<'a>, target: Target<'a>) -> TargetFacts<'a> {
    let state = |step: Step<'a>| PathState::new(step.state, step.action, of.valuations);
    TargetFacts {
        name: target.name,
        distance: target.path.map(|path| path.len() - 1),
        path: target.path.map(|path| of.steps(path).map(state).collect()),
    }
}

/// Writes one JSON document.
///
/// # Errors
/// Errors of `out`.
pub fn write_bfs_json(out: &mut dyn Write, of: &Bfs<'_>, run: &Run<'_>) -> io::Result<()> {
    let document = Document {
        schema: Schema::new("maxend-bfs", SCHEMA_VERSION, run.heading.version),
        model: ModelFacts::of(&run.heading, of.graph, of.valuations),
        search: SearchFacts {
            device: run.device,
            search: run.search,
            certificate: run.certified.then_some("accepted"),
            sources: StateId::as_numbers(of.sources),
            reached: of.num_reached(),
            levels: of.levels,
        },
        seconds: Seconds(run.phases),
        target: of.target.map(|found| target(of, found)),
        states: StateFacts {
            distances: Numbers(of.distances),
            parents: Numbers(of.parents),
        },
    };
    indented::write(out, 2, &document)
}
