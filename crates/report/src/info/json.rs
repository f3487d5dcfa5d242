//! `json`: the same facts as the table, for programs.
//!
//! The structures below are the schema, which `docs/info.md` explains.

use super::{Counts, Degrees, ModelFacts, PlayerFacts, RewardFacts};
use crate::StateLabel;
use crate::indented;
use crate::schema::{self, Schema};
use mdp_graph::MdpGraph;
use serde::Serialize;
use serde::ser::Serializer;
use std::io::{self, Write};

/// The version of the JSON schema.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    schema: Schema<'a>,
    model: Model<'a>,
    degrees: &'a Degrees,
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<&'a [PlayerFacts<'a>]>,
    labels: LabelSizes<'a>,
    rewards: &'a [RewardFacts<'a>],
}

#[derive(Serialize)]
struct Model<'a> {
    #[serde(flatten)]
    facts: schema::ModelFacts<'a>,
    format: &'a str,
    #[serde(flatten)]
    counts: &'a Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    observations: Option<u64>,
}

/// For each label, the number of its states.
struct LabelSizes<'a>(&'a [StateLabel<'a>]);

impl Serialize for LabelSizes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sizes = self.0.iter();
        serializer.collect_map(sizes.map(|label| (label.name, label.states.len())))
    }
}

/// Writes one JSON document with the facts that [`write_info`](super::write_info) shows.
///
/// # Errors
/// Errors of `out`.
pub fn write_info_json(
    out: &mut dyn Write,
    graph: &MdpGraph,
    facts: &ModelFacts<'_>,
) -> io::Result<()> {
    let counts = Counts::of(graph);
    let document = Document {
        schema: Schema::new("maxend-info", SCHEMA_VERSION, facts.heading.version),
        model: Model {
            facts: schema::ModelFacts::of(&facts.heading, graph, None),
            format: facts.format,
            counts: &counts,
            observations: facts.observations,
        },
        degrees: &counts.degrees,
        players: facts.players,
        labels: LabelSizes(facts.labels),
        rewards: facts.rewards,
    };
    indented::write(out, 2, &document)
}
