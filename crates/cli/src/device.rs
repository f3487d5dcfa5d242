//! Which device a decomposition runs on, and what is tried next when a GPU fails.
//!
//! Knows nothing of how a device decomposes: each try is a function that its caller gives, so that tests
//! can make it fail in every way.

use crate::args::{DecomposeArgs, Device as Asked, Search, name_of};
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use decompose::Device;
use decompose::gpu::GpuOptions;
use report::grouped;

/// From so many branches on, `--device auto` takes a GPU: below, opening one costs more than it saves.
///
/// On an NVIDIA H200's host opening and closing one takes a fifth of a second, and the rest 2 to 5 ns a branch, where one
/// core decomposes at 20 to 45 ns a branch (`docs/benchmarks/README.md`).
pub(crate) const BRANCHES_WORTH_A_GPU: u64 = 1 << 25;

/// What a decomposition is to run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// The processor.
    Cpu,
    /// A GPU, or nothing.
    Gpu(GpuOptions),
    /// A GPU that is not software, if it is worth it; else, or if it fails, the processor.
    Auto(GpuOptions),
}

impl Plan {
    /// What the command line asks for.
    ///
    /// # Errors
    /// Options of which one is for the CPU and one for the GPU.
    pub(crate) fn new(args: &DecomposeArgs) -> Result<Self, Error> {
        let device =
            (args.device != Asked::Auto).then(|| format!("--device {}", name_of(&args.device)));
        let search =
            (args.search != Search::Auto).then(|| format!("--search {}", name_of(&args.search)));
        let on_cpu = [
            device.clone().filter(|_| args.device == Asked::Cpu),
            search.clone().filter(|_| args.search == Search::Tarjan),
        ];
        let on_gpu = [
            device.filter(|_| args.device == Asked::Gpu),
            search.filter(|_| matches!(args.search, Search::Fbt | Search::Bfbt)),
            args.gpu.adapter.is_some().then(|| "--adapter".to_owned()),
        ];
        let cpu = on_cpu.into_iter().flatten().next();
        let gpu = on_gpu.into_iter().flatten().next();
        let knob = args.gpu.given().into_iter().next().map(str::to_owned);
        let options = GpuOptions::from(&args.gpu);
        match (cpu, gpu.or(knob)) {
            (Some(cpu), Some(gpu)) => Err(Error::Usage(format!(
                "{gpu} is for a GPU, but {cpu} for the CPU"
            ))),
            (Some(_), None) => Ok(Self::Cpu),
            // Software is for those who name it, or say that any GPU will do.
            (None, Some(_)) => Ok(Self::Gpu(GpuOptions {
                software: args.device == Asked::Gpu,
                ..options
            })),
            (None, None) => Ok(Self::Auto(options)),
        }
    }

    /// Decomposes a model of so many branches by calling `attempt`, once or until it succeeds.
    ///
    /// # Errors
    /// [`Error::Device`] if the GPU that was asked for fails, [`Error::Cancelled`].
    pub(crate) fn carry_out<T>(
        self,
        branches: u64,
        attempt: &mut dyn FnMut(Device) -> Result<T, decompose::Error>,
    ) -> Result<T, Error> {
        match self {
            Self::Cpu => on_cpu(attempt),
            Self::Gpu(options) => {
                attempt(Device::from(options.clone())).map_err(|error| match error {
                    decompose::Error::Cancelled => Error::Cancelled,
                    error => Error::Device(Box::new(failure(&error, &options))),
                })
            }
            Self::Auto(options) if branches >= BRANCHES_WORTH_A_GPU => {
                with_fallback(options, attempt)
            }
            Self::Auto(_) => {
                // Nobody misses a GPU here, and whether there is one was not even asked.
                tracing::debug!(
                    "decomposing on the CPU: below {} branches it is faster than a GPU",
                    grouped(BRANCHES_WORTH_A_GPU)
                );
                on_cpu(attempt)
            }
        }
    }
}

/// Why a GPU that was asked for did not do it, and what may help.
fn failure(error: &decompose::Error, options: &GpuOptions) -> Diagnostic {
    let diagnostic = Diagnostic::new(error.to_string());
    match error {
        // What else was asked for, software can do too.
        decompose::Error::Gpu(gpu::Error::NoAdapter { found, .. })
            if options.adapter.is_none() && !options.software && !found.is_empty() =>
        {
            diagnostic.note("`--device gpu` takes software where there is no hardware")
        }
        _ => diagnostic,
    }
}

fn on_cpu<T>(attempt: &mut dyn FnMut(Device) -> Result<T, decompose::Error>) -> Result<T, Error> {
    attempt(Device::Cpu).map_err(|error| match error {
        decompose::Error::Cancelled => Error::Cancelled,
        error => Error::wrong(error.to_string()),
    })
}

/// Tries a GPU; if it fails on the way, once more in half of the memory; and in the end the CPU.
fn with_fallback<T>(
    mut options: GpuOptions,
    attempt: &mut dyn FnMut(Device) -> Result<T, decompose::Error>,
) -> Result<T, Error> {
    loop {
        match attempt(Device::from(options.clone())) {
            Ok(result) => return Ok(result),
            Err(decompose::Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) if options.transpose && is_of_the_moment(&error) => {
                tracing::warn!("{error}; trying again without the transpose");
                options.transpose = false;
            }
            Err(error @ decompose::Error::Gpu(gpu::Error::NoAdapter { .. })) => {
                tracing::debug!("decomposing on the CPU: {error}");
                return on_cpu(attempt);
            }
            Err(error) => {
                tracing::warn!("{error}; decomposing on the CPU");
                return on_cpu(attempt);
            }
        }
    }
}

/// Whether a search that takes less memory may succeed where this one failed.
fn is_of_the_moment(error: &decompose::Error) -> bool {
    matches!(error, decompose::Error::Gpu(gpu::Error::OutOfMemory { .. }))
}

#[cfg(test)]
mod tests;
