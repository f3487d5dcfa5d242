//! `maxend cluster`: decomposes a model on several processes, each of which holds a part of it.

mod archive;
mod facts;
mod local;
mod model;
mod part_files;
mod setup;
mod work;

use crate::args::{
    Cli, ClusterArgs, Command, DecomposeArgs, DecomposeSearch, Format, IntervalEdges, Kind,
    message_option, name_of,
};
use crate::device::gpu_set::GpuSet;
use crate::device::{Plan, name_or_cpu};
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::files;
use crate::load::{self, Origin};
use crate::model::constants;
use crate::progress::Progress;
use crate::{in_use, interrupt, output};
use ::cluster::{Hosts, WorkerFailure};
use clap::Args as _;
use clap::error::{ContextKind, ContextValue};
use model::{Prepared, WorkerLayout};
use part_files::To;
use prism_language::Value;
use report::{Cluster, DeadlockStates, Heading, Phase, Run};
use setup::{ProcessSetup, WorkerGpus};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;
use work::{Answer, Work};

/// The largest number of workers of a process. Each is a thread, and has a channel to each other
/// worker.
const MAX_WORKERS: usize = 1024;

/// The largest number of processes that are started on one machine. Each has a connection to each
/// other one.
const MAX_LOCAL_PROCESSES: usize = 256;

/// The minimum length of a token, in bytes.
const SHORTEST_TOKEN: usize = 16;

/// The exit code of a process whose error another process reports. Process 0 ignores this code.
const WRONG: u8 = 1;

pub(crate) fn run(args: &ClusterArgs, progress: Progress) -> Result<(), Error> {
    if (args.local_processes).is_some_and(|count| count.get() > MAX_LOCAL_PROCESSES) {
        let message = format!("--local-processes: the limit is {MAX_LOCAL_PROCESSES} processes");
        return Err(Error::Usage(message));
    }
    let inner = inner(&args.command)?;
    check_usage(&inner)?;
    let to = To::of(args, &inner)?;
    let gpus = GpuSet::of_workers(&inner, &Plan::new(&inner)?)?;
    files::read_model(&inner.model, Origin::Nowhere, Origin::Nowhere)?;
    for (option, path) in [("--hosts", &args.hosts), ("--token-file", &args.token_file)] {
        if let Some(path) = path {
            in_use::reads(option, path)?;
        }
    }
    let role = inner.output.as_ref().map_or("the result", |_| "--output");
    files::write(role, inner.output.as_deref())?;
    match (&args.hosts, args.process, args.local_processes) {
        (Some(hosts), Some(process), _) => {
            let setup = setup_of(args, &inner, read_hosts(hosts, process)?, process, gpus)?;
            // Errors in the model are reported before the other processes are contacted.
            let prepared = Prepared::read(&inner, setup.layout(), progress)?;
            to.check(setup.layout())?;
            one_of(setup, inner, to, prepared, progress)
        }
        (_, _, count) => {
            let processes = count.map_or(1, NonZeroUsize::get);
            let workers = workers(&inner, processes, gpus.as_ref());
            let layout = WorkerLayout {
                process: 0,
                processes,
                workers,
            };
            let prepared = Prepared::read(&inner, layout, progress)?;
            to.check(layout)?;
            let started = local::Processes::start(processes, workers, args)?;
            let setup = ProcessSetup {
                hosts: started.hosts().clone(),
                process: 0,
                token: started.token().to_vec(),
                workers,
                gpus: gpus.map(|set| WorkerGpus { set, before: 0 }),
                wait: Duration::from_secs(args.wait.into()),
                unordered: args.unordered,
                ended: Arc::clone(started.ended()),
                is_started: false,
            };
            let result = one_of(setup, inner, to, prepared, progress);
            started.finish(result)
        }
    }
}

/// Returns the setup of a process that the user has started, one of those in a host file.
fn setup_of(
    args: &ClusterArgs,
    inner: &DecomposeArgs,
    hosts: Hosts,
    process: usize,
    gpus: Option<GpuSet>,
) -> Result<ProcessSetup, Error> {
    let token = token(args.token_file.as_deref(), &hosts)?;
    let (before, beside) = hosts.beside(process);
    let workers = match gpus {
        Some(_) => workers(inner, before + beside, gpus.as_ref()),
        None => workers(inner, 1, None),
    };
    Ok(ProcessSetup {
        process,
        token,
        workers,
        gpus: gpus.map(|set| WorkerGpus {
            set,
            before: before * workers,
        }),
        wait: Duration::from_secs(args.wait.into()),
        unordered: args.unordered,
        ended: Arc::default(),
        hosts,
        is_started: args.is_started,
    })
}

