//! The options that choose a device.

use clap::builder::NonEmptyStringValueParser as NonEmpty;
use clap::{Args, ValueEnum};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceArg {
    /// A GPU if there is one, it can do what is asked, and the model is large enough; else the CPU
    Auto,
    /// The processor
    Cpu,
    /// The best adapter; software if there is no other
    Gpu,
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
