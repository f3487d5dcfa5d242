//! The work of each worker: takes its part of the model, decomposes it together with the others,
//! and writes its results.

use super::archive::{self, LabelledPart};
use super::model::{Prepared, ProgramText, Rest, Share, Shared};
use super::parts::{Parts, To, line};
use crate::args::{DecomposeArgs, Format, Kind};
use crate::device::gpu_set::GpuSet;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::progress::Progress;
use crate::{interrupt, memory, output};
use ::cluster::{
    ComponentLabels, Hosts, Net, Part, Rendezvous, Statistics, agree, check, collect, mec, produce,
    scc,
};
use report::{Amount, PartsOf, Phase};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What the workers of a process share.
pub(super) struct Work {
    args: Arc<DecomposeArgs>,
    to: To,
    unordered: bool,
    hosts: Hosts,
    /// The number of workers of this process.
    workers: usize,
    /// The GPUs of this machine that its workers use, and how many workers come before those of
    /// this process.
    gpus: Option<(GpuSet, usize)>,
    /// How many workers this machine has.
    beside: usize,
    progress: Progress,
    /// One for each worker, which takes it.
    shares: Mutex<Vec<Share>>,
    read_time: Duration,
}

/// What a worker knows in the end.
pub(super) struct Answer {
    pub(super) statistics: Statistics,
    /// The number of workers.
    pub(super) workers: usize,
    /// What all of them sent to each other, in bytes.
    pub(super) bytes_sent: u64,
    pub(super) supersteps: u64,
    /// The most memory that a process took, in bytes.
    pub(super) memory: Option<u64>,
    pub(super) phases: Vec<Phase<'static>>,
}

impl Work {
    pub(super) fn new(
        args: Arc<DecomposeArgs>,
        (to, unordered): (To, bool),
        prepared: Prepared,
        (rendezvous, workers): (&Rendezvous, usize),
        (gpus, progress): (Option<(GpuSet, usize)>, Progress),
    ) -> Self {
        let (before, rest) = rendezvous.hosts.beside(rendezvous.process);
        Self {
            beside: (before + rest) * workers,
            args,
            to,
            unordered,
            workers,
            gpus,
            progress,
            hosts: rendezvous.hosts.clone(),
            read_time: prepared.read_time(),
            shares: Mutex::new(prepared.shares(workers)),
        }
    }

    /// The work of one worker.
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
        } = agree(net, self.share())?.part(&self.args, self.unordered, net)?;
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
        // The line of progress ends before anything is written.
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

    /// Has a worker decompose on its GPU, if it has one.
    fn take_gpu(&self, net: &mut Net<'_>) {
        let Some((gpus, before)) = &self.gpus else {
            return;
        };
        net.use_threads(GpuSet::threads(self.beside));
        let me = net.me();
        let mut gpu = gpus.worker(before + me % self.workers, me);
        net.decompose_on(move |graph, kind| gpu.decompose(graph, kind));
    }

    /// Takes the share of a worker.
    fn share(&self) -> Result<Share, ::cluster::Error> {
        let shares = self.shares.lock();
        let share = shares.unwrap_or_else(PoisonError::into_inner).pop();
        share.ok_or_else(|| ::cluster::Error::System("no share is left".into()))
    }

    /// Writes what is written before all is counted, if anything is.
    fn output(
        &self,
        found: &LabelledPart<'_>,
        rest: &Rest,
        net: &mut Net<'_>,
    ) -> Result<bool, ::cluster::Error> {
        match (self.args.format, &self.to) {
            (Format::Labels, To::Parts(index)) => {
                let parts = Parts {
                    of: PartsOf::Labels,
                    index,
                    hosts: &self.hosts,
                };
                let mut labels = found.labels.iter();
                let lines = |out: &mut dyn io::Write| labels.try_for_each(|label| line(out, label));
                parts.write(found.part, lines, net)?;
            }
            (Format::Labels, To::One) => self.write(found.part, found.labels, net)?,
            (Format::Umb, to) => {
                let out = self.args.output.as_deref();
                archive::write(found, rest, (to, &self.hosts, out), net)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Has worker 0 write all labels.
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
            // There was no file to write to, which the others are told.
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
    /// When the last one ended.
    last: Instant,
}

impl Clock {
    /// After the model was read, which took so long.
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

/// Whether an error is one that process 0 has too, or that another process has.
pub(super) fn is_known_to_all(error: &::cluster::Error) -> bool {
    use ::cluster::Error::{Deadlock, Elsewhere, TooLarge, TooManyStates};
    matches!(
        error,
        Deadlock { .. } | TooLarge { .. } | TooManyStates { .. } | Elsewhere { .. }
    )
}

/// Why the workers gave up, as the user is told.
pub(super) fn failure(
    (rendezvous, workers): (&Rendezvous, usize),
    (model, program): (&str, Option<&ProgramText>),
    error: ::cluster::Error,
) -> Error {
    use ::cluster::Error::{
        Cancelled, Deadlock, Decompose, Elsewhere, System, TooManyStates, Violation,
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
            (Ok(error), Some(program)) => program.refused(*error),
            (Ok(error), None) => Error::of_file(model, error),
            (Err(error), _) => Error::of_file(model, error),
        },
        Deadlock { .. } | Decompose(_) => Error::of_file(model, error),
        Violation(violation) => Error::rejected(violation),
        Elsewhere { worker } => {
            let process = worker / workers;
            let host = rendezvous.hosts.address(process);
            let message = format!("process {process} at {host} gave up, and says why");
            Error::Elsewhere { process, message }
        }
        _ => {
            let (process, host) = (
                rendezvous.process,
                rendezvous.hosts.address(rendezvous.process),
            );
            let diagnostic = Diagnostic::new(error.to_string());
            let here = format!("this is process {process} at {host}");
            Error::Device(Box::new(diagnostic.note(here)))
        }
    }
}
