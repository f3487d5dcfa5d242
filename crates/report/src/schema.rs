//! The common fields of all JSON documents, which are flattened into them.

use mdp_graph::MdpGraph;
use serde::Serialize;

/// What a document begins with.
#[derive(Serialize)]
pub(crate) struct Schema<'a> {
    schema: &'static str,
    schema_version: u32,
    version: &'a str,
}

impl<'a> Schema<'a> {
    /// The schema of this name, and the version of the tool.
    pub(crate) fn new(name: &'static str, schema_version: u32, version: &'a str) -> Self {
        Self {
            schema: name,
            schema_version,
            version,
        }
    }
}

/// The size of a model.
#[derive(Serialize)]
pub(crate) struct Size {
    states: usize,
    choices: usize,
    branches: usize,
}

impl Size {
    pub(crate) fn of(graph: &MdpGraph) -> Self {
        Self {
            states: graph.num_states(),
            choices: graph.num_choices(),
            branches: graph.num_branches(),
        }
    }
}
