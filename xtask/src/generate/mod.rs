//! Models of every size that the project writes itself: the generated fixtures, and the large
//! models for measurements.
//!
//! A family is one structure in every size. Models whose states have a meaning are written in
//! PRISM's language instead (`fixtures/*.prism`) and built by maxend. This module does not know how
//! models are read or decomposed. The same family and size give the same bytes on every machine.

mod families;
mod networks;
#[cfg(all(test, feature = "program"))]
mod tests;
mod write;

use crate::shell::Outcome;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[cfg(feature = "program")]
pub(crate) use families::{Branch, splitmix};
pub(crate) use families::{Family, Model};
pub(crate) use networks::Network;
pub(crate) use write::write_transitions;

/// A family of models or networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Model(Family),
    Network(Network),
}

impl Kind {
    /// Rejects names that suggest another format than the one that is written.
    fn check_name(self, output: &Path) -> Result<(), String> {
        let (what, ending, task) = match self {
            Self::Model(_) => ("models", "tra", "convert"),
            Self::Network(_) => ("networks", "exp", "explore"),
        };
        match output.extension() {
            Some(other) if !other.eq_ignore_ascii_case(ending) => Err(format!(
                "{}: {what} are generated as .{ending}, not .{}; `cargo xtask {task}` \
                 writes other formats",
                output.display(),
                other.display(),
            )),
            _ => Ok(()),
        }
    }
}

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Kind>> = LazyLock::new(|| {
            let models = Family::ALL.iter().copied().map(Kind::Model);
            let networks = Network::ALL.iter().copied().map(Kind::Network);
            models.chain(networks).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Model(family) => family.described(),
            Self::Network(network) => network.described(),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for Family {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Kind::Model(*self).to_possible_value()
    }
}

/// Write a generated model
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The structure of the model
    family: Kind,
    /// The size; its meaning depends on the family
    #[arg(long)]
    size: u32,
    /// The seed of the random numbers; networks have none
    #[arg(long, default_value_t = 0)]
    seed: u32,
    /// The file to write: X.tra or, for networks, X.exp
    #[arg(long)]
    output: PathBuf,
}

/// Generates a model.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let output = &arguments.output;
    arguments.family.check_name(output)?;
    let written = match arguments.family {
        Kind::Model(family) => {
            let model = family.model(arguments.size, arguments.seed)?;
            return Ok(write_model(&*model, output)?);
        }
        Kind::Network(network) => std::fs::write(output, network.text(arguments.size)?),
    };
    Ok(written.map_err(|error| format!("{}: {error}", output.display()))?)
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
