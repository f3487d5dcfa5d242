//! The options of `maxend convert`.

use super::{DeadlockPolicy, ModelArgs, To};
use clap::Args;
use std::path::PathBuf;

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
