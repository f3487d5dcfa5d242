//! The common fields of all JSON documents, which are flattened into them.

use crate::run::Heading;
use crate::{Constant, Valuations};
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

/// A model, and the names of its variables if their values are known.
#[derive(Serialize)]
pub(crate) struct ModelFacts<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'a str>,
    #[serde(flatten)]
    size: Size,
    #[serde(skip_serializing_if = "Option::is_none")]
    constants: Option<Constants<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<&'a [String]>,
}

impl<'a> ModelFacts<'a> {
    /// Returns the facts about a model with this graph.
    pub(crate) fn of(
        heading: &Heading<'a>,
        graph: &MdpGraph,
        valuations: Option<&Valuations<'a>>,
    ) -> Self {
        Self {
            r#type: Some(heading.model_type),
            ..Self::untyped(heading.model, heading.constants, graph, valuations)
        }
    }

    /// Returns the facts about a model whose type does not matter.
    pub(crate) fn untyped(
        file: &'a str,
        constants: &'a [Constant<'a>],
        graph: &MdpGraph,
        valuations: Option<&Valuations<'a>>,
    ) -> Self {
        Self {
            file,
            r#type: None,
            size: Size::of(graph),
            constants: Constants::of(constants),
            variables: valuations.map(|valuations| valuations.variables),
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
