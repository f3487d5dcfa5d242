//! Explores a program on a GPU that was asked for; on the CPU where a GPU cannot, which is said.

use super::system::PrismSystem;
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::interrupt;
use crate::load::on_gpu::on;
use crate::load::request::OpenGpu;
use explore::{Exploration, Options, States};
use gpu::Gpu;
use gpu_explore::{Found, Resident};
use prism_language::{ActionId, TableBits, Visitor, WordTables};
use std::ops::ControlFlow;

/// Why a program was not explored.
pub(super) enum Fault {
    /// What the CPU says of it too.
    Program(explore::Error<prism_language::Error>),
    /// There is no such GPU, or it failed.
    Device(Error),
}

impl From<explore::Error<prism_language::Error>> for Fault {
    fn from(error: explore::Error<prism_language::Error>) -> Self {
        Self::Program(error)
    }
}

/// What was found, and where its graph is.
pub(super) enum Place {
    OnHost(Exploration),
    OnDevice(Gpu, Resident),
}

/// Explores the states of a program on the device that `open` opens.
pub(super) fn explore(
    system: &PrismSystem,
    open: &OpenGpu<'_>,
    options: &Options<'_>,
) -> Result<Exploration, Fault> {
    let explore = |gpu: &Gpu, tables: &WordTables, initial: &States| {
        gpu_explore::explore_program(gpu, tables, initial, &on(gpu, options))
    };
    let (_, mut found) = match on_device(system, open, options, explore)? {
        Ok(found) => found,
        Err(why) => return on_cpu(system, why, options),
    };
    explore::describe(system, &mut found, options)?;
    Ok(found)
}

/// The same, but leaves the graph on the device if there is room. There are no details.
pub(super) fn explore_resident(
    system: &PrismSystem,
    open: &OpenGpu<'_>,
    options: &Options<'_>,
) -> Result<Place, Fault> {
    let explore = |gpu: &Gpu, tables: &WordTables, initial: &States| {
        gpu_explore::explore_program_resident(gpu, tables, initial, &on(gpu, options))
    };
    match on_device(system, open, options, explore)? {
        Ok((gpu, Found::OnDevice(found))) => Ok(Place::OnDevice(gpu, found)),
        Ok((_, Found::OnHost(found))) => Ok(Place::OnHost(found)),
        Err(why) => Ok(Place::OnHost(on_cpu(system, why, options)?)),
    }
}

/// Why the CPU is to explore a program, if that is to be said.
type Why = Option<String>;

/// Explores on a device that is opened now, if it can.
fn on_device<T>(
    system: &PrismSystem,
    open: &OpenGpu<'_>,
    options: &Options<'_>,
    explore: impl FnOnce(&Gpu, &WordTables, &States) -> Result<T, gpu_explore::Error>,
) -> Result<Result<(Gpu, T), Why>, Fault> {
    let tables = match system.0.word_tables(TableBits::default()) {
        Ok(tables) => tables,
        Err(why) => return Ok(Err(Some(why.to_string()))),
    };
    let Some(initial) = initial_states(system, options) else {
        // The CPU says what is wrong with them.
        return Ok(Err(None));
    };
    // A driver that opens a device or compiles kernels cannot be interrupted.
    let found = interrupt::while_deaf(|| {
        let gpu = open().map_err(gpu_explore::Error::from)?;
        tracing::debug!("exploring on {}", gpu.info());
        let found = explore(&gpu, &tables, &initial)?;
        Ok((gpu, found))
    });
    match found {
        Ok(found) => Ok(Ok(found)),
        Err(error) => instead(system, error).map(Err),
    }
}

/// Why the CPU is to explore what a GPU did not, or what is wrong.
fn instead(system: &PrismSystem, error: gpu_explore::Error) -> Result<Why, Fault> {
    use gpu_explore::Error as E;
    match &error {
        E::Broken { packed, .. } => {
            let mut scratch = system.0.scratch();
            if let Err(error) = system.0.successors(&mut scratch, packed, &mut Nobody) {
                return Err(explore::Error::System(error).into());
            }
            // Integers need more than 32 bits there, or a software adapter more time.
            let state = system.0.show(packed);
            Ok(Some(format!(
                "a GPU cannot compute what follows on state {state}"
            )))
        }
        E::Ended(explore::Error::OutOfMemory { .. } | explore::Error::NoMemory { .. })
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

fn on_cpu(system: &PrismSystem, why: Why, options: &Options<'_>) -> Result<Exploration, Fault> {
    if let Some(why) = why {
        tracing::warn!("{why}; exploring on the CPU");
    }
    Ok(explore::explore(system, options)?)
}

/// The initial states in their order; `None` if they are more than there may be, or cannot be
/// found.
fn initial_states(system: &PrismSystem, options: &Options<'_>) -> Option<States> {
    /// More are for the CPU, which counts the memory that they take.
    const MOST: u64 = 1 << 24;
    let program = &system.0;
    let (mut packed, words) = (Vec::new(), program.words());
    let most = options.limits.states.unwrap_or(MOST).min(MOST) as usize;
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

/// Takes no notice of what can happen in a state.
struct Nobody;

impl Visitor for Nobody {
    fn choice(&mut self, _: Option<ActionId>) {}

    fn branch(&mut self, _: f64, _: &[u64]) {}

    fn is_over(&mut self) -> bool {
        interrupt::is_cancelled()
    }
}
