//! [`Model`]: the contents of a model file, independent of its format. Each part of it has a module
//! here.

pub(crate) mod annotations;
pub(crate) mod branch_actions;
pub(crate) mod choices;
pub(crate) mod constants;
pub(crate) mod intervals;
pub(crate) mod observations;
pub(crate) mod players;
pub(crate) mod rewards;
pub(crate) mod states;

use crate::input::Input;
use choices::ChoiceFacts;
use explore::Exploration;
use mdp_graph::{MdpGraph, StateId};
use prism_explicit::ModelType;
use prism_language::Value;
use rewards::Rewards;
use states::StateFacts;
use std::sync::Arc;
use std::time::Duration;

/// A model: its graph, and the other contents of its file.
pub(crate) struct Model {
    pub(crate) graph: Arc<MdpGraph>,
    pub(crate) model_type: ModelType,
    pub(crate) construction: Construction,
    pub(crate) states: StateFacts,
    pub(crate) choices: ChoiceFacts,
    /// The rewards, if they are wanted.
    pub(crate) rewards: Vec<Rewards>,
    pub(crate) file: FileFacts,
    pub(crate) times: Times,
}

/// How the graph was made of the file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Construction {
    /// The number of states that had no choice in the file.
    pub(crate) deadlocks: u64,
    /// The number of branches that had probability 0, and were dropped.
    pub(crate) dropped_branches: u64,
    /// Whether the states were found by exploring.
    pub(crate) is_explored: bool,
    /// The number of states at the end whose choices are missing, because the exploration ended
    /// before it expanded them.
    pub(crate) unexpanded: usize,
    /// The first state with the label that was the goal of the exploration, if it was found.
    pub(crate) goal: Option<StateId>,
}

/// What is known of the file, apart from the model.
#[derive(Default)]
pub(crate) struct FileFacts {
    /// The format, in words.
    pub(crate) format: &'static str,
    /// The size in bytes, decompressed.
    pub(crate) bytes: u64,
    /// The constants to which the command line gives values, with these values.
    pub(crate) constants: Vec<(String, Value)>,
    /// The file itself, if it is an archive and all of it is wanted.
    pub(crate) archive: Option<Input>,
    /// The contents that are not converted to other formats.
    pub(crate) lost: Vec<String>,
}

/// How long the steps of reading a model took.
#[derive(Clone, Copy, Default)]
pub(crate) struct Times {
    /// The time to read and check the file.
    pub(crate) read: Duration,
    /// The time to build the graph.
    pub(crate) build: Duration,
    /// The time to check what was explored, if it was checked.
    pub(crate) check: Option<Duration>,
}

impl Model {
    /// Returns a model with nothing but its graph.
    pub(crate) fn bare(graph: MdpGraph, model_type: ModelType) -> Self {
        Self {
            graph: Arc::new(graph),
            model_type,
            construction: Construction::default(),
            states: StateFacts::default(),
            choices: ChoiceFacts::default(),
            rewards: Vec::new(),
            file: FileFacts::default(),
            times: Times::default(),
        }
    }

    /// Returns the heading of a report on the model in a file, which had these constants.
    pub(crate) fn heading<'a>(
        &self,
        file: &'a str,
        constants: &'a [report::Constant<'a>],
    ) -> report::Heading<'a> {
        report::Heading {
            version: env!("CARGO_PKG_VERSION"),
            model: file,
            model_type: self.model_type.name(),
            constants,
        }
    }

    /// Returns whether the model had deadlocks that were given self-loops.
    pub(crate) fn has_added_loops(&self) -> bool {
        let graph = &self.graph;
        self.construction.deadlocks > 0 && !graph.states().any(|state| graph.is_deadlock(state))
    }

    /// Returns the archive from which the model was read, if it is copied when the model is written
    /// as an archive. It is not copied if deadlocks were given self-loops, which it does not
    /// contain.
    pub(crate) fn copied_archive(&self) -> Option<&Input> {
        self.file
            .archive
            .as_ref()
            .filter(|_| !self.has_added_loops())
    }

    /// Returns the initial states: those with the label `init`, or otherwise those that the model
    /// calls initial, or otherwise the first state, as in PRISM.
    pub(crate) fn initial_states(&self) -> Vec<u32> {
        self.warn_of_initial();
        let named = self.states.named_initial().map(<[u32]>::to_vec);
        // The empty model has no state 0.
        named.unwrap_or_else(|| (0..self.graph.num_states().min(1) as u32).collect())
    }

    /// Warns if the model names no initial state.
    pub(crate) fn warn_of_initial(&self) {
        if self.states.named_initial().is_none() && self.graph.num_states() > 0 {
            tracing::warn!("no initial state is given: state 0 is used, as in PRISM");
        }
    }
}

impl Construction {
    /// Returns the construction of a graph that an exploration found.
    pub(crate) fn explored(found: &Exploration) -> Self {
        Self {
            deadlocks: found.deadlocks,
            dropped_branches: found.dropped_branches,
            is_explored: true,
            unexpanded: found.graph.num_states() - found.expanded,
            goal: None,
        }
    }
}

impl FileFacts {
    /// Returns the format and the size of a file.
    pub(crate) fn of(input: &Input, format: &'static str) -> Self {
        Self {
            format,
            bytes: input.len() as u64,
            ..Self::default()
        }
    }

    /// Returns the constants to which the command line gives values, for a report.
    pub(crate) fn report_constants(&self) -> Vec<report::Constant<'_>> {
        constants::as_report(&self.constants)
    }

    /// Warns of the contents of the file that are not converted.
    pub(crate) fn warn_of_losses(&self) {
        for lost in &self.lost {
            tracing::warn!("left out: {lost}");
        }
    }
}

impl Times {
    /// Returns the times to read a file and to build the graph, of a model that is not checked.
    pub(crate) fn of(read: Duration, build: Duration) -> Self {
        Self {
            read,
            build,
            check: None,
        }
    }
}
