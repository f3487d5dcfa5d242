//! Explores a program on the CPU, on the GPU that was asked for, or on whichever is faster. If a
//! GPU cannot explore it, the CPU does, and a message says so.

use super::system::PrismSystem;
use crate::device::race::Winner;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::interrupt;
use crate::load::goals::{Goals, with_goals};
use crate::load::on_gpu::{on, without_observer};
use crate::load::race::race;
use crate::load::request::{ExploreOn, OpenGpu, Opener};
use crate::load::resident::Place;
use explore::{Exploration, Observer, Options, States};
use gpu::Gpu;
use gpu_explore::{Counts, Model};
use prism_language::{ActionId, TableBits, Visitor};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The reason why a program could not be explored.
pub(super) enum Fault {
    /// An error in the program, which the CPU reports too.
    Program(explore::Error<prism_language::Error>),
    /// The requested GPU is missing, or has failed.
    Device(Error),
}

impl From<explore::Error<prism_language::Error>> for Fault {
    fn from(error: explore::Error<prism_language::Error>) -> Self {
        Self::Program(error)
    }
}

/// Explores the states of a program, until all are found or the goals are reached.
pub(super) fn explore(
    system: &Arc<PrismSystem>,
    explore_on: &ExploreOn<'_>,
    options: &Options<'_>,
    goals: Option<&Arc<Goals>>,
) -> Result<Exploration, Fault> {
    let explore = {
        let goals = goals.cloned();
        move |gpu: &Gpu, model: Model<'_>, options: &Options<'_>| {
            let options = with_goals(options, goals.as_ref());
            gpu_explore::explore(gpu, model, &on(gpu, &options))
        }
    };
    let on_cpu = |options: &Options<'_>| explore::explore(&**system, &with_goals(options, goals));
    let found = match explore_on {
        ExploreOn::Cpu => return Ok(on_cpu(options)?),
        ExploreOn::Gpu(open) => on_device(system, open, options, explore)?,
        ExploreOn::Auto(open) => {
            // After the GPU, the CPU has to compute all successors once more.
            let lead = if options.actions || options.probabilities {
                2
            } else {
                1
            };
            match race(
                options,
                lead,
                rival(system, options, open(), explore),
                on_cpu,
            )? {
                Winner::Cpu(found) => return Ok(found),
                Winner::Gpu(found) => Ok(found),
            }
        }
    };
    let (_, mut found) = match found {
        Ok(found) => found,
        Err(why) => return instead_on_cpu(system, why, &with_goals(options, goals)),
    };
    explore::describe(&**system, &mut found, options)?;
    Ok(found)
}

/// Does the same as [`explore()`], but leaves the graph on the device if there is room. There are
/// no details.
pub(super) fn explore_resident(
    system: &Arc<PrismSystem>,
    explore_on: &ExploreOn<'_>,
    options: &Options<'_>,
) -> Result<Place, Fault> {
    let explore = |gpu: &Gpu, model: Model<'_>, options: &Options<'_>| {
        gpu_explore::explore_resident(gpu, model, &on(gpu, options))
    };
    let on_cpu = |options: &Options<'_>| explore::explore(&**system, options);
    match explore_on {
        ExploreOn::Cpu => Ok(Place::OnHost(on_cpu(options)?)),
        ExploreOn::Gpu(open) => match on_device(system, open, options, explore)? {
            Ok((gpu, found)) => Ok(Place::of(gpu, found)),
            Err(why) => Ok(Place::OnHost(instead_on_cpu(system, why, options)?)),
        },
        ExploreOn::Auto(open) => {
            let winner = race(options, 1, rival(system, options, open(), explore), on_cpu)?;
            Ok(Place::of_winner(winner))
        }
    }
}

/// Counts the states of a program. A GPU does not keep them. Also returns the number of branches of
/// probability 0 that were dropped.
pub(super) fn count(
    system: &Arc<PrismSystem>,
    explore_on: &ExploreOn<'_>,
    options: &Options<'_>,
) -> Result<(Counts, u64), Fault> {
    let count = |gpu: &Gpu, model: Model<'_>, options: &Options<'_>| {
        gpu_explore::count(gpu, model, &on(gpu, options))
    };
    let on_cpu = |options: &Options<'_>| explore::explore(&**system, options);
    let of = |found: &Exploration| (Counts::of(found), found.dropped_branches);
    match explore_on {
        ExploreOn::Cpu => Ok(of(&on_cpu(options)?)),
        ExploreOn::Gpu(open) => match on_device(system, open, options, count)? {
            Ok((_, counts)) => Ok((counts, 0)),
            Err(why) => Ok(of(&instead_on_cpu(system, why, options)?)),
        },
        ExploreOn::Auto(open) => {
            match race(options, 1, rival(system, options, open(), count), on_cpu)? {
                Winner::Cpu(found) => Ok(of(&found)),
                Winner::Gpu((_, counts)) => Ok((counts, 0)),
            }
        }
    }
}

/// The reason why the CPU explores a program, if a message is to say it.
type Why = Option<String>;

