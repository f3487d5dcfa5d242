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
    let tip = of_file(&error)
        .or_else(|| of_dashed_file(&error, words))
        .or_else(|| of_value(&error, words, program));
    if let Some(tip) = tip {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    } else if is_part_of_word(&error, words) {
        // The tip of clap would be to pass one letter as a value.
        error.remove(ContextKind::Suggested);
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

/// The name of a file begins with a dash, and was read as options.
fn of_dashed_file(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let refused = match error.kind() {
        ErrorKind::UnknownArgument => error.get(ContextKind::InvalidArg)?,
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => {
            error.get(ContextKind::InvalidValue)?
        }
        _ => return None,
    };
    let ContextValue::String(refused) = refused else {
        return None;
    };
    let letters = refused.trim_start_matches('-');
    let mut words = words.iter().skip(1).take_while(|word| *word != "--");
    let file = words.find_map(|word| {
        let name = word.to_str().filter(|name| name.starts_with('-'))?;
        (name.contains(letters) && Path::new(name).is_file()).then(|| report::printable(name))
    })?;
    Some(format!(
        "to name a file that begins with a dash, write: ./{file}"
    ))
}

/// Returns whether an unknown option is one letter of a longer word, such as `-dash`.
fn is_part_of_word(error: &clap::Error, words: &[OsString]) -> bool {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return false;
    };
    let is_letter = error.kind() == ErrorKind::UnknownArgument && !given.starts_with("--");
    is_letter && !words.iter().any(|word| word == given.as_str())
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
