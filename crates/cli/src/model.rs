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
use mdp_graph::{ChoiceId, MdpGraph, StateId};
use observations::Observations;
use players::Players;
use prism_explicit::{Labels, ModelType, RewardedTransition};
use prism_language::Value;
use rewards::Rewards;
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
    /// How many states at the end have no choices, as the exploration ended before.
    pub(crate) unexpanded: usize,
    /// The first state with the label that the exploration was for, if it has found one.
    pub(crate) labelled: Option<StateId>,
    /// The number of branches that had probability 0, and were dropped.
    pub(crate) dropped_branches: u64,
    /// Those of explicit transitions, if rewards are wanted, which may name them; ascending.
    pub(crate) impossible: Vec<RewardedTransition>,
    /// The values of the variables in each state, if they are wanted and known.
    pub(crate) valuations: Option<Valuations>,
    /// The labels, if they are wanted and known.
    pub(crate) labels: Option<Labels>,
    /// What is observed in its states, if it is partially observable.
    pub(crate) observations: Option<Observations>,
    /// The players of its states, if it is a game.
    pub(crate) players: Option<Players>,
    /// The lower bounds of the probabilities of branches, if it is an interval model; its details
    /// have the upper ones.
    pub(crate) lower_bounds: Option<Vec<f64>>,
    /// Whether time passes in each state, and its values are rates, if it is a Markov automaton.
    pub(crate) markovian: Option<Vec<bool>>,
    /// The states that the model itself calls initial, by other means than a label; ascending.
    pub(crate) initial: Vec<u32>,
    /// The constants that the command line gave values for, with these values.
    pub(crate) constants: Vec<(String, Value)>,
    /// Actions and probabilities, if they are wanted.
    pub(crate) details: Option<Details>,
    /// The actions of a chain's branches, if they are wanted.
    pub(crate) branch_actions: BranchActions,
    /// What is earned, if it is wanted.
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
    /// A model of which nothing but its graph is known.
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

    /// The actions of a branch of a choice, by number; none if they are not known.
    pub(crate) fn actions(&self, choice: ChoiceId, branch: usize) -> impl Iterator<Item = u32> {
        let mut own = self.branch_actions.of(branch).peekable();
        let details = self.details.as_ref();
        let of_choice = details.filter(|_| own.peek().is_none());
        let of_choice = of_choice.map(|details| details.actions[choice.index()]);
        own.chain(of_choice)
    }

    /// The constants to which the command line gave values, as reports take them.
    pub(crate) fn report_constants(&self) -> Vec<report::Constant<'_>> {
        constants::as_report(&self.constants)
    }

    /// Whether it had deadlocks, which got self-loops.
    pub(crate) fn is_mended(&self) -> bool {
        let graph = &self.graph;
        self.deadlocks > 0 && !graph.states().any(|state| graph.is_deadlock(state))
    }

    /// The archive that it came as, if that is copied where the model is written as one: deadlocks
    /// that were given self-loops are not in it.
    pub(crate) fn copied_archive(&self) -> Option<&Input> {
        self.archive.as_ref().filter(|_| !self.is_mended())
    }

    /// The states that the model begins in: those with the label `init`, else those that the model
    /// itself calls initial, else the first one, as in PRISM.
    pub(crate) fn initial_states(&self) -> Vec<u32> {
        self.warn_of_initial();
        let named = self.named_initial().map(<[u32]>::to_vec);
        // The empty model has no state 0.
        named.unwrap_or_else(|| (0..self.graph.num_states().min(1) as u32).collect())
    }

    /// The initial states that are named in some way.
    pub(crate) fn named_initial(&self) -> Option<&[u32]> {
        let label = self.labels.as_ref().and_then(|labels| labels.get("init"));
        // Without states it names none, as if it were not there.
        let label = label.filter(|states| !states.is_empty());
        label.or((!self.initial.is_empty()).then_some(&self.initial[..]))
    }

    /// Warns if none is.
    pub(crate) fn warn_of_initial(&self) {
        if self.named_initial().is_none() && self.graph.num_states() > 0 {
            tracing::warn!("no initial state is named: state 0 is taken, as PRISM does");
        }
    }

    /// Warns of the contents of the file that are not converted.
    pub(crate) fn warn_of_losses(&self) {
        for lost in &self.lost {
            tracing::warn!("left out: {lost}");
        }
    }
}
