//! The command line: its commands, whose options are in the modules here. Other modules execute the
//! commands.

mod bfs;
mod build;
mod bytes;
mod cluster;
mod completions;
mod components;
mod convert;
mod cycle_mean;
mod deadlocks;
mod decompose;
mod device;
mod devices;
mod edges;
mod examples;
mod explore;
mod gpu;
mod help;
mod info;
mod long_run;
mod man;
mod messages;
mod model;
mod number;
mod quotient;
mod tips;
mod to;

pub(crate) use bfs::{BfsArgs, BfsFormat, BfsSearch};
pub(crate) use build::BuildArgs;
pub(crate) use cluster::ClusterArgs;
pub(crate) use completions::CompletionsArgs;
pub(crate) use components::{ComponentsArgs, ComponentsFormat};
pub(crate) use convert::ConvertArgs;
pub(crate) use cycle_mean::{CycleMeanArgs, CycleMeanSearch, MeanFormat};
pub(crate) use deadlocks::DeadlockPolicy;
pub(crate) use decompose::{DecomposeArgs, DecomposeSearch, Format, Kind};
pub(crate) use device::{DeviceArg, ExploringArgs};
pub(crate) use devices::{DevicesArgs, DevicesFormat};
pub(crate) use edges::IntervalEdges;
pub(crate) use explore::{Check, ExploreArgs, ExploreFormat, ExploreSearch, PaperArgs, PaperTable};
pub(crate) use gpu::{Adapters, GpuArgs};
pub(crate) use info::{InfoArgs, InfoFormat};
pub(crate) use long_run::{LongRunArgs, LongRunFormat};
pub(crate) use man::ManArgs;
pub(crate) use messages::{Color, LogFormat, Messages};
pub(crate) use model::ModelArgs;
pub(crate) use quotient::{QuotientArgs, QuotientKind};
pub(crate) use to::To;

use clap::parser::ValueSource;
use clap::{Args as _, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use std::any::TypeId;
use std::ffi::OsString;
use std::num::NonZeroUsize;

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
        let mut read = matches_of(words).and_then(|matches| Self::from_arg_matches(&matches));
        if let Ok(Self {
            messages,
            command: Command::Cluster(args),
        }) = &mut read
        {
            args.messages = for_started(messages);
        }
        read.map_err(|error| tips::with_tip(error, words, &Self::command()))
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
    /// Find the maximal end components, or the strongly connected components, of a model
    #[command(after_long_help = examples::DECOMPOSE)]
    Decompose(DecomposeArgs),
    /// Print which component a state, or each state with a label, is in, and why
    #[command(after_long_help = examples::COMPONENTS)]
    Components(ComponentsArgs),
    /// Print the least or greatest mean or cost-to-time ratio of a cycle, and such a cycle
    #[command(after_long_help = examples::CYCLE_MEAN)]
    CycleMean(CycleMeanArgs),
    /// Print bounds on the least or greatest average reward per step in the long run
    #[command(after_long_help = examples::LONG_RUN)]
    LongRun(LongRunArgs),
    /// Print how far states are from the initial states or others, and a shortest path
    #[command(after_long_help = examples::BFS)]
    Bfs(BfsArgs),
    /// Build the state space of a model in PRISM's language, and write it to a file
    #[command(mut_arg("type", |arg| arg.hide(true)))]
    #[command(after_long_help = examples::BUILD, mut_arg("model", |arg| arg.help(help::PROGRAM)))]
    Build(BuildArgs),
    /// Explore the states of a network, an LTS or a model in PRISM's language, and look for
    /// deadlocks, livelocks, actions and states
    #[command(mut_arg("type", |arg| arg.hide(true)))]
    #[command(after_long_help = examples::EXPLORE, mut_arg("model", |arg| arg.help(help::EXPLORED)))]
    Explore(ExploreArgs),
    /// Rewrite a model in another format
    #[command(after_long_help = examples::CONVERT)]
    Convert(ConvertArgs),
    /// Write the quotient of a model, in which each component is one state
    #[command(after_long_help = examples::QUOTIENT)]
    Quotient(QuotientArgs),
    /// Decompose a model on several processes or machines, each of which holds a part of it
    #[command(after_long_help = examples::CLUSTER)]
    Cluster(ClusterArgs),
    /// Describe a model without decomposing it
    #[command(after_long_help = examples::INFO)]
    Info(InfoArgs),
    /// List the adapters that --device gpu and --adapter can select
    #[command(after_long_help = examples::DEVICES)]
    Devices(DevicesArgs),
    /// Print a completion script for a shell
    #[command(after_long_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print a manual page, or write all pages to a folder
    #[command(after_long_help = examples::MAN)]
    Man(ManArgs),
}

/// Parses a command line.
fn matches_of(words: &[OsString]) -> Result<clap::ArgMatches, clap::Error> {
    let command = Cli::command().color(Color::asked_in(words));
    // Otherwise clap would take a negative number for an unknown option, and also a text that
    // begins with a hyphen, such as the action `->`.
    let command = command.mut_subcommands(|command| {
        command.mut_args(|arg| {
            let is_value = !arg.is_positional() && arg.get_action().takes_values();
            let is_text = arg.get_value_parser().type_id() == TypeId::of::<String>();
            arg.allow_negative_numbers(is_value)
                .allow_hyphen_values(is_value && is_text)
        })
    });
    command.try_get_matches_from(words)
}

/// Returns the options for messages of processes that this one starts. These print no more than
/// errors and warnings, whatever this one prints.
fn for_started(messages: &Messages) -> Vec<String> {
    let mut options = vec![
        format!("--log-format={}", name_of(&messages.log_format)),
        format!("--color={}", name_of(&messages.color)),
    ];
    if messages.quiet {
        options.push("--quiet".to_owned());
    }
    options
}

/// Returns an option for messages that a command line gives, if there is one.
pub(crate) fn message_option(words: &[OsString]) -> Option<String> {
    let matches = matches_of(words).ok()?;
    let command = Messages::augment_args(clap::Command::new("maxend"));
    let given = command.get_arguments().find(|arg| {
        let source = matches.value_source(arg.get_id().as_str());
        source == Some(ValueSource::CommandLine)
    })?;
    given.get_long().map(|name| format!("--{name}"))
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
