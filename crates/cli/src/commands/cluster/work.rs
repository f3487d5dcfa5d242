//! The work of each worker: takes its part of the model, decomposes it together with the others,
//! and writes its results.

use super::archive::{self, Destination, LabelledPart};
use super::model::{Prepared, ProgramText, Rest, Share, Shared};
use super::part_files::{PartFiles, To, line};
use super::setup::{ProcessSetup, WorkerGpus};
use crate::args::{DecomposeArgs, Format, Kind};
use crate::device::gpu_set::GpuSet;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::progress::Progress;
use crate::{interrupt, memory, output};
use ::cluster::{
    ComponentLabels, Hosts, Net, Numbering, Part, Statistics, agree, check, collect, mec, produce,
    scc,
};
use report::{Amount, PartsOf, Phase};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The data that the workers of a process share.
pub(super) struct Work {
    args: Arc<DecomposeArgs>,
    to: To,
    numbering: Numbering,
    hosts: Hosts,
    /// The number of workers of this process.
    workers: usize,
    /// The GPUs that the workers of this process use.
    gpus: Option<WorkerGpus>,
    /// The number of workers of this machine.
    beside: usize,
    progress: Progress,
    /// The data of each worker, which the worker takes.
    shares: Mutex<Vec<Share>>,
    read_time: Duration,
}

/// The result of a worker.
pub(super) struct Answer {
    pub(super) statistics: Statistics,
    /// The number of workers.
    pub(super) workers: usize,
    /// The number of bytes that all workers have sent to each other.
    pub(super) bytes_sent: u64,
    pub(super) supersteps: u64,
    /// The largest memory of a process, in bytes.
    pub(super) memory: Option<u64>,
    pub(super) phases: Vec<Phase<'static>>,
}

impl Work {
    pub(super) fn new(
        args: Arc<DecomposeArgs>,
        to: To,
        prepared: Prepared,
        setup: &ProcessSetup,
        progress: Progress,
    ) -> Self {
        Self {
            args,
            to,
            numbering: match setup.unordered {
                true => Numbering::ByLevels,
                false => Numbering::Sequential,
            },
            hosts: setup.hosts.clone(),
            workers: setup.workers,
            gpus: setup.gpus.clone(),
            beside: setup.beside(),
            progress,
            read_time: prepared.read_time(),
            shares: Mutex::new(prepared.shares(setup.workers)),
        }
    }

    /// Does the work of one worker.
    pub(super) fn run(&self, net: &mut Net<'_>) -> Result<Answer, ::cluster::Error> {
        if let Some(sharing) = self.progress.sharing().filter(|_| net.me() == 0) {
            net.observe(move |progress| sharing.show(progress));
        }
        self.take_gpu(net);
        let mut clock = Clock::start(self.read_time);
        let Shared {
            part,
            rest,
            deadlocks,
            is_explored,
            check_time,
        } = agree(net, self.share())?.part(&self.args, self.numbering, net)?;
        let branches = net.sum(part.graph().num_branches() as u64);
        let check_time = check_time.unwrap_or_default();
        clock.last += check_time;
        clock.end(
            "build",
            Some(match is_explored {
                true => Amount::Found(branches),
                false => Amount::Branches(branches),
            }),
        );
        let labels = match self.args.components {
            Kind::Mec => mec(&part, net)?,
            _ => scc(&part, net)?,
        };
        clock.end("decompose", Some(Amount::Branches(branches)));
        // The line of progress is removed before anything is written.
        net.observe(|_| ());
        let kind = self.args.components.into();
        if self.args.certify {
            let certificate = produce(&part, &labels, kind, net);
            clock.end("certify", None);
            check(&part, &labels, kind, &certificate, net)?;
            clock.last -= check_time;
            clock.end("check", None);
        }
        let mut statistics = Statistics::new(&part, &labels, kind, net);
        statistics.deadlocks = deadlocks.unwrap_or(statistics.deadlocks);
        let found = LabelledPart {
            part: &part,
            labels: &labels,
            kind,
        };
        if self.output(&found, &rest, net)? {
            clock.end("write", None);
        }
        let (sent, supersteps) = (net.bytes_sent(), net.supersteps());
        let memory = net.gather(memory::peak().unwrap_or(0)).into_iter().max();
        Ok(Answer {
            statistics,
            workers: net.workers(),
            bytes_sent: net.sum(sent),
            supersteps,
            memory: memory.filter(|&bytes| bytes > 0),
            phases: clock.phases,
        })
    }

    /// Makes a worker decompose on its GPU, if it has one.
    fn take_gpu(&self, net: &mut Net<'_>) {
        let Some(gpus) = &self.gpus else {
            return;
        };
        net.use_threads(GpuSet::threads(self.beside));
        let me = net.me();
        let mut gpu = gpus.set.worker(gpus.before + me % self.workers, me);
        net.decompose_on(move |graph, kind| gpu.decompose(graph, kind));
    }

