//! Reads a model of any format.

use super::pool::on_threads;
use super::warnings::gathered;
use super::{Failure, Model, Supervisor};
use crate::args::ModelArgs;
use crate::error::Error;
use crate::interrupt;
use crate::load::{self, DeadlockWarning, Request, Wanted};
use crate::progress::Progress;
use mdp_graph::Deadlocks;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// The model to read, and the options of reading it, which are those of the command line.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The file.
    pub file: PathBuf,
    /// Values for the constants that the model leaves open.
    pub constants: Vec<(String, String)>,
    /// The treatment of states without a choice.
    pub deadlocks: Deadlocks,
    /// Whether labels, values of variables, probabilities, actions and rewards are read too.
    pub details: bool,
    /// A file with the values of the variables; by default one beside the model.
    pub states: Option<PathBuf>,
    /// A file with the labels; by default one beside the model.
    pub labels: Option<PathBuf>,
    /// The name of the model's type, which overrides its header and content.
    pub model_type: Option<String>,
    /// Whether to accept distributions whose probabilities do not sum to 1.
    pub allow_any_sum: bool,
    /// The largest number of states.
    pub max_states: Option<u64>,
    /// The largest memory of the states and the graph, in bytes; by default 90 % of what is
    /// available.
    pub max_memory: Option<u64>,
    /// The number of threads; by default one for each core.
    pub threads: Option<NonZeroUsize>,
}

impl Reading {
    /// Reads the whole model, and adds self-loops to its deadlocks.
    pub fn new(file: PathBuf) -> Self {
        Self {
            file,
            constants: Vec::new(),
            deadlocks: Deadlocks::SelfLoop,
            details: true,
            states: None,
            labels: None,
            model_type: None,
            allow_any_sum: false,
            max_states: None,
            max_memory: None,
            threads: None,
        }
    }

    fn args(&self) -> Result<ModelArgs, Error> {
        let constants = self.constants.iter();
        let constants: Vec<_> = constants.map(|(name, value)| (&**name, &**value)).collect();
        let mut args = ModelArgs::new(&self.file, &constants);
        if let Some(name) = &self.model_type {
            args.set_type(name).map_err(Error::Usage)?;
        }
        args.allow_any_sum = self.allow_any_sum;
        args.builder.max_states = self.max_states;
        args.builder.max_memory = self.max_memory;
        Ok(args)
    }

    fn wanted(&self) -> Wanted<'_> {
        if self.details {
            return Wanted {
                fractions: true,
                ..Wanted::everything(self.states.as_deref(), self.labels.as_deref())
            };
        }
        Wanted::graph()
    }
}

/// Reads a model. One model is read at a time in a process; others wait for their turn.
///
/// # Errors
/// What `maxend` would print.
pub fn read(reading: &Reading, supervisor: &Arc<Supervisor>) -> Result<Model, Failure> {
    let args = reading.args()?;
    let (result, warnings) = interrupt::for_program(
        supervisor.number(),
        || supervisor.is_stopped(),
        || {
            // On the thread that reads, which is one of a pool.
            let work = || {
                Ok(gathered(|| {
                    load::load_model(Request {
                        deadlocks: reading.deadlocks,
                        deadlock_warning: DeadlockWarning::Plain,
                        ..Request::new(&args, reading.wanted(), Progress::to_program(supervisor))
                    })
                }))
            };
            match on_threads(reading.threads, work) {
                Ok(gathered) => gathered,
                Err(error) => (Err(error), Vec::new()),
            }
        },
    );
    let name = reading.file.display().to_string();
    Ok(Model::new(result?, name, warnings))
}
