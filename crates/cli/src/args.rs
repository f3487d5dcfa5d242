//! The command line: commands and their options. Other modules execute the commands.

mod bfs;
mod bytes;
mod cluster;
mod components;
mod edges;
mod examples;
mod explore;
mod gpu;
mod help;
mod man;
mod messages;
mod model;
mod number;
mod quotient;

pub(crate) use bfs::{BfsArgs, BfsFormat, BfsSearch};
pub(crate) use cluster::ClusterArgs;
pub(crate) use components::{ComponentsArgs, ComponentsFormat};
pub(crate) use edges::IntervalEdges;
pub(crate) use explore::{Check, ExploreArgs, ExploreSearch, PaperArgs, PaperTable};
pub(crate) use gpu::{Adapters, GpuArgs};
pub(crate) use man::ManArgs;
pub(crate) use messages::{Color, LogFormat, Messages};
pub(crate) use model::ModelArgs;
pub(crate) use quotient::{QuotientArgs, QuotientKind};

use clap::builder::NonEmptyStringValueParser as NonEmpty;
use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use mdp_graph::{ComponentKind, Deadlocks};
use number::{number, positive};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Maximal end components and strongly connected components of Markov decision processes.
#[derive(Debug, Parser)]
#[command(
    name = "maxend",
    version,
    max_term_width = 100,
    after_long_help = examples::ALL
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) messages: Messages,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads a command line.
    ///
    /// # Errors
    /// What is wrong with it; also if it asks for help.
    pub(crate) fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        let command = Self::command().color(Color::asked_in(words));
        // Otherwise clap would take a negative number for an unknown option.
        let command = command.mut_subcommands(|command| {
            command.mut_args(|arg| {
                let is_value = !arg.is_positional() && arg.get_action().takes_values();
                arg.allow_negative_numbers(is_value)
            })
        });
        let matches = command.try_get_matches_from(words);
        let read = matches.and_then(|matches| Self::from_arg_matches(&matches));
        read.map_err(|mut error| {
            let word = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(word)) => word.clone(),
                _ => return error,
            };
            if Path::new(&word).is_file() {
                let tip = format!("to decompose a model, write: maxend decompose {word}");
                let tips = ContextValue::StyledStrs(vec![tip.into()]);
                error.insert(ContextKind::Suggested, tips);
            }
            error
        })
    }

    /// Returns the number of threads, if the command line gives it.
    pub(crate) fn threads(&self) -> Option<NonZeroUsize> {
        let model = match &self.command {
            Command::Decompose(args) => &args.model,
            Command::Build(args) => &args.model,
            Command::Convert(args) => &args.model,
            Command::Explore(args) => &args.model,
            Command::Quotient(args) => &args.model,
            Command::Components(args) => &args.model,
            Command::Info(args) => &args.model,
            Command::CycleMean(args) => &args.model,
            Command::LongRun(args) => &args.model,
            Command::Bfs(args) => &args.model,
            // The workers start their own threads.
            Command::Cluster(_) => return Some(NonZeroUsize::MIN),
            Command::Devices(_) | Command::Completions(_) | Command::Man(_) => return None,
        };
        model.threads
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the maximal end components, or the strongly connected ones, of a model
    #[command(after_long_help = examples::DECOMPOSE)]
    Decompose(DecomposeArgs),
    /// Print which component a state is in, or the states with a label, and why
    #[command(after_long_help = examples::COMPONENTS)]
    Components(ComponentsArgs),
    /// Print the least or greatest mean of a cycle, or cost-to-time ratio, with a cycle that has it
    #[command(after_long_help = examples::CYCLE_MEAN)]
    CycleMean(CycleMeanArgs),
    /// Print the least or greatest reward that a strategy earns a step, on average and in the long
    /// run
    #[command(after_long_help = examples::LONG_RUN)]
    LongRun(LongRunArgs),
    /// Print how far states are from the initial ones, or from others, and a shortest path
    #[command(after_long_help = examples::BFS)]
    Bfs(BfsArgs),
    /// Build the state space of a model in PRISM's language, and write it to a file
    #[command(after_long_help = examples::BUILD, mut_arg("model", |arg| arg.help(help::PROGRAM)))]
    Build(BuildArgs),
    /// Explore the states of a network or program, and look for deadlocks, livelocks, actions and
    /// states
    #[command(after_long_help = examples::EXPLORE, mut_arg("model", |arg| arg.help(help::EXPLORED)))]
    Explore(ExploreArgs),
    /// Rewrite a model in another format
    #[command(after_long_help = examples::CONVERT)]
    Convert(ConvertArgs),
    /// Write a model in which each component of another is one state
    #[command(after_long_help = examples::QUOTIENT)]
    Quotient(QuotientArgs),
    /// Decompose a model on several processes or machines, each of which holds a part of it
    #[command(after_long_help = examples::CLUSTER)]
    Cluster(ClusterArgs),
    /// Print what is known of a model without decomposing it
    #[command(after_long_help = examples::INFO)]
    Info(InfoArgs),
    /// List the adapters, which --device gpu and --adapter choose from
    #[command(after_long_help = examples::DEVICES)]
    Devices(DevicesArgs),
    /// Print a script that lets a shell complete this program's command lines
    #[command(after_long_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print a manual page, or write all of them to a folder
    #[command(after_long_help = examples::MAN)]
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DecomposeArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// What to compute
    #[arg(long, value_name = "KIND", default_value = "mec")]
    pub(crate) components: Kind,
    /// In an interval model, which edges must stay in a component
    #[arg(long, value_name = "EDGES", default_value = "possible")]
    pub(crate) interval_edges: IntervalEdges,
    /// In a game, find the end components that these players can stay in whatever the others
    /// choose [default: those of all players together]
    #[arg(long, value_name = "PLAYERS", value_delimiter = ',')]
    pub(crate) coalition: Vec<String>,
    /// What to run on
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceArg,
    /// The algorithm
    #[arg(long, value_name = "ALGORITHM", default_value = "auto")]
    pub(crate) search: Search,
    /// What becomes of a state without a choice
    #[arg(long, value_name = "POLICY", default_value = "self-loop")]
    pub(crate) deadlocks: DeadlockPolicy,
    /// What to print
    #[arg(short, long, value_name = "FORMAT", default_value = "summary")]
    pub(crate) format: Format,
    #[arg(short, long, value_name = "FILE", help = help::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    /// Print the values of the model's variables (json; prism does so whenever it finds them)
    #[arg(long)]
    pub(crate) valuations: bool,
    /// Print the choices that each maximal end component retains, with their actions (json, prism),
    /// or write them (umb); small drawings (dot) always show them
    #[arg(long)]
    pub(crate) choices: bool,
    /// Say of a large model, too, how many components no edge leaves, and how many can be reached
    /// from the initial states (summary; json always does): takes a pass or two over all edges
    #[arg(long)]
    pub(crate) statistics: bool,
    /// Prove the answer: make a certificate for it, and check that with code that shares nothing
    /// with the search
    #[arg(long)]
    pub(crate) certify: bool,
    /// Print tables of where the time went, on standard error. On a GPU each pass of the search is
    /// timed, which makes the search slower
    #[arg(long)]
    pub(crate) profile: bool,
    /// Write down what happened when, for Perfetto (JSON); passes are timed as by --profile
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = help::STATES)]
    pub(crate) states: Option<PathBuf>,
    /// Labels of states, to be counted in each component (json), drawn (dot) or written (umb);
    /// `init` says where the model begins (summary, json)
    /// [default: those of MODEL itself, or X.lab or X.lab.gz beside MODEL X.tra]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) gpu: GpuArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CycleMeanArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The reward structure that gives the weights of edges [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub(crate) rewards: Option<String>,
    /// Look for the least value [default]
    #[arg(long, conflicts_with = "max")]
    pub(crate) min: bool,
    /// Look for the greatest value
    #[arg(long)]
    pub(crate) max: bool,
    /// Divide the weight of a cycle by its time, and not by its length
    #[arg(long)]
    pub(crate) ratio: bool,
    /// The reward structure that gives the times of edges
    #[arg(long, value_name = "NAME", default_value = "time", requires = "ratio")]
    pub(crate) time: String,
    /// Print the optimum of each strongly connected component, too (text, json)
    #[arg(long)]
    pub(crate) each: bool,
    /// Prove the answer, by potentials that no cycle falls below: checked by code that shares
    /// nothing with the search
    #[arg(long)]
    pub(crate) certify: bool,
    /// What to run on
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceArg,
    /// The algorithm
    #[arg(long, value_name = "ALGORITHM", default_value = "howard")]
    pub(crate) search: MeanSearch,
    /// What becomes of a state without a choice
    #[arg(long, value_name = "POLICY", default_value = "keep")]
    pub(crate) deadlocks: DeadlockPolicy,
    /// What to print
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: MeanFormat,
    #[arg(short, long, value_name = "FILE", help = help::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = help::STATES)]
    pub(crate) states: Option<PathBuf>,
    #[arg(long, value_name = "TEXT", value_parser = NonEmpty::new(), help = help::ADAPTER)]
    pub(crate) adapter: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LongRunArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The reward structure [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub(crate) rewards: Option<String>,
    /// The greatest average [default]
    #[arg(long)]
    pub(crate) max: bool,
    /// The least average
    #[arg(long, conflicts_with = "max")]
    pub(crate) min: bool,
    /// Compute the averages exactly, as fractions, by policy iteration in rational numbers: for
    /// models of up to 4,096 states
    #[arg(long, conflicts_with_all = ["epsilon", "max_iterations"])]
    pub(crate) exact: bool,
    /// How far apart the bounds on an average may be
    #[arg(long, value_name = "E", default_value = "1e-6", value_parser = positive)]
    pub(crate) epsilon: f64,
    /// Give up after N iterations
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = number::<u64>)]
    pub(crate) max_iterations: u64,
    /// What to run on. Bounds are computed on the CPU whatever finds them
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceArg,
    #[arg(long, value_name = "TEXT", value_parser = NonEmpty::new(), help = help::ADAPTER)]
    pub(crate) adapter: Option<String>,
    /// Print the average of each maximal end component, too (text; json always does)
    #[arg(long)]
    pub(crate) each: bool,
    /// What to print
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: LongRunFormat,
    #[arg(short, long, value_name = "FILE", help = help::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    /// Labels of states, of which `init` says where the model begins [default: those of MODEL
    /// itself, or X.lab or X.lab.gz beside MODEL X.tra]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}

