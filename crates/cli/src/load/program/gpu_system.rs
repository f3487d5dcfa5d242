//! A program as a system that a GPU explores. If the GPU cannot, the CPU does.

use super::system::PrismSystem;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::interrupt;
use crate::load::on_devices::{Fault, GpuSystem, Stuck};
use explore::{Options, States};
use gpu_explore::Model;
use prism_language::{ActionId, TableBits, Visitor};
use std::ops::ControlFlow;

impl GpuSystem for PrismSystem {
    const HAS_DETAILS: bool = false;

    fn with_model<T>(
        &self,
        options: &Options<'_>,
        explore: impl FnOnce(Model<'_>) -> Result<T, gpu_explore::Error>,
    ) -> Result<T, Stuck> {
        let tables = self.0.word_tables(TableBits::default());
        let tables = tables.map_err(|why| Stuck::ForCpu(Some(why.to_string())))?;
        // The CPU reports errors in the initial states.
        let initial = initial_states(self, options).ok_or(Stuck::ForCpu(None))?;
        Ok(explore(Model::Program {
            tables: &tables,
            initial: &initial,
        })?)
    }

    fn without_gpu(&self, error: gpu_explore::Error) -> Result<String, Fault<Self>> {
        use gpu_explore::Error as E;
        match error {
            E::Broken { packed, .. } => {
                let mut scratch = self.0.scratch();
                if let Err(error) = self.0.successors(&mut scratch, &packed, &mut Nobody) {
                    return Err(explore::Error::System(error).into());
                }
                let state = self.0.show(&packed);
                Ok(format!(
                    "a GPU cannot compute what follows on state {state}: it has too many branches, \
                     or needs integers of more than 32 bits"
                ))
            }
            E::Ended(explore::Error::MemoryLimit { .. } | explore::Error::OutOfMemory { .. })
            | E::Gpu(gpu::Error::OutOfMemory { .. } | gpu::Error::LimitExceeded { .. })
            | E::Tables
            | E::TooManySuccessors { .. }
            | E::TooManyToCompare { .. } => Ok(error.to_string()),
            E::Ended(error) => Err(error.map_system(&|never| match never {}).into()),
            error => {
                let diagnostic = Diagnostic::new(error.to_string());
                Err(Fault::Device(Error::Device(Box::new(match error {
                    E::Gpu(gpu::Error::NoAdapter { .. }) => diagnostic,
                    _ => diagnostic.note("`--device cpu` explores the model on the CPU"),
                }))))
            }
        }
    }
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
