//! [`Model`]: the contents of a model file, independent of its format. Each part of it has a module
//! here.

pub(crate) mod annotations;
pub(crate) mod branch_actions;
pub(crate) mod constants;
pub(crate) mod intervals;
pub(crate) mod observations;
pub(crate) mod players;
pub(crate) mod rewards;

use crate::input::Input;
use crate::load::Details;
use annotations::Valuations;
use branch_actions::BranchActions;
use cycle_mean::Ratio;
use mdp_graph::{ChoiceId, MdpGraph, StateId};
use observations::Observations;
use players::Players;
use prism_explicit::{Labels, ModelType, RewardedTransition};
use prism_language::Value;
use rewards::Rewards;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// A model: its graph, and the other contents of its file.
pub(crate) struct Model {
    pub(crate) graph: Arc<MdpGraph>,
    pub(crate) model_type: ModelType,
    /// The format of the file, for people.
    pub(crate) format: &'static str,
    /// The number of states that had no choice in the file.
    pub(crate) deadlocks: u64,
    /// The number of states at the end whose choices are missing, because the exploration ended
    /// before it expanded them.
    pub(crate) unexpanded: usize,
    /// The first state with the label that was the goal of the exploration, if it was found.
    pub(crate) labelled: Option<StateId>,
    /// The number of branches that had probability 0, and were dropped.
    pub(crate) dropped_branches: u64,
    /// The dropped branches of explicit transitions, in ascending order. They are kept if rewards
    /// are wanted, because rewards may refer to them.
    pub(crate) impossible: Vec<RewardedTransition>,
    /// The values of the variables in each state, if they are wanted and known.
    pub(crate) valuations: Option<Valuations>,
    /// The labels, if they are wanted and known.
    pub(crate) labels: Option<Labels>,
    /// The observations of the states, if the model is partially observable.
    pub(crate) observations: Option<Observations>,
    /// The players of its states, if it is a game.
    pub(crate) players: Option<Players>,
    /// The lower bounds of the probabilities of branches, if it is an interval model. Its details
    /// have the upper bounds.
    pub(crate) lower_bounds: Option<Vec<f64>>,
    /// For each state of a Markov automaton, whether time passes in it, so that its values are
    /// rates.
    pub(crate) markovian: Option<Vec<bool>>,
    /// The states that the model itself calls initial, other than by a label, in ascending order.
    pub(crate) initial: Vec<u32>,
    /// The constants to which the command line gives values, with these values.
    pub(crate) constants: Vec<(String, Value)>,
    /// Actions and probabilities, if they are wanted.
    pub(crate) details: Option<Details>,
    /// The probabilities of branches that are written as fractions, if they are wanted and known
    /// without rounding.
    pub(crate) fractions: HashMap<usize, Ratio>,
    /// The actions of a chain's branches, if they are wanted.
    pub(crate) branch_actions: BranchActions,
    /// The rewards, if they are wanted.
    pub(crate) rewards: Vec<Rewards>,
    /// The file itself, if it is an archive and all of it is wanted.
    pub(crate) archive: Option<Input>,
    /// The contents of the file that are not converted to other formats.
    pub(crate) lost: Vec<String>,
    /// Whether its states were found by exploring.
    pub(crate) is_explored: bool,
    /// The size of the file in bytes, decompressed.
    pub(crate) read_bytes: u64,
    /// The time to read and check the file.
    pub(crate) read_time: Duration,
    /// The time to build the graph.
    pub(crate) build_time: Duration,
    /// The time to check what was explored, if it was checked.
    pub(crate) check_time: Option<Duration>,
}

impl Model {
    /// Returns a model with nothing but its graph.
    pub(crate) fn bare(graph: MdpGraph, model_type: ModelType, format: &'static str) -> Self {
        Self {
            graph: Arc::new(graph),
            model_type,
            format,
            deadlocks: 0,
            unexpanded: 0,
            labelled: None,
            dropped_branches: 0,
            impossible: Vec::new(),
            valuations: None,
            labels: None,
            observations: None,
            players: None,
            lower_bounds: None,
            markovian: None,
            initial: Vec::new(),
            constants: Vec::new(),
            details: None,
            fractions: HashMap::new(),
            branch_actions: BranchActions::default(),
            rewards: Vec::new(),
            archive: None,
            lost: Vec::new(),
            is_explored: false,
            read_bytes: 0,
            read_time: Duration::ZERO,
            build_time: Duration::ZERO,
            check_time: None,
        }
    }

    /// Returns the actions of a branch of a choice, by number; none if they are not known.
    pub(crate) fn actions(&self, choice: ChoiceId, branch: usize) -> impl Iterator<Item = u32> {
        let mut own = self.branch_actions.of(branch).peekable();
        let details = self.details.as_ref();
        let of_choice = details.filter(|_| own.peek().is_none());
        let of_choice = of_choice.map(|details| details.actions[choice.index()]);
        own.chain(of_choice)
    }

    /// Returns the constants to which the command line gives values, for a report.
    pub(crate) fn report_constants(&self) -> Vec<report::Constant<'_>> {
        constants::as_report(&self.constants)
    }

    /// Returns whether the model had deadlocks that were given self-loops.
    pub(crate) fn has_added_loops(&self) -> bool {
        let graph = &self.graph;
        self.deadlocks > 0 && !graph.states().any(|state| graph.is_deadlock(state))
    }

    /// Returns the archive from which the model was read, if it is copied when the model is written
    /// as an archive. It is not copied if deadlocks were given self-loops, which it does not
    /// contain.
    pub(crate) fn copied_archive(&self) -> Option<&Input> {
        self.archive.as_ref().filter(|_| !self.has_added_loops())
    }

    /// Returns the initial states: those with the label `init`, or otherwise those that the model
    /// calls initial, or otherwise the first state, as in PRISM.
    pub(crate) fn initial_states(&self) -> Vec<u32> {
        self.warn_of_initial();
        let named = self.named_initial().map(<[u32]>::to_vec);
        // The empty model has no state 0.
        named.unwrap_or_else(|| (0..self.graph.num_states().min(1) as u32).collect())
    }

    /// Returns the initial states that the model names, by a label or in another way.
    pub(crate) fn named_initial(&self) -> Option<&[u32]> {
        let label = self.labels.as_ref().and_then(|labels| labels.get("init"));
        // A label without states counts as missing.
        let label = label.filter(|states| !states.is_empty());
        label.or((!self.initial.is_empty()).then_some(&self.initial[..]))
    }

    /// Warns if the model names no initial state.
    pub(crate) fn warn_of_initial(&self) {
        if self.named_initial().is_none() && self.graph.num_states() > 0 {
            tracing::warn!("no initial state is given: state 0 is used, as in PRISM");
        }
    }

    /// Warns of the contents of the file that are not converted.
    pub(crate) fn warn_of_losses(&self) {
        for lost in &self.lost {
            tracing::warn!("left out: {lost}");
        }
    }
}
