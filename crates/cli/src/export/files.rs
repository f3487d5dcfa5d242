//! Messages that name the files of a model: those that were written, and older ones beside them.

use crate::input;
use crate::load::reward_files;
use std::path::{Path, PathBuf};

/// The most files that a message names. A model may have thousands of reward structures, each with
/// a file.
const MAX_NAMED: usize = 10;

/// Names the files that were written, because the user did not choose all of their names.
pub(crate) fn tell_of_files(files: &[PathBuf]) {
    let files = files.iter().filter(|file| *file != Path::new("-"));
    let names: Vec<String> = files.map(|file| file.display().to_string()).collect();
    match names.as_slice() {
        [] => {}
        [name] => tracing::info!("wrote {name}"),
        names if names.len() > MAX_NAMED => tracing::info!(
            "wrote {} and {} more files",
            names[..MAX_NAMED].join(", "),
            names.len() - MAX_NAMED
        ),
        [names @ .., last] => tracing::info!("wrote {} and {last}", names.join(", ")),
    }
}

/// Names the files beside OUT that are read with it, but were not written now. They belong to
/// another model, which had data that this model does not have.
pub(crate) fn warn_of_older(out: &Path, written: &[PathBuf]) {
    let values = ["sta", "lab", "obs"].map(|ending| input::beside(out, ending));
    let mut older = values
        .into_iter()
        .chain(reward_files::files(out).into_iter().flatten())
        .flatten()
        .filter(|path| !written.contains(path));
    for path in older.by_ref().take(MAX_NAMED) {
        tracing::warn!(
            "{} was there before and is read with {}: remove it if it is another model's",
            path.display(),
            out.display()
        );
    }
    match older.count() {
        0 => {}
        1 => tracing::warn!("1 more file was there before"),
        others => tracing::warn!("{others} more files were there before"),
    }
}
