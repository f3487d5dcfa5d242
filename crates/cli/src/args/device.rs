//! The options that choose a device.

use clap::builder::NonEmptyStringValueParser as NonEmpty;
use clap::{Args, ValueEnum};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceArg {
    /// The device that is expected to be faster
    Auto,
    /// The CPU
    Cpu,
    /// The best adapter; a software adapter if there is no other
    Gpu,
}

/// Where states are explored.
#[derive(Debug, Args)]
pub(crate) struct ExploringArgs {
    /// The device that explores: cpu, gpu or auto. auto begins on the CPU; if that takes long, a
    /// GPU explores the same states in addition, and the faster device gives the result. With
    /// --max-memory, auto means cpu
    #[arg(
        long,
        value_name = "DEVICE",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub(crate) device: DeviceArg,
    /// Explore on the adapter whose name, as `maxend devices` prints it, contains TEXT, even if it
    /// is software
    #[arg(long, value_name = "TEXT", value_parser = NonEmpty::new())]
    pub(crate) adapter: Option<String>,
}
