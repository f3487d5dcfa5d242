//! The options of `maxend decompose`.

use super::{DeadlockPolicy, DeviceArg, GpuArgs, IntervalEdges, ModelArgs, help};
use clap::{Args, ValueEnum};
use mdp_graph::ComponentKind;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct DecomposeArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The components to find
    #[arg(long, value_name = "KIND", default_value = "mec")]
    pub(crate) components: Kind,
    /// In a model with intervals of probabilities, which choices count as staying in a maximal end
    /// component
    #[arg(long, value_name = "EDGES", default_value = "possible")]
    pub(crate) interval_edges: IntervalEdges,
    /// In a stochastic game, find the end components in which these players can stay forever,
    /// whatever the other players choose [default: all players choose together]
    #[arg(long, value_name = "PLAYERS", value_delimiter = ',')]
    pub(crate) coalition: Vec<String>,
    /// The device to run on
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceArg,
    /// The algorithm
    #[arg(long, value_name = "ALGORITHM", default_value = "auto")]
    pub(crate) search: DecomposeSearch,
    /// What to do with states without a choice
    #[arg(long, value_name = "POLICY", default_value = "self-loop")]
    pub(crate) deadlocks: DeadlockPolicy,
    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "summary")]
    pub(crate) format: Format,
    #[arg(short, long, value_name = "FILE", help = help::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    /// Print the values of the model's variables (json; prism always prints known values)
    #[arg(long)]
    pub(crate) valuations: bool,
    /// Print the choices that each maximal end component retains, with their actions (json, prism),
    /// or write them (umb); small drawings (dot) always show them
    #[arg(long)]
    pub(crate) choices: bool,
    /// Print how many components no edge leaves, and how many can be reached from the initial
    /// states, even if the model is large (summary; json always does). This takes one or two passes
    /// over all edges
    #[arg(long)]
    pub(crate) statistics: bool,
    /// Prove the answer: make a certificate for it, and check it with code that shares nothing with
    /// the search
    #[arg(long)]
    pub(crate) certify: bool,
    /// Print tables on standard error that show where the time went. On a GPU, each pass of the
    /// search is timed, which makes the search slower
    #[arg(long)]
    pub(crate) profile: bool,
    /// Write a timeline of the run to this file, for Perfetto (JSON); passes are timed as with
    /// --profile
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = help::STATES)]
    pub(crate) states: Option<PathBuf>,
    /// Read labels of states from this file. They are counted in each component (json), drawn (dot)
    /// or written (umb); `init` marks the initial states (summary, json) [default: those in MODEL,
    /// or in X.lab or X.lab.gz beside MODEL X.tra]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) gpu: GpuArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Maximal end components
    Mec,
    /// Strongly connected components
    Scc,
    /// Bottom strongly connected components: those that no edge leaves
    Bscc,
}

impl From<Kind> for ComponentKind {
    fn from(value: Kind) -> Self {
        match value {
            Kind::Mec => Self::Mec,
            Kind::Scc => Self::Scc,
            Kind::Bscc => Self::Bscc,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecomposeSearch {
    /// The fastest one; on a GPU, the worklist engine, or fbt if an option of the papers' engine is
    /// given
    Auto,
    /// Tarjan's algorithm, and the basic one for maximal end components, on one core of the CPU
    /// only
    Tarjan,
    /// The papers' forward-backward search with trimming (FBT), on a GPU only: what both a forward
    /// and a backward search from a pivot reach is the component of the pivot
    Fbt,
    /// The papers' bounding variant of fbt (BFBT), on a GPU only: the search that ends first bounds
    /// the other, which then explores only what the first has reached
    Bfbt,
}

impl From<DecomposeSearch> for decompose::ComponentSearch {
    fn from(value: DecomposeSearch) -> Self {
        match value {
            DecomposeSearch::Auto => Self::Auto,
            DecomposeSearch::Tarjan => Self::Tarjan,
            DecomposeSearch::Fbt => Self::Fbt,
            DecomposeSearch::Bfbt => Self::Bfbt,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A short table
    Summary,
    /// One line per state: the smallest state of its component, or -1 if it is in none
    Labels,
    /// What PRISM's -exportmecs, -exportsccs and -exportbsccs print
    Prism,
    /// A JSON document with all components
    Json,
    /// A drawing for Graphviz
    Dot,
    /// The model itself, with its components, in the Unified Markov Binary format
    Umb,
}
