//! Tips for command lines that are nearly right.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use std::ffi::OsString;
use std::path::Path;

/// Returns the error of a command line of the program, with a tip if it is known what was meant.
pub(super) fn with_tip(
    mut error: clap::Error,
    words: &[OsString],
    program: &Command,
) -> clap::Error {
    if let Some(tip) = of_file(&error).or_else(|| of_value(&error, words, program)) {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// A model stands in place of a command.
fn of_file(error: &clap::Error) -> Option<String> {
    let ContextValue::String(word) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let is_file = Path::new(word).is_file();
    is_file.then(|| format!("to decompose a model, write: maxend decompose {word}"))
}

/// The value of an option is written as an option, such as `--scc` for `--components scc`.
fn of_value(error: &clap::Error, words: &[OsString], program: &Command) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument || error.get(ContextKind::SuggestedArg).is_some()
    {
        return None;
    }
    let ContextValue::String(given) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let value = given.strip_prefix("--")?;
    let command = words
        .iter()
        .find_map(|word| program.find_subcommand(word))?;
    let takes_it = |arg: &&Arg| {
        let values = arg.get_possible_values();
        arg.get_long().is_some() && values.iter().any(|known| known.get_name() == value)
    };
    let option = command.get_arguments().find(takes_it)?.get_long()?;
    Some(format!("write: --{option} {value}"))
}
