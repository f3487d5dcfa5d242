//! The commands: each has a module here, whose function `run` does what the command line asks for.

pub(crate) mod build;

mod bfs;
mod cluster;
mod completions;
mod components;
mod convert;
mod cycle_mean;
mod decompose;
mod devices;
mod explore;
mod info;
mod long_run;
mod man;
mod quotient;

use crate::args::Command;
use crate::error::Error;
use crate::in_use;
use crate::progress::Progress;

/// Runs a command.
pub(crate) fn run(command: &Command, progress: Progress) -> Result<(), Error> {
    in_use::by_command(|| dispatch(command, progress))
}

fn dispatch(command: &Command, progress: Progress) -> Result<(), Error> {
    match command {
        Command::Decompose(args) => decompose::run(args, progress),
        Command::Components(args) => components::run(args, progress),
        Command::CycleMean(args) => cycle_mean::run(args, progress),
        Command::LongRun(args) => long_run::run(args, progress),
        Command::Bfs(args) => bfs::run(args, progress),
        Command::Build(args) => build::run(args, progress),
        Command::Explore(args) => explore::run(args, progress),
        Command::Convert(args) => convert::run(args, progress),
        Command::Quotient(args) => quotient::run(args, progress),
        Command::Cluster(args) => cluster::run(args, progress),
        Command::Info(args) => info::run(args, progress),
        Command::Devices(args) => devices::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    }
}
