//! The command line of maxend as a library. `maxend` and `cargo xtask decompose` call [`run`].
//!
//! ```text
//! args.rs          the commands; args/ has the options of each
//! commands.rs      runs a command; commands/ has a module for each
//! analyses.rs      what both commands and other programs compute, except components
//!
//! load.rs          reads a model; load/ has a module for each format
//! model.rs         a model, and what it has besides its graph
//! export.rs        writes a model to files of other formats
//! input.rs         the bytes of a file or a pipe, decompressed if necessary
//! output.rs        writes to standard output, or to a file that appears when it is complete
//! files.rs         the files of a command, which are checked before it computes anything
//! in_use.rs        records them, so that none is both read and written
//! paths.rs         what paths of the command line stand for
//!
//! device.rs        which device a search runs on, and what to try if it fails; device/ opens GPUs,
//!                  says whether one is expected to be faster, and runs one beside the CPU
//! certificate.rs   checks whether an answer is right
//! threads.rs       the number of threads
//! memory.rs        the memory that is available
//!
//! error.rs         why a command ended, and its exit code; error/ writes the message
//! logging.rs       messages on standard error
//! progress.rs      the line of progress on a terminal
//! interrupt.rs     Ctrl-C; signals.rs has the signals that mean the same
//!
//! library.rs       what other programs call
//! ```
//!
//! Results go to standard output, everything else to standard error. A result is printed only after
//! all of the input has been read and checked.

#![deny(unsafe_code)]

mod analyses;
mod args;
mod certificate;
mod commands;
mod device;
mod error;
mod export;
mod files;
mod in_use;
mod input;
mod interrupt;
pub mod library;
mod load;
mod logging;
mod memory;
mod model;
mod naming;
mod output;
mod paths;
mod progress;
mod signals;
mod threads;

use args::{Cli, LogFormat};
use logging::Log;
use progress::Progress;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Runs a command line, whose first word is the program's name.
///
/// The exit code is 0 on success, also if the reader of the output closes it early; 1 if the input,
/// the model or a file is wrong; 2 for wrong usage; 3 if the requested GPU is missing, failed or
/// cannot hold the model, if `--certify` found the answer wrong, or if another process of a cluster
/// failed or was lost; 4 if `maxend explore` found what it looked for; 130 after Ctrl-C, SIGTERM or
/// SIGHUP.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    gpu::quiet_drivers();
    let words: Vec<OsString> = words.into_iter().collect();
    let cli = match Cli::read(&words) {
        Ok(cli) => cli,
        // `--help` and `--version` end here too, with exit code 0.
        Err(error) => return ExitCode::from(print_usage(&error, LogFormat::asked_in(&words))),
    };
    let log = Log::start(&cli.messages);
    interrupt::install();
    let progress = Progress::new(!cli.messages.quiet);
    let result = threads::run(cli.threads(), || commands::run(&cli.command, progress));
    let code = result.err().map_or(0, |error| {
        log.error(&error);
        error.exit_code()
    });
    if interrupt::has_left_behind() {
        // Nothing is lost: results are flushed when they are written.
        gpu::exit(code);
    }
    ExitCode::from(code)
}

/// Prints the message of the command-line parser: help, or an error. Returns the exit code.
fn print_usage(said: &clap::Error, format: LogFormat) -> u8 {
    let code = u8::try_from(said.exit_code()).unwrap_or(2);
    if code != 0 && format == LogFormat::Json {
        logging::usage_as_json(said);
        return code;
    }
    let printed = said.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(error) if code == 0 => {
            let error = output::failure(Path::new("-"), &error);
            if !matches!(error, error::Error::ClosedPipe) {
                // If standard error is closed, nobody can read the message.
                let _ = writeln!(io::stderr(), "{error}");
            }
            error.exit_code()
        }
        _ => code,
    }
}

/// Builds a model in PRISM's language, with values for its undefined constants, and writes it as
/// `maxend build` does: to Y.umb, or to Y.tra, Y.sta and Y.lab, compressed if the name ends in .gz.
/// Deadlocks get self-loops. This is for programs that need models, such as this project's own
/// tasks.
///
/// # Errors
/// The message of `maxend build`, as text.
pub fn build(model: &Path, constants: &[(&str, &str)], out: &Path) -> Result<(), String> {
    let args = args::BuildArgs::new(model, constants, out);
    let built = in_use::by_command(|| commands::build::run(&args, Progress::new(false)));
    built.map_err(|error| error.to_string())
}

/// Compiles and runs the examples of the page *Use as a library*. This is the only crate that
/// depends on everything that they use.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryPage;
