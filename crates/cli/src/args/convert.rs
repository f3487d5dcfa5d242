//! The options of `maxend convert`.

use super::{DeadlockPolicy, ModelArgs, To};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The file to write, compressed if its name ends in .gz; "-" is standard output
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// The format to write [default: by the name of OUT: umb for .umb, drn for .drn, aut for .aut,
    /// for .tra the dialect that MODEL is not in]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<To>,
    /// What to do with states without a choice, which Storm's formats cannot express [default:
    /// keep; self-loop in Storm's dialect and DRN]
    #[arg(long, value_name = "POLICY")]
    pub(crate) deadlocks: Option<DeadlockPolicy>,
    /// Read the values of variables from this file [default: those in MODEL, or in X.sta or
    /// X.sta.gz beside MODEL X.tra]
    #[arg(long, value_name = "FILE")]
    pub(crate) states: Option<PathBuf>,
    /// Read labels of states from this file [default: those in MODEL, or in X.lab or X.lab.gz
    /// beside MODEL X.tra]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
}