/// Returns the command that all processes carry out.
fn inner(words: &[OsString]) -> Result<DecomposeArgs, Error> {
    let words = [&[OsString::from("maxend")], words].concat();
    match Cli::read(&words) {
        Ok(Cli {
            command: Command::Decompose(args),
            ..
        }) => match message_option(&words) {
            Some(option) => Err(misplaced(&option)),
            None => Ok(args),
        },
        Ok(_) => {
            let message = "maxend cluster runs only one command: decompose MODEL";
            Err(Error::Usage(message.to_owned()))
        }
        Err(error) => {
            if let Some(option) = own_option(&error) {
                return Err(misplaced(&option));
            }
            let text = error.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            let text = text
                .split("\n\nFor more information")
                .next()
                .unwrap_or(text);
            Err(Error::Usage(format!("after `--`: {}", text.trim_end())))
        }
    }
}

/// Returns the error for an option of `maxend cluster` that stands after `--`.
fn misplaced(option: &str) -> Error {
    Error::Usage(format!(
        "{option} belongs before `--`: maxend cluster {option} ... -- decompose MODEL"
    ))
}

/// Returns the option of `maxend cluster` that stands after `--` by mistake, if the error is about
/// one.
fn own_option(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let command = ClusterArgs::augment_args(clap::Command::new("cluster"));
    let mut options = command.get_arguments().filter_map(clap::Arg::get_long);
    let name = unknown.strip_prefix("--")?;
    options
        .any(|option| option == name)
        .then(|| unknown.clone())
}

/// Rejects options that `maxend cluster` does not support.
fn check_usage(args: &DecomposeArgs) -> Result<(), Error> {
    let refused = [
        ("--components bscc", args.components == Kind::Bscc),
        ("--coalition", !args.coalition.is_empty()),
        (
            "--interval-edges certain",
            args.interval_edges == IntervalEdges::Certain,
        ),
        ("--search tarjan", args.search == DecomposeSearch::Tarjan),
        ("--choices", args.choices),
        ("--valuations", args.valuations),
        ("--statistics", args.statistics),
        ("--profile", args.profile),
        ("--trace", args.trace.is_some()),
        ("--states", args.states.is_some()),
        ("--labels", args.labels.is_some()),
        ("--max-memory", args.model.builder.max_memory.is_some()),
        ("-", args.model.model == Path::new("-")),
    ];
    let formats = [Format::Summary, Format::Json, Format::Labels, Format::Umb];
    let message = match refused.iter().find(|(_, given)| *given) {
        Some(("-", _)) => "maxend cluster reads a file, which each process opens".to_owned(),
        Some((option, _)) => format!("maxend cluster does not support {option}"),
        None if !formats.contains(&args.format) => {
            let format = name_of(&args.format);
            format!("maxend cluster writes --format summary, json, labels or umb, not {format}")
        }
        None if args
            .model
            .threads
            .is_some_and(|threads| threads.get() > MAX_WORKERS) =>
        {
            format!("--threads: a process of maxend cluster has at most {MAX_WORKERS} workers")
        }
        None => {
            let is_umb = args.format == Format::Umb && args.output.is_none();
            return output::check_binary(is_umb.then_some("--format umb"));
        }
    };
    Err(Error::Usage(message))
}

/// Returns the number of workers of a process, if `processes` processes share this machine: one for
/// each GPU, or else one for each core.
fn workers(args: &DecomposeArgs, processes: usize, gpus: Option<&GpuSet>) -> usize {
    let cores = || available_parallelism().map_or(1, NonZeroUsize::get);
    let usual = match gpus {
        Some(gpus) => gpus.len().div_ceil(processes),
        None => (cores() / processes).max(1),
    };
    args.model.threads.map_or(usual, NonZeroUsize::get)
}

fn read_hosts(path: &Path, process: usize) -> Result<Hosts, Error> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| Error::file("read", path, &error))?;
    let hosts =
        Hosts::parse(&text).map_err(|error| Error::of_file(&path.display().to_string(), error))?;
    match process < hosts.len() {
        true => Ok(hosts),
        false => Err(Error::wrong(format!(
            "{} names {}: there is no process {process}",
            path.display(),
            report::counted(hosts.len() as u64, "process, 0", "processes, from 0 on"),
        ))),
    }
}

/// Reads the token from a file. Processes on one machine need none.
fn token(path: Option<&Path>, hosts: &Hosts) -> Result<Vec<u8>, Error> {
    let Some(path) = path else {
        return match hosts.are_local() {
            true => Ok(Vec::new()),
            false => Err(Error::Usage(
                "the host file names other machines: give --token-file FILE, with the same \
                 secret on all of them"
                    .to_owned(),
            )),
        };
    };
    let token = std::fs::read(path).map_err(|error| Error::file("read", path, &error))?;
    let token = token.trim_ascii().to_vec();
    match token.len() < SHORTEST_TOKEN {
        true => Err(Error::wrong(format!(
            "{} has {} bytes: a token has at least {SHORTEST_TOKEN}",
            path.display(),
            token.len()
        ))),
        false => Ok(token),
    }
}

