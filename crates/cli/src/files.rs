//! The files that a command may read and write, which are checked before its long computations.

use crate::args::{ModelArgs, name_of};
use crate::error::Error;
use crate::load::{Origin, Source, reward_files};
use crate::{in_use, input, output};
use clap::ValueEnum;
use std::ffi::OsStr;
use std::path::Path;

/// Records the files that a model is read from. Those that only the text of the model names, such
/// as the parts of an archive, follow when they are read.
pub(crate) fn read_model(
    args: &ModelArgs,
    states: Origin<'_>,
    labels: Origin<'_>,
) -> Result<(), Error> {
    in_use::reads("the model", &args.model)?;
    let has_files_beside = Source::of(&args.model, b"") == Source::Explicit;
    let annotations = [
        (states, "sta", "--states", "the values beside the model"),
        (labels, "lab", "--labels", "the labels beside the model"),
    ];
    for (origin, ending, option, beside) in annotations {
        if let Origin::File(path) = origin {
            in_use::reads(option, path)?;
        }
        // The file must not be replaced even if this command does not read it: other commands do.
        if let Some(path) = input::beside(&args.model, ending).filter(|_| has_files_beside) {
            in_use::reads(beside, &path)?;
        }
    }
    if !has_files_beside {
        return Ok(());
    }
    if let Some(path) = input::beside(&args.model, "obs") {
        in_use::reads("the observations beside the model", &path)?;
    }
    for path in reward_files::files(&args.model).iter().flatten().flatten() {
        in_use::reads("the rewards beside the model", path)?;
    }
    Ok(())
}

/// Records a file that is written, or standard output, and checks that it can be written.
///
/// # Errors
/// It is one of those that are recorded already, or it cannot be written.
pub(crate) fn write(role: &'static str, path: Option<&Path>) -> Result<(), Error> {
    in_use::writes(role, path.unwrap_or(Path::new("-")))?;
    output::check(path)
}

/// Records explicit transitions that are written, and the files that may be written beside them.
///
/// # Errors
/// Those of [`write()`].
pub(crate) fn write_with_annotations(role: &'static str, path: &Path) -> Result<(), Error> {
    write(role, Some(path))?;
    if output::is_stream(path) {
        return Ok(());
    }
    for (ending, role) in [
        ("sta", "values beside OUT"),
        ("lab", "labels beside OUT"),
        ("obs", "observations beside OUT"),
        ("srew", "rewards of states beside OUT"),
        ("trew", "rewards of transitions beside OUT"),
    ] {
        write(role, Some(&output::beside(path, ending)))?;
    }
    Ok(())
}

/// The formats of results that are known as endings of names, too.
const ENDINGS: [&str; 3] = ["dot", "json", "umb"];

/// Warns if the name of a file ends in the name of another format than the one in which the result
/// is written to it, as for `-o result.json` without `--format json`.
pub(crate) fn warn_of_ending<F: ValueEnum>(path: Option<&Path>, format: &F) {
    let Some(path) = path else { return };
    let plain = input::inflated_name(path);
    let Some(ending) = plain.extension().and_then(OsStr::to_str) else {
        return;
    };
    let (ending, format) = (ending.to_ascii_lowercase(), name_of(format));
    let is_known = F::value_variants()
        .iter()
        .any(|known| name_of(known) == ending);
    if ENDINGS.contains(&&*ending) && is_known && ending != format {
        let path = path.display();
        tracing::warn!("{path} gets the format {format}, not {ending} (see --format)");
    }
}
