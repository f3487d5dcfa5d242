//! Explores a system on the CPU, on the GPU that was asked for, or on whichever is faster.

use super::exploration_race::race;
use super::goals::{Goals, with_goals};
use super::request::{ExploreOn, Opener};
use super::resident::Place;
use crate::device::race::Winner;
use crate::error::Error;
use crate::{interrupt, memory};
use explore::{Exploration, Observer, Options, System};
use gpu::Gpu;
use gpu_explore::{Counts, Model};
use std::fmt;
use std::sync::Arc;

/// A system that a GPU can explore, too.
pub(super) trait GpuSystem: System + Send + Sized + 'static {
    /// Whether a GPU finds the actions and probabilities of choices, too.
    const HAS_DETAILS: bool;

    /// Calls `explore` with the model that a GPU reads.
    fn with_model<T>(
        &self,
        options: &Options<'_>,
        explore: impl FnOnce(Model<'_>) -> Result<T, gpu_explore::Error>,
    ) -> Result<T, Stuck>;

    /// Says why the CPU explores the system after this error of a GPU; otherwise returns the error
    /// for the user.
    fn without_gpu(&self, error: gpu_explore::Error) -> Result<String, Fault<Self>>;
}

/// The reason why a system could not be explored.
pub(super) enum Fault<S: System> {
    /// An error that the CPU reports too.
    Exploration(explore::Error<S::Error>),
    /// The requested GPU is missing, or has failed.
    Device(Error),
}

impl<S: System> From<explore::Error<S::Error>> for Fault<S> {
    fn from(error: explore::Error<S::Error>) -> Self {
        Self::Exploration(error)
    }
}

impl<S: System> Fault<S> {
    /// Returns the error for the user. `explained` makes it of an error of the exploration.
    pub(super) fn into_error(
        self,
        explained: impl FnOnce(&explore::Error<S::Error>) -> Error,
    ) -> Error {
        match self {
            Self::Exploration(error) => explained(&error),
            Self::Device(error) => error,
        }
    }
}

/// The reason why a GPU could not explore a system.
pub(super) enum Stuck {
    /// The CPU has to explore it, for this reason. Without a reason, the CPU is expected to report
    /// an error.
    ForCpu(Option<String>),
    Gpu(gpu_explore::Error),
}

impl From<gpu_explore::Error> for Stuck {
    fn from(error: gpu_explore::Error) -> Self {
        Self::Gpu(error)
    }
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForCpu(Some(why)) => f.write_str(why),
            Self::ForCpu(None) => f.write_str("the initial states cannot be found"),
            Self::Gpu(error) => error.fmt(f),
        }
    }
}

/// A search on a GPU.
type SearchOnGpu<T> =
    fn(&Gpu, Model<'_>, &gpu_explore::Options<'_>) -> Result<T, gpu_explore::Error>;

/// Explores the states of a system, until all are found or the goals are reached.
pub(super) fn explore<S: GpuSystem>(
    system: &Arc<S>,
    explore_on: &ExploreOn<'_>,
    options: &Options<'_>,
    goals: Option<&Arc<Goals>>,
) -> Result<Exploration, Fault<S>> {
    let search: SearchOnGpu<_> = |gpu, model, options| gpu_explore::explore(gpu, model, options);
    match run(system, explore_on, options, goals, search)? {
        Winner::Cpu(found) => Ok(found),
        Winner::Gpu((_, mut found)) => {
            if !S::HAS_DETAILS {
                explore::describe(&**system, &mut found, options)?;
            }
            Ok(found)
        }
    }
}

/// Does the same as [`explore()`], but leaves the graph on the device that explored it if there is
/// room. There are no details.
pub(super) fn explore_resident<S: GpuSystem>(
    system: &Arc<S>,
    explore_on: &ExploreOn<'_>,
    options: &Options<'_>,
) -> Result<Place, Fault<S>> {
    let search: SearchOnGpu<_> =
        |gpu, model, options| gpu_explore::explore_resident(gpu, model, options);
    let winner = run(system, explore_on, options, None, search)?;
    Ok(Place::of_winner(winner))
}