    /// Takes the share of a worker.
    fn share(&self) -> Result<Share, ::cluster::Error> {
        let shares = self.shares.lock();
        let share = shares.unwrap_or_else(PoisonError::into_inner).pop();
        share.ok_or_else(|| ::cluster::Error::System("no share is left".into()))
    }

    /// Writes the output that does not need the final counts, if there is any.
    fn output(
        &self,
        found: &LabelledPart<'_>,
        rest: &Rest,
        net: &mut Net<'_>,
    ) -> Result<bool, ::cluster::Error> {
        match (self.args.format, &self.to) {
            (Format::Labels, To::PartFiles(index)) => {
                let part_files = PartFiles {
                    of: PartsOf::Labels,
                    index,
                    hosts: &self.hosts,
                };
                let mut labels = found.labels.iter();
                let lines = |out: &mut dyn io::Write| labels.try_for_each(|label| line(out, label));
                part_files.write(found.part, lines, net)?;
            }
            (Format::Labels, To::One) => self.write(found.part, found.labels, net)?,
            (Format::Umb, to) => {
                let destination = Destination {
                    to,
                    hosts: &self.hosts,
                    out: self.args.output.as_deref(),
                };
                archive::write(found, rest, destination, net)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Makes worker 0 write all labels.
    fn write(
        &self,
        part: &Part,
        labels: &ComponentLabels,
        net: &mut Net<'_>,
    ) -> Result<(), ::cluster::Error> {
        if net.me() != 0 {
            collect(part, labels, net, |_| Ok(()))?;
            return agree(net, Ok(()));
        }
        let mut collected = None;
        let written = output::write(self.args.output.as_deref(), |out| {
            let result = collect(part, labels, net, |label| line(out, label));
            let ended = result
                .as_ref()
                .map_err(|error| io::Error::other(error.to_string()));
            let ended = ended.map(drop);
            collected = Some(result);
            ended
        });
        let failure = |error: Error| ::cluster::Error::Write(error.message());
        match collected {
            Some(Ok(())) => agree(net, written.map_err(failure)),
            Some(Err(_)) => written.map_err(failure),
            // The file could not be created. The other workers are told.
            None => {
                let gone = |_| Err(io::ErrorKind::NotFound.into());
                collect(part, labels, net, gone)?;
                agree(net, written.map_err(failure))
            }
        }
    }
}

/// Times the phases of the work.
struct Clock {
    phases: Vec<Phase<'static>>,
    /// The end of the last phase.
    last: Instant,
}

impl Clock {
    /// Starts the clock after reading the model, which took this time.
    fn start(time: Duration) -> Self {
        Self {
            phases: vec![Phase {
                name: "read",
                time,
                amount: None,
            }],
            last: Instant::now(),
        }
    }

    fn end(&mut self, name: &'static str, amount: Option<Amount>) {
        let time = self.last.elapsed();
        self.phases.push(Phase { name, time, amount });
        self.last = Instant::now();
    }
}

/// Returns whether process 0 or another process also has this error.
pub(super) fn is_known_to_all(error: &::cluster::Error) -> bool {
    use ::cluster::Error::{Deadlock, Elsewhere, TooLarge, TooManyStates};
    matches!(
        error,
        Deadlock { .. } | TooLarge { .. } | TooManyStates { .. } | Elsewhere { .. }
    )
}

/// Returns the error that explains to the user why the workers stopped.
pub(super) fn failure(
    setup: &ProcessSetup,
    model: &str,
    program: Option<&ProgramText>,
    error: ::cluster::Error,
) -> Error {
    use ::cluster::Error::{
        Cancelled, Deadlock, Decompose, Elsewhere, System, TooManyStates, Violation, Write,
    };
    if interrupt::is_cancelled() {
        return Error::Cancelled;
    }
    match error {
        Cancelled => Error::Cancelled,
        TooManyStates { .. } => Diagnostic::of_file(model, error)
            .note("--max-states is the limit")
            .into(),
        System(error) => match (error.downcast::<prism_language::Error>(), program) {
            (Ok(error), Some(program)) => program.exploration_error(*error),
            (Ok(error), None) => Error::of_file(model, error),
            (Err(error), _) => Error::of_file(model, error),
        },
        Deadlock { .. } | Decompose(_) => Error::of_file(model, error),
        Write(message) => Diagnostic::new(message).note(setup.note()).into(),
        Violation(violation) => Error::rejected(violation),
        Elsewhere { worker } => {
            let process = worker / setup.workers;
            let host = setup.hosts.address(process);
            let message = format!("process {process} at {host} gave up, and says why");
            Error::Elsewhere { process, message }
        }
        _ => {
            let diagnostic = Diagnostic::new(error.to_string());
            Error::Device(Box::new(diagnostic.note(setup.note())))
        }
    }
}
