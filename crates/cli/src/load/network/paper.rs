//! Counts the states of a network by the search of the paper on GPUexplore.

use super::gpu_system::fault;
use super::network_error;
use super::read::read_either;
use crate::error::Error;
use crate::input::Input;
use crate::interrupt;
use crate::load::exploring::find_states;
use crate::load::request::{Extent, OpenGpu, Request};
use crate::load::source::Source;
use gpu_explore::paper::{Outcome, Paper};

/// The options of the paper's search on a GPU.
pub(crate) struct PaperSearch {
    /// Opens the GPU.
    pub(crate) open: Box<OpenGpu<'static>>,
    pub(crate) paper: Paper,
    /// The number of workgroups of a launch, if it is given.
    pub(crate) workgroups: Option<u32>,
}

/// Reads `input` as a network or as an Aldebaran file, and counts its states.
pub(crate) fn count_by_paper(
    input: &Input,
    source: Source,
    request: Request<'_>,
    search: &PaperSearch,
) -> Result<Outcome, Error> {
    let network = read_either(input, source, request)?;
    tracing::debug!("exploring {}", input.name);
    let count = || {
        let gpu = (search.open)()?;
        tracing::debug!("exploring on {}", gpu.info());
        find_states(request, Extent::Nothing, |options| {
            let mut options = gpu_explore::Options {
                explore: *options,
                ..gpu_explore::Options::new(&gpu)
            };
            let workgroups = search.workgroups.unwrap_or(options.tuning.workgroups);
            options.tuning.workgroups = workgroups;
            gpu_explore::paper::count(&gpu, &network, &options, &search.paper)
        })
    };
    // A driver that opens a device or compiles kernels cannot be interrupted.
    let found = interrupt::while_in_driver(count);
    found.map_err(|error| network_error(input, &network, fault(error), request))
}
