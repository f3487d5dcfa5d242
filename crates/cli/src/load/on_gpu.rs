//! Explores a network on the CPU, on the GPU that was asked for, or on whichever is faster.

use super::exploring::{find_and_keep, find_states};
use super::goals::{Goals, with_goals};
use super::race::race;
use super::request::{ExploreOn, Extent, OpenGpu, Opener, Request};
use super::resident::Place;
use crate::device::race::Winner;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::interrupt;
use explore::{Exploration, Observer, Options};
use gpu::Gpu;
use gpu_explore::Counts;
use lts_network::Network;
use std::convert::Infallible;
use std::sync::Arc;

/// Explores the states of a network, until all are found or the goals are reached, and keeps the
/// wanted data.
pub(super) fn explore_network(
    input: &Input,
    network: &Arc<Network>,
    request: Request<'_>,
    goals: Option<&Arc<Goals>>,
) -> Result<Exploration, Error> {
    let on_cpu = |options: &Options<'_>| explore::explore(&**network, &with_goals(options, goals));
    let explore = {
        let goals = goals.cloned();
        move |gpu: &Gpu, network: &Network, options: &Options<'_>| {
            let options = with_goals(options, goals.as_ref());
            gpu_explore::explore(gpu, network, &on(gpu, &options))
        }
    };
    match request.explore_on {
        ExploreOn::Gpu(open) => on_device(input, network, open, |gpu| {
            find_and_keep(request, |options| explore(gpu, network, options))
        }),
        ExploreOn::Auto(open) => find_and_keep(request, |options| {
            let explore = explore.clone();
            match race(options, 1, rival(network, options, open(), explore), on_cpu)? {
                Winner::Cpu(found) | Winner::Gpu((_, found)) => Ok(found),
            }
        })
        .map_err(|error| ended(input, network, &error)),
        ExploreOn::Cpu => {
            find_and_keep(request, on_cpu).map_err(|error| ended(input, network, &error))
        }
    }
}

/// Explores the states of a network, and leaves their graph on the device that explored them, if
/// there is room.
pub(super) fn explore_resident(
    input: &Input,
    network: &Arc<Network>,
    request: Request<'_>,
) -> Result<Place, Error> {
    let on_cpu = |options: &Options<'_>| explore::explore(&**network, options);
    let explore = |gpu: &Gpu, network: &Network, options: &Options<'_>| {
        gpu_explore::explore_resident(gpu, network, &on(gpu, options))
    };
    match request.explore_on {
        ExploreOn::Gpu(open) => on_device(input, network, open, |gpu| {
            let found = find_states(request, Extent::Nothing, |options| {
                explore(gpu, network, options)
            })?;
            Ok(Place::of(gpu.clone(), found))
        }),
        ExploreOn::Auto(open) => find_states(request, Extent::Nothing, |options| {
            let winner = race(options, 1, rival(network, options, open(), explore), on_cpu)?;
            Ok(Place::of_winner(winner))
        })
        .map_err(|error| ended(input, network, &error)),
        ExploreOn::Cpu => find_states(request, Extent::Nothing, on_cpu)
            .map(Place::OnHost)
            .map_err(|error| ended(input, network, &error)),
    }
}

/// Counts the states of a network. A GPU counts them without numbering them.
pub(super) fn count_network(
    input: &Input,
    network: &Arc<Network>,
    request: Request<'_>,
) -> Result<Counts, Error> {
    let on_cpu = |options: &Options<'_>| explore::explore(&**network, options);
    let count = |gpu: &Gpu, network: &Network, options: &Options<'_>| {
        gpu_explore::count(gpu, network, &on(gpu, options))
    };
    match request.explore_on {
        ExploreOn::Gpu(open) => on_device(input, network, open, |gpu| {
            find_states(request, Extent::Nothing, |options| {
                count(gpu, network, options)
            })
        }),
        ExploreOn::Auto(open) => find_states(request, Extent::Nothing, |options| {
            let rival = rival(network, options, open(), count);
            match race(options, 1, rival, on_cpu)? {
                Winner::Cpu(found) => Ok(Counts::of(&found)),
                Winner::Gpu((_, counts)) => Ok(counts),
            }
        })
        .map_err(|error| ended(input, network, &error)),
        ExploreOn::Cpu => find_states(request, Extent::Nothing, on_cpu)
            .map(|found| Counts::of(&found))
            .map_err(|error| ended(input, network, &error)),
    }
}

