//! Writes a model to files that other tools read.

mod aut;
mod blocks;
mod check;
mod drn;
mod explicit;
mod files;
mod labels;
mod names;
mod rewards;
mod umb;

pub(crate) use self::umb::{
    COMPONENTS, ComponentsToWrite, ModelArrays, PROPOSITIONS, REWARDS, kind_names,
};
pub(crate) use check::{is_distribution, warn as warn_of_sums};
pub(crate) use explicit::{
    check_storm, warn_of_actions, warn_of_files, write_observations, write_states,
};
pub(crate) use files::{tell_of_files, warn_of_older};
pub(crate) use labels::{with_initial_states, write as write_labels};

use crate::args::To;
use crate::error::Error;
use crate::model::Model;
use crate::output::{self, Outputs};
use crate::progress::Progress;
use prism_explicit::Dialect;
use std::path::{Path, PathBuf};

/// A format that models are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Unified Markov Binary, one file.
    Umb,
    /// Explicit transitions in one of the dialects, with labels and values of variables beside
    /// them.
    Explicit(Dialect),
    /// A labelled transition system in the Aldebaran format.
    Aut,
    /// Storm's text format, one file.
    Drn,
}

impl Target {
    /// Returns the requested format or, by default, the one that the name of `out` suggests.
    /// Returns `None` for explicit transitions in either dialect, which a name without an ending
    /// suggests too.
    pub(crate) fn of(to: Option<To>, out: &Path) -> Result<Option<Self>, Error> {
        Ok(match to {
            Some(To::Umb) => Some(Self::Umb),
            Some(To::Aut) => Some(Self::Aut),
            Some(To::Drn) => Some(Self::Drn),
            Some(To::Prism) => Some(Self::Explicit(Dialect::Prism)),
            Some(To::Storm) => Some(Self::Explicit(Dialect::Storm)),
            None => Self::by_name(out)?,
        })
    }

    /// Returns whether the format consists of one file only.
    pub(crate) fn is_one_file(self) -> bool {
        !matches!(self, Self::Explicit(_))
    }

    fn by_name(out: &Path) -> Result<Option<Self>, Error> {
        let plain = match output::is_archive(out) {
            true => out.with_extension(""),
            false => out.to_owned(),
        };
        let Some(ending) = plain.extension() else {
            return Ok(None);
        };
        let is = |known: &str| ending.eq_ignore_ascii_case(known);
        if is("aut") {
            return Ok(Some(Self::Aut));
        }
        if is("drn") {
            return Ok(Some(Self::Drn));
        }
        if is("umb") || is("tra") {
            return Ok(is("umb").then_some(Self::Umb));
        }
        let message = format!(
            "cannot tell what to write to {}: its name ends in .{}, not in .tra, .drn, .aut or .umb; give --to",
            out.display(),
            ending.display(),
        );
        Err(Error::Usage(message))
    }
}

/// Writes a model that was read with all of its data. Warns of data that the format cannot express,
/// and names the files that were written.
pub(crate) fn write(
    model: &Model,
    target: Target,
    out: &Path,
    progress: Progress,
) -> Result<(), Error> {
    let mut outputs = Outputs::default();
    let files = write_among(&mut outputs, model, target, out, progress)?;
    outputs.finish()?;
    tell_of_files(&files);
    Ok(())
}

/// Writes a model and its components to an archive, or to standard output.
pub(crate) fn write_umb(
    model: &Model,
    found: ComponentsToWrite<'_>,
    outputs: &mut Outputs,
    out: &Path,
) -> Result<(), Error> {
    umb::write(model, Some(found), outputs, out)
}

/// Writes a model to files that get their names together with others. Returns the files.
pub(crate) fn write_among(
    outputs: &mut Outputs,
    model: &Model,
    target: Target,
    out: &Path,
    progress: Progress,
) -> Result<Vec<PathBuf>, Error> {
    check::values(model, target, out)?;
    if target != Target::Umb {
        model.file.warn_of_losses();
    }
    match target {
        Target::Umb => umb::write(model, None, outputs, out)?,
        Target::Aut => aut::write(model, outputs, out, progress)?,
        Target::Drn => drn::write(model, outputs, out, progress)?,
        Target::Explicit(dialect) => {
            return explicit::write(model, dialect, outputs, out, progress);
        }
    }
    Ok(vec![out.to_owned()])
}
