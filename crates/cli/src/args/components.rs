//! The options of `maxend components`.

use super::help;
use super::number::number;
use super::{DeadlockPolicy, ModelArgs};
use clap::{Args, ValueEnum};
use mdp_graph::ComponentKind;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ComponentsArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The state to explain, or the label of the states to explain; can be given
    /// several times
    #[arg(long, value_name = "STATE|LABEL", required = true)]
    pub(crate) of: Vec<String>,
    /// The kind of components
    #[arg(long, value_name = "KIND", default_value = "mec")]
    pub(crate) components: ComponentsKind,
    /// If more than N states have a label, explain the first N
    #[arg(long, value_name = "N", default_value = "10", value_parser = number::<usize>)]
    pub(crate) limit: usize,
    /// What to do with states without a choice
    #[arg(long, value_name = "POLICY", default_value = "self-loop")]
    pub(crate) deadlocks: DeadlockPolicy,
    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ComponentsFormat,
    #[arg(short, long, value_name = "FILE", help = help::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    /// Read labels of states from this file [default: those in MODEL, or in X.lab or X.lab.gz
    /// beside MODEL X.tra]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComponentsFormat {
    /// Plain text
    Text,
    /// A JSON document, with complete cycles; from the eleventh state on, long cycles are in parts
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComponentsKind {
    /// Maximal end components
    Mec,
    /// Strongly connected components
    Scc,
}

impl From<ComponentsKind> for ComponentKind {
    fn from(kind: ComponentsKind) -> Self {
        match kind {
            ComponentsKind::Mec => Self::Mec,
            ComponentsKind::Scc => Self::Scc,
        }
    }
}
