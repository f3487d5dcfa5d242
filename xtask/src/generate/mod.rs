//! Models written by the project itself, in every size: the generated fixtures, and the large
//! ones that measurements need.
//!
//! A family is one structure in every size; models with states that mean something are written in
//! PRISM's language (`fixtures/*.prism`) and built by maxend. Nothing here knows
//! how the models are read or decomposed. The same family and size give the same bytes on every
//! machine.

mod networks;
mod random;
mod shapes;
mod write;

use crate::shell::Outcome;
use clap::ValueEnum;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

pub(crate) use networks::network;
pub(crate) use write::write_transitions;

/// A branch of a choice: the target state and its probability.
pub(crate) type Branch = (u32, f64);

/// A model that lists the choices of a state as often as it is asked, always the same.
pub(crate) trait Model {
    /// The number of states.
    fn num_states(&self) -> u32;

    /// Hands every choice of `state`, in order, to `choice`: the action's name if it has one, and
    /// the branches, whose targets are distinct.
    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch]));
}

/// The families of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Family {
    /// A random model in which every state reaches every other: one huge component.
    Giant,
    /// A random model without cycles, SIZE states deep at worst; the last state stays.
    Dag,
    /// SIZE random components of 1 to 64 states on a string, each with a way on to the next.
    Beads,
    /// One component of SIZE states, all of which drift to a last one: no MEC but that.
    Drift,
    /// s -> s + 1; the last state stays.
    Chain,
    /// One cycle through all states.
    Cycle,
    /// SIZE rungs: each round of the MEC decomposition finds that one more state has to go.
    Ladder,
    /// SIZE steps: the search for MECs on the CPU looks at the whole model for each of them.
    Stairs,
    /// SIZE cycles of two states, each with a way on to the next.
    TwoCycles,
    /// One state with SIZE choices, of which every second comes back.
    Fan,
    /// A network of SIZE cells that each hold an item, which moves on: 2^SIZE states (.exp).
    Pipeline,
    /// A network of SIZE stations, of which the one with the token may work: 2 SIZE states (.exp).
    TokenRing,
}

impl Family {
    /// The model of this family and size.
    ///
    /// # Errors
    /// Says why, if there is no model of that size.
    pub(crate) fn model(self, size: u32) -> Result<Box<dyn Model>, String> {
        self.check(size)?;
        Ok(match self {
            Self::Giant => Box::new(random::Giant { size }),
            Self::Dag => Box::new(random::Dag { size }),
            Self::Beads => Box::new(random::Beads::new(size)),
            Self::Drift => Box::new(shapes::Drift { size }),
            Self::Chain => Box::new(shapes::Chain { size }),
            Self::Cycle => Box::new(shapes::Cycle { size }),
            Self::Ladder => Box::new(shapes::Ladder { size }),
            Self::Stairs => Box::new(shapes::Stairs { size }),
            Self::TwoCycles => Box::new(shapes::TwoCycles { size }),
            Self::Fan => Box::new(shapes::Fan { size }),
            Self::Pipeline | Self::TokenRing => {
                return Err("this family has networks, not models of given states".to_owned());
            }
        })
    }

    /// Refuses sizes of which there is no model.
    fn check(self, size: u32) -> Result<(), String> {
        let most = self.largest_size();
        match (1..=most).contains(&size) {
            true => Ok(()),
            false => Err(format!("the size must lie between 1 and {most}")),
        }
    }

    /// The largest size whose state numbers fit 32 bits.
    fn largest_size(self) -> u32 {
        match self {
            Self::Beads => 50_000_000,
            Self::Stairs => 100_000_000,
            // The text grows with the square of the size.
            Self::Pipeline | Self::TokenRing => 1000,
            _ => 1_000_000_000,
        }
    }
}

/// Write a generated model of any size, for measurements
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What kind of model
    family: Family,
    /// How large: what this counts depends on the family
    #[arg(long)]
    size: u32,
    /// The .tra or .exp file to write
    #[arg(long)]
    output: PathBuf,
}

/// Generates a model.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments {
        family,
        size,
        ref output,
    } = *arguments;
    family.check(size)?;
    if let Some(text) = network(family, size) {
        let written = std::fs::write(output, text);
        return Ok(written.map_err(|error| format!("{}: {error}", output.display()))?);
    }
    let model = family.model(size)?;
    Ok(write_model(&*model, output)?)
}

/// Writes a model as a `.tra` file.
pub(crate) fn write_model(model: &dyn Model, path: &Path) -> Result<(), String> {
    let write = || {
        let mut out = BufWriter::new(File::create(path)?);
        write_transitions(model, &mut out)?;
        out.flush()
    };
    write().map_err(|error| format!("{}: {error}", path.display()))
}