/// The reason why a device could not explore a program.
enum Stuck {
    /// The CPU has to explore it, for this reason.
    ForCpu(Why),
    Gpu(gpu_explore::Error),
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

/// Opens a device, and explores on it if it can.
fn on_device<T>(
    system: &PrismSystem,
    open: &OpenGpu<'_>,
    options: &Options<'_>,
    explore: impl FnOnce(&Gpu, Model<'_>, &Options<'_>) -> Result<T, gpu_explore::Error>,
) -> Result<Result<(Gpu, T), Why>, Fault> {
    // A driver that opens a device or compiles kernels cannot be interrupted.
    match interrupt::while_in_driver(|| try_device(system, open, options, explore)) {
        Ok(found) => Ok(Ok(found)),
        Err(Stuck::ForCpu(why)) => Ok(Err(why)),
        Err(Stuck::Gpu(error)) => reason_or_fault(system, error).map(Err),
    }
}

/// Returns a function by which a GPU explores a program beside the CPU.
fn rival<T: 'static>(
    system: &Arc<PrismSystem>,
    options: &Options<'_>,
    open: Opener,
    explore: impl FnOnce(&Gpu, Model<'_>, &Options<'_>) -> Result<T, gpu_explore::Error>
    + Send
    + 'static,
) -> impl FnOnce(&dyn Observer) -> Result<(Gpu, T), Stuck> + Send + 'static {
    let system = Arc::clone(system);
    let asked = without_observer(options);
    move |observer| {
        let options = Options { observer, ..asked };
        try_device(&system, open, &options, explore)
    }
}

fn try_device<T>(
    system: &PrismSystem,
    open: impl FnOnce() -> Result<Gpu, gpu::Error>,
    options: &Options<'_>,
    explore: impl FnOnce(&Gpu, Model<'_>, &Options<'_>) -> Result<T, gpu_explore::Error>,
) -> Result<(Gpu, T), Stuck> {
    let tables = system.0.word_tables(TableBits::default());
    let tables = tables.map_err(|why| Stuck::ForCpu(Some(why.to_string())))?;
    // The CPU reports errors in the initial states.
    let initial = initial_states(system, options).ok_or(Stuck::ForCpu(None))?;
    let gpu = open().map_err(|error| Stuck::Gpu(error.into()))?;
    tracing::debug!("exploring on {}", gpu.info());
    let model = Model::Program {
        tables: &tables,
        initial: &initial,
    };
    let found = explore(&gpu, model, options).map_err(Stuck::Gpu)?;
    Ok((gpu, found))
}

/// Returns the reason why the CPU has to explore the program, or the error.
fn reason_or_fault(system: &PrismSystem, error: gpu_explore::Error) -> Result<Why, Fault> {
    use gpu_explore::Error as E;
    match &error {
        E::Broken { packed, .. } => {
            let mut scratch = system.0.scratch();
            if let Err(error) = system.0.successors(&mut scratch, packed, &mut Nobody) {
                return Err(explore::Error::System(error).into());
            }
            let state = system.0.show(packed);
            Ok(Some(format!(
                "a GPU cannot compute what follows on state {state}: it has too many branches, or \
                 needs integers of more than 32 bits"
            )))
        }
        E::Ended(explore::Error::MemoryLimit { .. } | explore::Error::OutOfMemory { .. })
        | E::Gpu(gpu::Error::OutOfMemory { .. } | gpu::Error::LimitExceeded { .. })
        | E::Tables
        | E::TooManySuccessors { .. }
        | E::TooManyToCompare { .. } => Ok(Some(error.to_string())),
        _ => match error {
            E::Ended(error) => Err(error.map_system(&|never| match never {}).into()),
            error => {
                let diagnostic = Diagnostic::new(error.to_string());
                Err(Fault::Device(Error::Device(Box::new(match error {
                    E::Gpu(gpu::Error::NoAdapter { .. }) => diagnostic,
                    _ => diagnostic.note("`--device cpu` explores the model on the CPU"),
                }))))
            }
        },
    }
}

fn instead_on_cpu(
    system: &PrismSystem,
    why: Why,
    options: &Options<'_>,
) -> Result<Exploration, Fault> {
    if let Some(why) = why {
        tracing::warn!("{why}; exploring on the CPU");
    }
    Ok(explore::explore(system, options)?)
}

/// Returns the initial states in order; `None` if there are too many, or if they cannot be
/// computed.
fn initial_states(system: &PrismSystem, options: &Options<'_>) -> Option<States> {
    /// If there are more, the CPU explores them, and checks their memory.
    const MAX: u64 = 1 << 24;
    let program = &system.0;
    let (mut packed, words) = (Vec::new(), program.words());
    let most = options.limits.states.unwrap_or(MAX).min(MAX) as usize;
    let visited = program.search_initial_states(|state| {
        packed.extend_from_slice(state.unwrap_or_default());
        match packed.len() > most * words || options.observer.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    let are_all = visited.is_ok() && !options.observer.is_cancelled();
    (are_all && packed.len() <= most * words && !packed.is_empty())
        .then(|| States::from_packed(words, packed))
}

/// A visitor that ignores the choices of a state.
struct Nobody;

impl Visitor for Nobody {
    fn choice(&mut self, _: Option<ActionId>) {}

    fn branch(&mut self, _: f64, _: &[u64]) {}

    fn is_over(&mut self) -> bool {
        interrupt::is_cancelled()
    }
}
