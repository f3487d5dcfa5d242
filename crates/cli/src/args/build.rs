//! The options of `maxend build`.

use super::{DeadlockPolicy, DeviceArg, ExploringArgs, ModelArgs, To};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) on: ExploringArgs,
    /// Write the model to this file: Y.umb, Y.drn, Y.aut, or Y.tra with Y.sta and Y.lab beside it;
    /// compressed if the name ends in .gz; "-" is standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The format to write [default: by the name of OUT: umb for .umb, drn for .drn, aut for .aut,
    /// prism for .tra]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<To>,
    /// What to do with states without a choice
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