/// Counts the states of a system. A GPU does not keep them. Also returns the number of branches of
/// probability 0 that were dropped.
pub(super) fn count<S: GpuSystem>(
    system: &Arc<S>,
    explore_on: &ExploreOn<'_>,
    options: &Options<'_>,
) -> Result<(Counts, u64), Fault<S>> {
    let search: SearchOnGpu<_> = |gpu, model, options| gpu_explore::count(gpu, model, options);
    match run(system, explore_on, options, None, search)? {
        Winner::Cpu(found) => Ok((Counts::of(&found), found.dropped_branches)),
        Winner::Gpu((_, counts)) => Ok((counts, 0)),
    }
}

/// Explores a system on the requested device, by `search` if that is a GPU. If a requested GPU
/// cannot explore it, the CPU does, and a message says so.
fn run<S: GpuSystem, T: Send + 'static>(
    system: &Arc<S>,
    explore_on: &ExploreOn<'_>,
    options: &Options<'_>,
    goals: Option<&Arc<Goals>>,
    search: SearchOnGpu<T>,
) -> Result<Winner<Exploration, (Gpu, T)>, Fault<S>> {
    let on_cpu = |options: &Options<'_>| {
        let mut options = with_goals(options, goals);
        // The memory of a device has a limit of its own.
        options.limits.memory = memory::exploration_limit(options.limits.memory);
        explore::explore(&**system, &options)
    };
    match explore_on {
        ExploreOn::Cpu => Ok(Winner::Cpu(on_cpu(options)?)),
        ExploreOn::Gpu(open, said) => {
            let options = &with_goals(options, goals);
            // A driver that opens a device or compiles kernels cannot be interrupted.
            let found =
                interrupt::while_in_driver(|| open_and_search(&**system, open, options, search));
            let why = match found {
                Ok(found) => return Ok(Winner::Gpu(found)),
                Err(Stuck::ForCpu(why)) => why,
                Err(Stuck::Gpu(error)) => Some(system.without_gpu(error)?),
            };
            if let Some(why) = why
                && said.replace(Some(why.clone())).as_ref() != Some(&why)
            {
                tracing::warn!("{why}; exploring on the CPU");
            }
            Ok(Winner::Cpu(on_cpu(options)?))
        }
        ExploreOn::Auto(open) => {
            // After the GPU, the CPU has to compute all successors once more.
            let is_described = !S::HAS_DETAILS && (options.actions || options.probabilities);
            let lead = if is_described { 2 } else { 1 };
            let rival = rival(system, options, goals, open(), search);
            Ok(race(options, lead, rival, on_cpu)?)
        }
    }
}

/// Returns a function by which a GPU explores a system beside the CPU.
fn rival<S: GpuSystem, T: 'static>(
    system: &Arc<S>,
    options: &Options<'_>,
    goals: Option<&Arc<Goals>>,
    open: Opener,
    search: SearchOnGpu<T>,
) -> impl FnOnce(&dyn Observer) -> Result<(Gpu, T), Stuck> + Send + 'static + use<S, T> {
    let (system, goals) = (Arc::clone(system), goals.cloned());
    let asked = Options {
        goal: None,
        observer: &explore::Silent,
        ..*options
    };
    move |observer| {
        let options = Options { observer, ..asked };
        let options = with_goals(&options, goals.as_ref());
        open_and_search(&*system, open, &options, search)
    }
}

/// Opens a GPU, and explores a system on it.
fn open_and_search<S: GpuSystem, T>(
    system: &S,
    open: impl FnOnce() -> Result<Gpu, gpu::Error>,
    options: &Options<'_>,
    search: SearchOnGpu<T>,
) -> Result<(Gpu, T), Stuck> {
    system.with_model(options, |model| {
        let gpu = open()?;
        tracing::debug!("exploring on {}", gpu.info());
        let options = gpu_explore::Options {
            explore: *options,
            ..gpu_explore::Options::new(&gpu)
        };
        let found = search(&gpu, model, &options)?;
        Ok((gpu, found))
    })
}