/// The options of the paper's search on a GPU.
pub(crate) struct PaperSearch {
    /// Opens the GPU.
    pub(crate) open: Box<OpenGpu<'static>>,
    pub(crate) paper: gpu_explore::paper::Paper,
    /// The number of workgroups of a launch, if it is given.
    pub(crate) workgroups: Option<u32>,
}

/// Counts the states of a network by the paper's search.
pub(super) fn count_by_paper(
    input: &Input,
    network: &Network,
    request: Request<'_>,
    search: &PaperSearch,
) -> Result<gpu_explore::paper::Outcome, Error> {
    let count = |gpu: &Gpu| {
        find_states(request, Extent::Nothing, |options| {
            let mut options = on(gpu, options);
            let workgroups = search.workgroups.unwrap_or(options.tuning.workgroups);
            options.tuning.workgroups = workgroups;
            gpu_explore::paper::count(gpu, network, &options, &search.paper)
        })
    };
    on_device(input, network, &search.open, count)
}

/// Returns a function by which a GPU explores a network beside the CPU.
fn rival<T: 'static, F>(
    network: &Arc<Network>,
    options: &Options<'_>,
    open: Opener,
    explore: F,
) -> impl FnOnce(&dyn Observer) -> Result<(Gpu, T), gpu_explore::Error> + Send + 'static
where
    F: FnOnce(&Gpu, &Network, &Options<'_>) -> Result<T, gpu_explore::Error> + Send + 'static,
{
    let network = Arc::clone(network);
    let asked = without_observer(options);
    move |observer| {
        let gpu = open()?;
        let options = Options { observer, ..asked };
        let found = explore(&gpu, &network, &options)?;
        Ok((gpu, found))
    }
}

/// Returns the options of an exploration that another thread observes. That thread also checks the
/// goal.
pub(super) fn without_observer(options: &Options<'_>) -> Options<'static> {
    Options {
        goal: None,
        observer: &explore::Silent,
        ..*options
    }
}

/// Opens a device, and explores on it.
fn on_device<T>(
    input: &Input,
    network: &Network,
    open: &OpenGpu<'_>,
    explore: impl FnOnce(&Gpu) -> Result<T, gpu_explore::Error>,
) -> Result<T, Error> {
    // A driver that opens a device or compiles kernels cannot be interrupted.
    interrupt::while_in_driver(|| {
        let gpu = open().map_err(|error| refused(&error.into()))?;
        tracing::debug!("exploring on {}", gpu.info());
        explore(&gpu).map_err(|error| match error {
            gpu_explore::Error::Ended(error) => ended(input, network, &error),
            error => refused(&error),
        })
    })
}

/// Returns the options of an exploration on a device.
pub(super) fn on<'a>(gpu: &Gpu, options: &Options<'a>) -> gpu_explore::Options<'a> {
    gpu_explore::Options {
        explore: *options,
        ..gpu_explore::Options::new(gpu)
    }
}

/// Returns the error for an exploration that ended early.
fn ended(input: &Input, network: &Network, error: &explore::Error<Infallible>) -> Error {
    let diagnostic = Diagnostic::network_exploration(input, network, error);
    diagnostic.map_or(Error::Cancelled, Error::from)
}

/// Returns the error for a GPU that could not explore the network, with hints.
fn refused(error: &gpu_explore::Error) -> Error {
    let diagnostic = Diagnostic::new(error.to_string());
    let diagnostic = match error {
        gpu_explore::Error::Gpu(gpu::Error::NoAdapter { .. }) => diagnostic,
        gpu_explore::Error::Paper { .. } => {
            diagnostic.note("without `--search paper` it is explored")
        }
        _ => diagnostic.note("`--device cpu` explores the network in the memory of the host"),
    };
    Error::Device(Box::new(diagnostic))
}
