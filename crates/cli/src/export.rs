//! A model as files that other tools read.

mod explicit;
mod umb;

pub(crate) use self::umb::{Found, write as write_umb};
pub(crate) use explicit::{beside, write_states};

use crate::args::To;
use crate::error::Error;
use crate::input::STANDARD_INPUT;
use crate::load::Model;
use crate::output;
use crate::progress::Progress;
use prism_explicit::Dialect;
use std::path::{Path, PathBuf};

/// A format that models are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Unified Markov Binary, one file.
    Umb,
    /// Explicit transitions in one of the dialects, with labels and values of variables beside them.
    Explicit(Dialect),
}

impl Target {
    /// The format that was asked for, or that the name of `out` shows.
    pub(crate) fn of(to: Option<To>, out: &Path) -> Option<Self> {
        let plain = match output::is_archive(out) {
            true => out.with_extension(""),
            false => out.to_owned(),
        };
        let is_umb = || {
            plain
                .extension()
                .is_some_and(|e| e.eq_ignore_ascii_case("umb"))
        };
        match to {
            Some(To::Umb) => Some(Self::Umb),
            Some(To::Prism) => Some(Self::Explicit(Dialect::Prism)),
            Some(To::Storm) => Some(Self::Explicit(Dialect::Storm)),
            None => is_umb().then_some(Self::Umb),
        }
    }
}

/// Writes a model, of which everything was wanted. Says what the format cannot hold, and which files there are now.
pub(crate) fn write(
    model: &Model,
    target: Target,
    out: &Path,
    progress: Progress,
) -> Result<(), Error> {
    match target {
        Target::Umb => {
            umb::write(model, None, Some(out))?;
            tell_of_files(&[out.to_owned()]);
        }
        Target::Explicit(dialect) => {
            warn_of_losses(model);
            tell_of_files(&explicit::write(model, dialect, out, progress)?);
        }
    }
    Ok(())
}

/// Says which files were written; some have names that nobody gave.
pub(crate) fn tell_of_files(files: &[PathBuf]) {
    let files = files
        .iter()
        .filter(|file| *file != Path::new(STANDARD_INPUT));
    let names: Vec<String> = files.map(|file| file.display().to_string()).collect();
    match names.as_slice() {
        [] => {}
        [name] => tracing::info!("wrote {name}"),
        [names @ .., last] => tracing::info!("wrote {} and {last}", names.join(", ")),
    }
}

fn warn_of_losses(model: &Model) {
    for lost in &model.lost {
        tracing::warn!("left out: {lost}");
    }
}

/// The states that a model begins in: by its labels, else by what it says itself, else the first, as in
/// PRISM.
fn initial_states(model: &Model) -> Vec<u32> {
    let label = model.labels.as_ref().and_then(|labels| labels.get("init"));
    let own = model.details.as_ref().map(|details| &details.initial[..]);
    match (label, own) {
        (Some(states), _) => states.to_vec(),
        (None, Some(states @ [_, ..])) => {
            let mut states = states.to_vec();
            states.sort_unstable();
            states.dedup();
            states
        }
        _ => {
            tracing::warn!("no initial state is named: state 0 is taken, as PRISM does");
            vec![0]
        }
    }
}