/// Works as one of the processes. Process 0 writes the result.
fn one_of(
    setup: ProcessSetup,
    args: DecomposeArgs,
    to: To,
    prepared: Prepared,
    progress: Progress,
) -> Result<(), Error> {
    let rendezvous = setup.rendezvous(facts::of(&setup, &args, &to, &prepared));
    let names = Names::of(&args, &prepared);
    let program = prepared.program();
    let args = Arc::new(args);
    let work = Work::new(Arc::clone(&args), to, prepared, &setup, progress);
    let own = ::cluster::on_processes(&rendezvous, setup.workers, move |net| work.run(net));
    let own = own.map_err(|failure| lost(&setup, &failure))?;
    let explained = |error| match setup.is_started && work::is_known_to_all(&error) {
        true => Error::SaidElsewhere(WRONG),
        false => work::failure(&setup, &names.model, program.as_deref(), error),
    };
    let found = first_of(own).map_err(explained)?;
    let Some(answer) = found.filter(|_| setup.process == 0) else {
        return Ok(());
    };
    load::warn_of_deadlocks(answer.statistics.deadlocks, args.deadlocks.into());
    match args.format {
        Format::Summary | Format::Json => {
            let device = name_or_cpu(setup.gpus.map(|gpus| gpus.set.name()));
            print(&args, &names, &answer, setup.hosts.len(), &device)
        }
        _ => Ok(()),
    }
}

/// Returns the first answer of this process's workers, or an error if one of them failed. The error
/// of a worker that found the cause is preferred to that of a worker that heard of it.
fn first_of(
    own: Vec<Result<Answer, ::cluster::Error>>,
) -> Result<Option<Answer>, ::cluster::Error> {
    let is_hearsay = |error: &::cluster::Error| matches!(error, ::cluster::Error::Elsewhere { .. });
    let (mut found, mut failed) = (None, None);
    for result in own {
        match result {
            Ok(answer) => found = found.or(Some(answer)),
            Err(error) if failed.as_ref().is_none_or(is_hearsay) => failed = Some(error),
            Err(_) => {}
        }
    }
    failed.map_or(Ok(found), Err)
}

/// The names in the report.
struct Names {
    model: String,
    model_type: String,
    constants: Vec<(String, Value)>,
    deadlock_policy: String,
}

impl Names {
    fn of(args: &DecomposeArgs, prepared: &Prepared) -> Self {
        Self {
            model: args.model.model.display().to_string(),
            model_type: prepared.model_type().name().to_owned(),
            constants: prepared.constants().to_vec(),
            deadlock_policy: name_of(&args.deadlocks),
        }
    }
}

/// Returns the error for a process that is lost or could not be reached. Removes unfinished files.
fn lost(setup: &ProcessSetup, failure: &WorkerFailure) -> Error {
    interrupt::remove_unfinished();
    if interrupt::is_cancelled() {
        return Error::Cancelled;
    }
    if matches!(failure, WorkerFailure::Process { .. }) {
        // The other processes must notice the lost process before they notice the end of this one.
        std::thread::sleep(Duration::from_millis(500));
    }
    let diagnostic = Diagnostic::new(failure.to_string());
    Error::Device(Box::new(diagnostic.note(setup.note())))
}

/// Prints the result.
fn print(
    args: &DecomposeArgs,
    names: &Names,
    answer: &Answer,
    processes: usize,
    device: &str,
) -> Result<(), Error> {
    let statistics = &answer.statistics;
    let sizes = (0..)
        .zip(&statistics.sizes)
        .filter(|(_, (components, _))| *components > 0);
    let cluster = Cluster {
        states: statistics.states,
        choices: statistics.choices,
        branches: statistics.branches,
        deadlocks: DeadlockStates {
            count: statistics.deadlocks,
            policy: &names.deadlock_policy,
        },
        kind: args.components.into(),
        components: statistics.components,
        trivial: statistics.trivial,
        smallest: statistics.smallest,
        largest: statistics.largest,
        members: statistics.members,
        sizes: sizes
            .map(|(power, &(components, states))| (1 << power, components, states))
            .collect(),
        processes: processes as u64,
        workers: answer.workers as u64,
        crossing: statistics.crossing,
        bytes_sent: answer.bytes_sent,
        supersteps: answer.supersteps,
        memory: answer.memory,
    };
    let phases: Vec<Phase<'_>> = answer.phases.clone();
    let run = Run {
        heading: Heading {
            version: env!("CARGO_PKG_VERSION"),
            model: &names.model,
            model_type: &names.model_type,
            constants: &constants::as_report(&names.constants),
        },
        device,
        search: "cluster",
        certified: args.certify,
        phases: &phases,
    };
    output::write(args.output.as_deref(), |out| match args.format {
        Format::Json => report::write_cluster_json(out, &cluster, &run),
        _ => report::write_cluster_summary(out, &cluster, &run),
    })
}
