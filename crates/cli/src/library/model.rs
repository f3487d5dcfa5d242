//! [`Model`]: the contents of a model file, or a graph with probabilities, for other programs.

use super::Failure;
use super::shape::checked_type;
use crate::error::Error;
use crate::model;
use crate::model::annotations::Valuations;
use crate::model::choices::{ChoiceFacts, Details};
use crate::model::rewards::Amounts;
use mdp_graph::{MdpGraph, StateId};

/// A model: its graph, and the other contents of its file.
pub struct Model {
    pub(super) model: model::Model,
    /// What messages call it: the path of its file, or `the model`.
    pub(super) name: String,
    warnings: Vec<String>,
}

/// A reward structure.
#[derive(Clone, Copy, Debug)]
pub struct Structure<'a> {
    /// Its name, if it has one.
    pub name: Option<&'a str>,
    /// The reward of each state, if any state has one.
    pub states: Option<&'a [f64]>,
    /// The reward of each choice, if any choice has one.
    pub choices: Option<&'a [f64]>,
    /// The reward of each branch, if any branch has one.
    pub branches: Option<&'a [f64]>,
}

impl Model {
    pub(super) fn new(model: model::Model, name: String, warnings: Vec<String>) -> Self {
        Self {
            model,
            name,
            warnings,
        }
    }

    /// Makes a model of this type of a graph and, if they are known, the probabilities of its
    /// branches. Without a file, it has no labels or rewards.
    ///
    /// # Errors
    /// If there is no such type, the graph does not have the shape of its models, or there are more
    /// or fewer probabilities than branches.
    pub fn from_graph(
        graph: MdpGraph,
        type_name: &str,
        probabilities: Option<Vec<f64>>,
    ) -> Result<Self, Failure> {
        let model_type = checked_type(&graph, type_name)?;
        let branches = graph.num_branches();
        if let Some(found) = probabilities.as_ref().map(Vec::len)
            && found != branches
        {
            let message =
                format!("there are {found} probabilities, but the model needs {branches}");
            return Err(Error::Usage(message).into());
        }
        let details = probabilities.map(|values| Details {
            values,
            names: vec![String::new()],
            actions: vec![0; graph.num_choices()],
        });
        let model = model::Model {
            choices: ChoiceFacts::of(details),
            ..model::Model::bare(graph, model_type)
        };
        Ok(Self::new(model, "the model".to_owned(), Vec::new()))
    }

    /// Returns the graph.
    pub fn graph(&self) -> &MdpGraph {
        &self.model.graph
    }

    /// Returns the warnings that were given while the model was read, about parts that were
    /// corrected or left out.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the name of its type, such as `mdp`.
    pub fn type_name(&self) -> &'static str {
        self.model.model_type.name()
    }

    /// Returns the format of its file, in words.
    pub fn format(&self) -> &'static str {
        self.model.file.format
    }

    /// Returns the number of states that had no choice in the file.
    pub fn deadlocks(&self) -> u64 {
        self.model.construction.deadlocks
    }

    /// Returns the initial states in ascending order; empty if the model does not give them.
    pub fn initial_states(&self) -> &[u32] {
        let label = self
            .model
            .states
            .labels
            .as_ref()
            .and_then(|all| all.get("init"));
        label.unwrap_or(&self.model.states.initial)
    }

    /// Returns the labels, each with its states in ascending order.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &[u32])> {
        let labels = self.model.states.labels.iter();
        labels.flat_map(prism_explicit::Labels::iter)
    }

    /// Returns the names of the variables, if their values are known.
    pub fn variables(&self) -> &[String] {
        self.model
            .states
            .valuations
            .as_ref()
            .map_or(&[], Valuations::names)
    }

    /// Returns whether variable `i` is Boolean.
    pub fn is_bool(&self, i: usize) -> bool {
        let valuations = self.model.states.valuations.as_ref();
        valuations.is_some_and(|all| all.is_bool(i))
    }

    /// Returns the value of variable `i` in a state, with 0 and 1 for `false` and `true`.
    pub fn value(&self, state: StateId, i: usize) -> i64 {
        let valuations = self.model.states.valuations.as_ref();
        valuations.map_or(0, |all| all.value(state, i))
    }

    /// Returns the probability or rate of each branch, if it is known. For interval models, it is
    /// not.
    pub fn probabilities(&self) -> Option<&[f64]> {
        let is_interval = self.model.choices.lower_bounds.is_some();
        let details = self.model.choices.details.as_ref().filter(|_| !is_interval);
        details.map(|details| &details.values[..])
    }

    /// Returns the names of the actions, and the action of each choice, by number, if they are
    /// known. The first name is empty and stands for no action.
    pub fn actions(&self) -> Option<(&[String], &[u32])> {
        let details = self.model.choices.details.as_ref();
        details.map(|details| (&details.names[..], &details.actions[..]))
    }

    /// Returns the reward structures.
    pub fn rewards(&self) -> impl Iterator<Item = Structure<'_>> {
        self.model.rewards.iter().map(|rewards| Structure {
            name: rewards.name.as_deref(),
            states: rewards.states.as_ref().map(Amounts::values),
            choices: rewards.choices.as_ref().map(Amounts::values),
            branches: rewards.branches.as_ref().map(Amounts::values),
        })
    }
}