/// Where states are explored.
#[derive(Debug, Args)]
pub(crate) struct ExploringArgs {
    /// Where to explore: cpu, gpu, or auto: on the CPU and, if that takes long, on a GPU beside it,
    /// until one of them is ahead. With --max-memory, auto is the CPU
    #[arg(
        long,
        value_name = "DEVICE",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub(crate) device: DeviceArg,
    /// Explore on the adapter whose name contains TEXT, as `maxend devices` prints it, even if it
    /// is software
    #[arg(long, value_name = "TEXT", value_parser = NonEmpty::new())]
    pub(crate) adapter: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) on: ExploringArgs,
    /// Where the model goes: one file Y.umb, Y.drn or Y.aut, or Y.tra with Y.sta and Y.lab beside
    /// it; compressed if the name ends in .gz
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The format to write [default: by the name of OUT: umb for .umb, drn for .drn, aut for .aut,
    /// prism for .tra]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<To>,
    /// What becomes of a state without a choice
    #[arg(long, value_name = "POLICY", default_value = "self-loop")]
    pub(crate) deadlocks: DeadlockPolicy,
}

impl BuildArgs {
    /// Returns the arguments of a command line with only these values.
    pub(crate) fn new(model: &Path, constants: &[(&str, &str)], out: &Path) -> Self {
        Self {
            model: ModelArgs::new(model, constants),
            on: ExploringArgs {
                device: DeviceArg::Auto,
                adapter: None,
            },
            output: out.to_owned(),
            to: None,
            deadlocks: DeadlockPolicy::SelfLoop,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Where the new model goes, compressed if its name ends in .gz; "-" is standard output
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// The format to write [default: by the name of OUT: umb for .umb, drn for .drn, aut for .aut,
    /// for .tra the dialect that MODEL is not in]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<To>,
    /// What becomes of a state without a choice, which Storm's dialect cannot keep [default: keep,
    /// but self-loop in Storm's dialect]
    #[arg(long, value_name = "POLICY")]
    pub(crate) deadlocks: Option<DeadlockPolicy>,
    /// The values of variables to convert [default: those of MODEL itself, or X.sta or X.sta.gz
    /// beside MODEL X.tra, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) states: Option<PathBuf>,
    /// The labels to convert [default: those of MODEL itself, or X.lab or X.lab.gz beside MODEL
    /// X.tra, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Labels of states, to be counted [default: those of MODEL itself, or X.lab or X.lab.gz beside
    /// MODEL X.tra, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DevicesArgs {
    /// What to print
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: DevicesFormat,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DevicesFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeanFormat {
    /// For people
    Text,
    /// For programs, with all steps of the cycle
    Json,
    /// A drawing for Graphviz, of a large model the cycle alone
    Dot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LongRunFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeanSearch {
    /// Howard's policy iteration
    Howard,
    /// Lawler's binary search, on the CPU only
    Lawler,
    /// The parametric shortest paths of Young, Tarjan and Orlin, on the CPU only
    Yto,
    /// Howard's policy iteration, step by step as in the paper, on a GPU only
    Paper,
}

impl From<MeanSearch> for cycle_mean::Search {
    fn from(value: MeanSearch) -> Self {
        match value {
            MeanSearch::Howard => Self::Howard,
            MeanSearch::Lawler => Self::Lawler,
            MeanSearch::Yto => Self::Yto,
            MeanSearch::Paper => Self::Paper,
        }
    }
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
pub(crate) enum DeviceArg {
    /// A GPU if there is one, it can do what is asked, and the model is large enough; else the CPU
    Auto,
    /// The processor
    Cpu,
    /// The best adapter; software if there is no other
    Gpu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Search {
    /// The fastest that there is
    Auto,
    /// On the CPU, the sequential baselines: Tarjan's algorithm, and the basic one for end
    /// components
    Tarjan,
    /// Forward-backward search with trimming, on a GPU only
    Fbt,
    /// Its bounding variant, on a GPU only
    Bfbt,
}

impl From<Search> for decompose::Search {
    fn from(value: Search) -> Self {
        match value {
            Search::Auto => Self::Auto,
            Search::Tarjan => Self::Tarjan,
            Search::Fbt => Self::Fbt,
            Search::Bfbt => Self::Bfbt,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeadlockPolicy {
    /// It gets a self-loop, as in PRISM and Storm, and so is a maximal end component
    SelfLoop,
    /// It stays as it is, and so is in no end component
    Keep,
    /// The model is refused
    Error,
}

impl From<DeadlockPolicy> for Deadlocks {
    fn from(value: DeadlockPolicy) -> Self {
        match value {
            DeadlockPolicy::SelfLoop => Self::SelfLoop,
            DeadlockPolicy::Keep => Self::Keep,
            DeadlockPolicy::Error => Self::Refuse,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A short table
    Summary,
    /// A line a state: the smallest state of its component, -1 if it is in none
    Labels,
    /// What PRISM's -exportmecs, -exportsccs and -exportbsccs print
    Prism,
    /// Everything, for programs
    Json,
    /// A drawing for Graphviz
    Dot,
    /// The model itself, with its components, in the Unified Markov Binary format
    Umb,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum To {
    /// Explicit transitions in PRISM's dialect, with a header of counts
    Prism,
    /// Explicit transitions in Storm's dialect, with the model's type as first word
    Storm,
    /// Unified Markov Binary, an archive
    Umb,
    /// A labelled transition system in the Aldebaran format; with mCRL2's extension, if there are
    /// probabilities
    Aut,
    /// Storm's text format
    Drn,
}

/// Returns the name of a value on the command line.
pub(crate) fn name_of(value: &impl ValueEnum) -> String {
    // No value is hidden, so every value has a name.
    value
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Cli, man::COMMANDS};
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent_and_every_command_has_a_page() {
        let command = Cli::command();
        command.clone().debug_assert();
        let names: Vec<_> = command
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        assert_eq!(names, COMMANDS);
    }
}
