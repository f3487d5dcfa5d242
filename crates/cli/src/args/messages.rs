//! The options for messages on standard error, which every command has.

use clap::{ArgAction, Args, ColorChoice, ValueEnum};
use std::ffi::OsString;

/// The messages on standard error.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub(crate) struct Messages {
    /// Print more messages (-v), still more (-vv), and those of libraries, too (-vvv)
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,
    /// Print only errors, and show no progress
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// The format of messages on standard error
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
    /// Whether messages and help have colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Plain text
    Text,
    /// One JSON object per line
    Json,
}

/// When there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless the environment has NO_COLOR or TERM=dumb
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Returns the colour option of a command line, before the command line is parsed, because help
    /// and usage errors have colours, too.
    pub(super) fn asked_in(words: &[OsString]) -> ColorChoice {
        let choice = values(words, "--color").filter_map(|value| match value {
            "always" => Some(ColorChoice::Always),
            "never" => Some(ColorChoice::Never),
            _ => None,
        });
        choice.last().unwrap_or(ColorChoice::Auto)
    }
}

impl LogFormat {
    /// Returns the options for messages of a command line that may have other errors.
    pub(crate) fn asked_in(words: &[OsString]) -> Self {
        match values(words, "--log-format").last() {
            Some("json") => Self::Json,
            _ => Self::Text,
        }
    }
}

/// Returns the values that a command line gives for an option.
fn values<'w>(words: &'w [OsString], option: &str) -> impl Iterator<Item = &'w str> {
    let mut words = words.iter().take_while(|word| *word != "--");
    std::iter::from_fn(move || {
        loop {
            let word = words
                .next()?
                .to_str()
                .and_then(|word| word.strip_prefix(option));
            match word.map(|rest| rest.strip_prefix('=').ok_or(rest)) {
                Some(Ok(value)) => return Some(value),
                Some(Err("")) => return words.next()?.to_str(),
                _ => {}
            }
        }
    })
}
