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
mod target;
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
pub(crate) use target::Target;

use crate::error::Error;
use crate::model::Model;
use crate::output::Outputs;
use crate::progress::Progress;
use std::path::{Path, PathBuf};

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
