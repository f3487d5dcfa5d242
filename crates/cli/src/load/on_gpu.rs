//! Where a network is explored: on the CPU, or on a GPU that was asked for.

use super::exploring::find_and_keep;
use super::request::{ExploreOn, Request};
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::input::Input;
use crate::interrupt;
use explore::{Exploration, Options};
use gpu::Gpu;
use lts_network::Network;

/// Explores the states of a network, and keeps of them what is wanted.
pub(super) fn explore_network(
    input: &Input,
    network: &Network,
    request: Request<'_>,
) -> Result<Exploration, Error> {
    let ended = |error: explore::Error<_>| {
        let diagnostic = Diagnostic::network_exploration(input, network, &error);
        diagnostic.map_or(Error::Cancelled, Error::from)
    };
    let wanted = match request.explore_on {
        ExploreOn::Cpu => {
            let explore = |options: &Options<'_>| explore::explore(network, options);
            return find_and_keep(request, explore).map_err(ended);
        }
        ExploreOn::Gpu(wanted) => wanted,
    };
    // A driver that opens a device or compiles kernels cannot be interrupted.
    interrupt::while_deaf(|| {
        let gpu = Gpu::open(wanted).map_err(|error| refused(&error.into()))?;
        tracing::debug!("exploring on {}", gpu.info());
        let explore = |options: &Options<'_>| {
            let options = gpu_explore::Options {
                explore: *options,
                ..gpu_explore::Options::new(&gpu)
            };
            gpu_explore::explore(&gpu, network, &options)
        };
        find_and_keep(request, explore).map_err(|error| match error {
            gpu_explore::Error::Ended(error) => ended(error),
            error => refused(&error),
        })
    })
}

/// Why a GPU did not do it, and what can.
fn refused(error: &gpu_explore::Error) -> Error {
    let diagnostic = Diagnostic::new(error.to_string());
    let diagnostic = match error {
        gpu_explore::Error::Gpu(gpu::Error::NoAdapter { .. }) => diagnostic,
        _ => diagnostic.note("`--device cpu` explores the network in the memory of the host"),
    };
    Error::Device(Box::new(diagnostic))
}
