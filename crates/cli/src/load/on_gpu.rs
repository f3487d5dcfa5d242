//! Where a network is explored: on the CPU, or on a GPU that was asked for.

use super::exploring::{find_and_keep, find_states};
use super::request::{ExploreOn, Extent, OpenGpu, Request};
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::input::Input;
use crate::interrupt;
use explore::{Exploration, Options};
use gpu::Gpu;
use gpu_explore::Found;
use lts_network::Network;
use std::convert::Infallible;

/// Explores the states of a network, and keeps of them what is wanted.
pub(super) fn explore_network(
    input: &Input,
    network: &Network,
    request: Request<'_>,
) -> Result<Exploration, Error> {
    let open = match request.explore_on {
        ExploreOn::Cpu => {
            let explore = |options: &Options<'_>| explore::explore(network, options);
            return find_and_keep(request, explore).map_err(|error| ended(input, network, &error));
        }
        ExploreOn::Gpu(open) => open,
    };
    on_device(input, network, open, |gpu| {
        find_and_keep(request, |options| {
            gpu_explore::explore(gpu, network, &on(gpu, options))
        })
    })
}

/// Explores the states of a network on the device that `open` opens, and leaves their graph there,
/// if there is room.
pub(super) fn explore_resident(
    input: &Input,
    network: &Network,
    request: Request<'_>,
    open: &OpenGpu<'_>,
) -> Result<(Gpu, Found), Error> {
    on_device(input, network, open, |gpu| {
        let found = find_states(request, Extent::Nothing, |options| {
            gpu_explore::explore_resident(gpu, network, &on(gpu, options))
        })?;
        Ok((gpu.clone(), found))
    })
}

/// Explores on a device that is opened now.
fn on_device<T>(
    input: &Input,
    network: &Network,
    open: &OpenGpu<'_>,
    explore: impl FnOnce(&Gpu) -> Result<T, gpu_explore::Error>,
) -> Result<T, Error> {
    // A driver that opens a device or compiles kernels cannot be interrupted.
    interrupt::while_deaf(|| {
        let gpu = open().map_err(|error| refused(&error.into()))?;
        tracing::debug!("exploring on {}", gpu.info());
        explore(&gpu).map_err(|error| match error {
            gpu_explore::Error::Ended(error) => ended(input, network, &error),
            error => refused(&error),
        })
    })
}

/// How a device explores.
pub(super) fn on<'a>(gpu: &Gpu, options: &Options<'a>) -> gpu_explore::Options<'a> {
    gpu_explore::Options {
        explore: *options,
        ..gpu_explore::Options::new(gpu)
    }
}

/// Why an exploration ended early.
fn ended(input: &Input, network: &Network, error: &explore::Error<Infallible>) -> Error {
    let diagnostic = Diagnostic::network_exploration(input, network, error);
    diagnostic.map_or(Error::Cancelled, Error::from)
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
