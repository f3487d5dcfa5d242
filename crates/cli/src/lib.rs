//! The command line of maxend as a library. `maxend` and `cargo xtask decompose` call [`run`].
//!
//! ```text
//! args.rs          the options of every command
//! decompose.rs     ┐
//! components.rs    │
//! cycle_mean.rs    │
//! long_run.rs      │
//! bfs.rs           │
//! build.rs         │
//! explore.rs       │
//! convert.rs       │
//! quotient.rs      │
//! cluster.rs       │
//! info.rs          ├ the commands
//! devices.rs       │
//! completions.rs   │
//! man.rs           ┘
//! prewarm.rs       opens a GPU while the model is being read
//! size_hint.rs     how large a model is, known before all of it is read
//! auto_device.rs   whether a GPU is expected to be faster
//! device.rs        which device a decomposition runs on, and what to try if it fails
//! rival.rs         a GPU that does the same work beside the CPU
//! gpu_set.rs       several GPUs of this machine
//! observer.rs      the progress and the phases of a decomposition
//! timeline.rs      the phases of a command and their times
//! certificate.rs   checks whether an answer is right
//! threads.rs       the number of threads
//! files.rs         checks that no command writes a file that it reads
//! memory.rs        the memory that is available
//! input.rs         the bytes of a file or a pipe, inflated if they are compressed
//! archive_parts.rs the bytes of an archive that is divided into parts
//! library.rs       what other programs call
//! load.rs          reads a model, whatever its format
//! export.rs        writes a model to files of other formats
//! annotations.rs   the values of variables, and labels
//! rewards.rs       what states, choices and branches earn
//! observations.rs  the observations of partially observable models
//! players.rs       the players of stochastic games
//! intervals.rs     the graphs of interval models
//! statistics.rs    the initial states, and whether to count what can be reached from them
//! output.rs        writes to standard output, or to a file that appears when it is complete
//! error.rs         why a command ended, and its exit code
//! diagnostic.rs    an error message: what is wrong, where, and what may help
//! render.rs        prints diagnostics in the style of rustc
//! logging.rs       messages on standard error
//! progress.rs      the line of progress on a terminal
//! interrupt.rs     Ctrl-C
//! ```
//!
//! Results go to standard output, everything else to standard error. A result is printed only after
//! all of the input has been read and checked.

#![deny(unsafe_code)]

mod annotations;
mod archive_parts;
mod args;
mod auto_device;
mod bfs;
mod build;
mod certificate;
mod cluster;
mod completions;
mod components;
mod convert;
mod cycle_mean;
mod decompose;
mod device;
mod devices;
mod diagnostic;
mod error;
mod explore;
mod export;
mod files;
mod gpu_set;
mod info;
mod input;
mod interrupt;
mod intervals;
pub mod library;
mod load;
mod logging;
mod long_run;
mod man;
mod memory;
mod observations;
mod observer;
mod output;
mod players;
mod prewarm;
mod progress;
mod quotient;
mod render;
mod rewards;
mod rival;
mod size_hint;
mod statistics;
mod threads;
mod timeline;

use args::{Cli, Command, LogFormat};
use logging::Log;
use progress::Progress;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Runs a command line, whose first word is the program's name.
///
/// The exit code is 0 when all went well, or when nobody reads the output any more; 1 when the
/// input, the model or a file is wrong; 2 for wrong usage; 3 when the GPU asked for is missing,
/// failed or cannot hold the model, when a certificate was rejected, or when another process of a
/// cluster failed or was lost; 4 when what `maxend explore` looked for is there; 130 after
/// Ctrl-C, SIGTERM or SIGHUP.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    gpu::quiet_drivers();
    let words: Vec<OsString> = words.into_iter().collect();
    let cli = match Cli::read(&words) {
        Ok(cli) => cli,
        // --help and --version end here too, with exit code 0.
        Err(error) => return ExitCode::from(print_usage(&error, LogFormat::asked_in(&words))),
    };
    let log = Log::start(&cli.messages);
    interrupt::install();
    let progress = Progress::new(!cli.messages.quiet);
    let result = threads::run(cli.threads(), || match &cli.command {
        Command::Decompose(args) => decompose::run(args, progress),
        Command::Components(args) => components::run(args, progress),
        Command::CycleMean(args) => cycle_mean::run(args, progress),
        Command::LongRun(args) => long_run::run(args, progress),
        Command::Bfs(args) => bfs::run(args, progress),
        Command::Build(args) => build::run(args, progress),
        Command::Explore(args) => explore::run(args, progress),
        Command::Convert(args) => convert::run(args, progress),
        Command::Quotient(args) => quotient::run(args, progress),
        Command::Cluster(args) => cluster::run(args, progress),
        Command::Info(args) => info::run(args, progress),
        Command::Devices(args) => devices::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    });
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

/// Prints what the reader of the command line says: help, or what is wrong. Returns the exit code.
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
                // Whether that can be read is nobody's business any more.
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
/// What `maxend build` would print, as text.
pub fn build(model: &Path, constants: &[(&str, &str)], out: &Path) -> Result<(), String> {
    let args = args::BuildArgs::new(model, constants, out);
    let built = build::run(&args, Progress::new(false));
    built.map_err(|error| error.to_string())
}

/// Compiles and runs the examples of the page *Use as a library*; this is the one crate that
/// depends on all that they use.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryPage;
