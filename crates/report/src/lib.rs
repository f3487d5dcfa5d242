//! Decompositions as text, JSON and Graphviz drawings.
//!
//! There is one module for each format. `docs/formats.md` describes the formats.
//!
//! | function | writes |
//! | --- | --- |
//! | [`write_labels`] | one number per state: the smallest state of its component |
//! | [`write_state_map`] | one number per state: the state that represents it in a quotient |
//! | [`write_prism`] | what PRISM's `-exportmecs` and `-exportsccs` print |
//! | [`write_json`] | everything, in a versioned schema |
//! | [`write_summary`] | a short table for people |
//! | [`write_cluster_summary`], [`write_cluster_json`] | a decomposition that no process holds as a whole |
//! | [`write_dot`] | the model, or its condensation, for Graphviz |
//! | [`write_cycle_means`] and similar functions | optimal cycle means and a critical cycle, as text, JSON or a drawing |
//! | [`write_long_run`], [`write_long_run_json`] | optimal long-run averages, as text and JSON |
//! | [`write_bfs_summary`] and similar functions | distances and a shortest path, as text, JSON or a drawing |
//! | [`write_explored_json`] | the size of a state space, and traces to what was looked for, as JSON |
//! | [`write_explained`], [`write_explained_json`] | which components states are in, and why, as text and JSON |
//! | [`write_profile`] | where the time of a run went, as tables |
//! | [`write_trace`] | the timeline of a run, for Perfetto |
//! | [`write_bars`], [`write_points`] | plots of measurements, as SVG |
//! | [`write_info`], [`write_info_json`] | counts, degrees, labels and rewards of a model, without its components |
//!
//! ```
//! use mdp_graph::{ChunkBuilder, Components, Deadlocks, StateId, assemble};
//!
//! let mut chunk = ChunkBuilder::default();
//! chunk.push_choice(StateId(0), &[StateId(1)]);
//! chunk.push_choice(StateId(1), &[StateId(1)]);
//! let graph = assemble(2, vec![chunk.finish()], Deadlocks::Keep)?.graph;
//! let mecs = Components::from_mec_marks(vec![Components::NONE, 0]);
//!
//! let mut text = Vec::new();
//! report::write_labels(&mut text, &mecs)?;
//! assert_eq!(text, b"-1\n1\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Text is written to any [`std::io::Write`], often in small pieces, so pass a buffered writer.
//! This crate does not read files, measure time or decompose graphs; valuations, labels and timings
//! are arguments.

#![forbid(unsafe_code)]

mod annotations;
mod bfs;
mod blocks;
mod cluster;
mod cycle_mean;
mod dot;
mod explained;
mod explored;
mod indented;
mod info;
mod json;
mod labels;
mod limit;
mod long_run;
mod number;
mod parts;
mod path;
mod plot;
mod printable;
mod prism;
mod profile;
mod run;
mod schema;
mod statistics;
mod summary;
mod table;
mod timeline;
mod trace;

pub use annotations::{
    ChoiceDetails, Constant, ConstantValue, Initial, InitialFrom, StateLabel, Valuations, Value,
};
pub use bfs::{Bfs, Target, write_bfs_dot, write_bfs_json, write_bfs_labels, write_bfs_summary};
pub use cluster::{Cluster, write_cluster_json, write_cluster_summary};
pub use cycle_mean::{
    ComponentMean, CycleMeans, write_cycle_means, write_cycle_means_dot, write_cycle_means_json,
};
pub use dot::{CONDENSE_OVER, write_dot};
pub use explained::{
    Asked, Cycle, Explained, Explanation, Leaving, Return, Step, write_explained,
    write_explained_json,
};
pub use explored::{
    Explored, ExploredExtent, PaperEffort, Sought, SoughtKind, write_explored_json,
};
pub use info::{ModelFacts, PlayerFacts, RewardFacts, write_info, write_info_json};
pub use json::{SCHEMA_VERSION, write_json};
pub use labels::{write_labels, write_state_map};
pub use long_run::{Average, Averaged, LongRun, StateNumber, write_long_run, write_long_run_json};
pub use mdp_graph::{counted, grouped};
pub use parts::{PartFile, PartsOf, write_parts};
pub use path::PathState;
pub use plot::{Bar, Bars, Points, Series, write_bars, write_points};
pub use printable::printable;
pub use prism::write_prism;
pub use profile::write_profile;
pub use run::{Amount, DeadlockStates, GraphOrigin, Heading, Phase, Run};
pub use statistics::Statistics;
pub use summary::{Summary, write_summary};
pub use timeline::{Level, Span, Timeline, Work};
pub use trace::write_trace;

use mdp_graph::{ChoiceId, ComponentKind, Components, MdpGraph, StateId};

/// A graph and its components, with further information about its states.
#[derive(Clone, Copy)]
pub struct Decomposition<'a> {
    /// The graph that was decomposed.
    pub graph: &'a MdpGraph,
    /// Its components.
    pub components: &'a Components,
    /// How the graph was made of the model.
    pub origin: GraphOrigin<'a>,
    /// The graph that determines which choices stay in components, if it is another one with the
    /// same choices.
    pub retaining: Option<&'a MdpGraph>,
    /// The values of the model's variables, if they are to be printed.
    pub valuations: Option<&'a Valuations<'a>>,
    /// Sets of states with names, if they are to be printed.
    pub labels: &'a [StateLabel<'a>],
    /// The information about choices, if it is to be printed.
    pub details: Option<&'a ChoiceDetails<'a>>,
    /// The properties of components that need a pass over all edges, if they are to be printed.
    pub statistics: Option<&'a Statistics<'a>>,
    /// Whether to print the retained choices of each maximal end component.
    pub choices: bool,
}

impl Decomposition<'_> {
    /// Returns the choices of `state` that its component retains, by their indices in the state,
    /// from 0.
    fn retained(&self, state: StateId) -> impl Iterator<Item = u32> {
        let first = self.graph.choice_range(state).start;
        let retained = self
            .components
            .retained_choices(self.retaining.unwrap_or(self.graph), state);
        retained.map(move |choice| (choice.index() - first) as u32)
    }

    /// Returns the name of the action of a choice of `state`, which is given by its index in the
    /// state; empty if the choice has no action, or if it is not known.
    fn action(&self, state: StateId, choice: u32) -> &str {
        let first = self.graph.choice_range(state).start;
        let choice = ChoiceId::from_index(first + choice as usize);
        self.details.map_or("", |details| details.action(choice))
    }

    /// Returns the name of a component of this kind.
    fn kind_name(&self) -> &'static str {
        match self.components.kind() {
            ComponentKind::Scc => "SCC",
            ComponentKind::Mec => "MEC",
            ComponentKind::Bscc => "BSCC",
        }
    }
}
