//! Which device a decomposition runs on, and what to try next if a GPU fails.
//!
//! The caller passes the function that decomposes, so that tests can make it fail in every way.

use crate::args::{DecomposeArgs, Device as Asked, Search, name_of};
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use decompose::Device;
use decompose::gpu::GpuOptions;
use report::grouped;

/// The fewest branches for which `--device auto` uses a GPU. For smaller models, opening the GPU
/// takes longer than it saves.
///
/// On a machine with an NVIDIA H200, opening and closing it takes a fifth of a second, and
/// decomposing 2 to 5 ns a branch; one core of the CPU takes 20 to 45 ns a branch
/// (`docs/benchmarks/README.md`).
pub(crate) const BRANCHES_WORTH_A_GPU: u64 = 1 << 25;

/// The devices that a decomposition may run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// The processor.
    Cpu,
    /// A GPU. If it fails, the command fails.
    Gpu(GpuOptions),
    /// A hardware GPU if the model is large enough; otherwise, or if the GPU fails, the processor.
    Auto(GpuOptions),
}

impl Plan {
    /// What the command line asks for.
    ///
    /// # Errors
    /// [`Error::Usage`] if one option asks for the CPU and another for a GPU.
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
            // A software adapter is used only if it is named, or with --device gpu.
            (None, Some(_)) => Ok(Self::Gpu(GpuOptions {
                software: args.device == Asked::Gpu,
                ..options
            })),
            (None, None) => Ok(Self::Auto(options)),
        }
    }

    /// Decomposes a model with this many branches by calling `attempt`, if need be more than once.
    ///
    /// # Errors
    /// [`Error::Device`] if the GPU fails that the command line asks for; [`Error::Cancelled`].
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
                // Not a warning: a GPU would be slower, and nobody has looked for one.
                tracing::debug!(
                    "decomposing on the CPU: below {} branches it is faster than a GPU",
                    grouped(BRANCHES_WORTH_A_GPU)
                );
                on_cpu(attempt)
            }
        }
    }
}

/// The message for a GPU that failed, and what may help.
fn failure(error: &decompose::Error, options: &GpuOptions) -> Diagnostic {
    let diagnostic = Diagnostic::new(error.to_string());
    match error {
        // Whatever else was asked for, software can do it too.
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

/// Tries a GPU; if it runs out of memory, tries it again in half of the memory; then tries the CPU.
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

/// Whether a search that takes less memory may succeed after this error.
fn is_of_the_moment(error: &decompose::Error) -> bool {
    matches!(error, decompose::Error::Gpu(gpu::Error::OutOfMemory { .. }))
}

#[cfg(test)]
mod tests;
