//! The common fields of all JSON documents, which are flattened into them.

use crate::Constant;
use mdp_graph::MdpGraph;
use serde::{Serialize, Serializer};

/// The first fields of a document.
#[derive(Serialize)]
pub(crate) struct Schema<'a> {
    schema: &'static str,
    schema_version: u32,
    version: &'a str,
}

impl<'a> Schema<'a> {
    /// Returns the schema with this name, and the version of the tool.
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

/// The constants whose values were given, by name.
pub(crate) struct Constants<'a>(&'a [Constant<'a>]);

impl<'a> Constants<'a> {
    /// Returns the constants; `None` if there are none.
    pub(crate) fn of(constants: &'a [Constant<'a>]) -> Option<Self> {
        (!constants.is_empty()).then_some(Self(constants))
    }
}

impl Serialize for Constants<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let constants = self.0.iter();
        serializer.collect_map(constants.map(|constant| (constant.name, constant.value)))
    }
}
