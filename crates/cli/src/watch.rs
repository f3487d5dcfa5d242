//! What the library tells of a decomposition while it runs: progress, the device, and the phases, which
//! are timed here. Hands Ctrl-C on to it.

use crate::interrupt;
use decompose::{Observer, Phase, Work};
use report::Amount;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a driver compiles kernels before that is said.
const SILENCE: Duration = Duration::from_millis(700);

/// Listens to a decomposition.
pub(crate) struct Watch {
    /// Whether to say which device was opened.
    announces: bool,
    /// Whether a device is to tell what it did.
    wants_work: bool,
    /// The states that have their final answer.
    pub(crate) done: AtomicU64,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    device: Option<String>,
    /// The phases that ended, in order.
    phases: Vec<Span>,
    /// The phase that runs, when it began, and how many bytes were moved in it.
    current: Option<(&'static str, Instant, u64)>,
    /// What the device did.
    work: Option<Work>,
    /// Since when a driver compiles kernels.
    compiling: Option<Instant>,
    /// Whether that was said.
    is_said: bool,
    /// How many states were left to the host.
    host_states: u64,
}

/// Something that took time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) name: &'static str,
    pub(crate) start: Instant,
    pub(crate) time: Duration,
    /// How much was done, if that is known.
    pub(crate) amount: Option<Amount>,
}

impl Watch {
    /// Somebody who left the choice of a device to the program wants to hear of it (`announces`).
    pub(crate) fn new(announces: bool, wants_work: bool) -> Self {
        Self {
            announces,
            wants_work,
            done: AtomicU64::new(0),
            heard: Mutex::default(),
        }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device that was opened last, if it is not the CPU.
    pub(crate) fn opened(&self) -> Option<String> {
        self.heard().device.clone()
    }

    /// How many states it left to the host.
    pub(crate) fn host_states(&self) -> u64 {
        self.heard().host_states
    }

    /// What it did, if it told.
    pub(crate) fn work(&self) -> Option<Work> {
        self.heard().work.take()
    }

    /// Forgets a device that failed, if there is one, but not the time that it took.
    pub(crate) fn start_over(&self) {
        self.done.store(0, Ordering::Relaxed);
        let mut heard = self.heard();
        heard.device = None;
        heard.host_states = 0;
    }

    /// Ends the last phase. Returns all of them, in order.
    pub(crate) fn finish(&self) -> Vec<Span> {
        let mut heard = self.heard();
        heard.begin(None);
        std::mem::take(&mut heard.phases)
    }
}

impl Heard {
    fn begin(&mut self, name: Option<&'static str>) {
        let now = Instant::now();
        let next = name.map(|name| (name, now, 0));
        if let Some((name, start, bytes)) = std::mem::replace(&mut self.current, next) {
            self.phases.push(Span {
                name,
                start,
                time: now - start,
                amount: (bytes > 0).then_some(Amount::Bytes(bytes)),
            });
        }
    }
}

impl Observer for Watch {
    fn phase(&self, phase: Phase) {
        self.heard().begin(Some(match phase {
            Phase::Open => "open",
            Phase::Upload => "upload",
            Phase::Download => "download",
            Phase::Finish => "finish",
            Phase::Measure => "measure",
            // A phase that is not told apart is part of the decomposition.
            _ => "decompose",
        }));
    }

    fn device(&self, name: &str) {
        match self.announces {
            true => tracing::info!("decomposing on {name}"),
            false => tracing::debug!("decomposing on {name}"),
        }
        self.heard().device = Some(name.to_owned());
    }

    fn compiling(&self) {
        let mut heard = self.heard();
        let since = *heard.compiling.get_or_insert_with(Instant::now);
        if !heard.is_said && since.elapsed() > SILENCE {
            heard.is_said = true;
            tracing::info!(
                "compiling GPU kernels, which takes some seconds the first time: the driver keeps them"
            );
        }
    }

    fn progress(&self, done: u64, _total: u64) {
        self.done.store(done, Ordering::Relaxed);
    }

    fn left_to_host(&self, states: u64) {
        self.heard().host_states = states;
    }

    fn moves(&self, bytes: u64) {
        if let Some((_, _, moved)) = &mut self.heard().current {
            *moved += bytes;
        }
    }

    fn wants_work(&self) -> bool {
        self.wants_work
    }

    fn work(&self, work: &Work) {
        self.heard().work = Some(work.clone());
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_told_apart_with_what_they_moved() {
        let watch = Watch::new(false, false);
        watch.moves(1);
        watch.phase(Phase::Open);
        watch.phase(Phase::Upload);
        watch.moves(10);
        watch.moves(20);
        watch.phase(Phase::Decompose);
        std::thread::sleep(Duration::from_millis(2));
        let spans = watch.finish();
        let names: Vec<_> = spans.iter().map(|span| span.name).collect();
        assert_eq!(names, ["open", "upload", "decompose"]);
        let amounts: Vec<_> = spans.iter().map(|span| span.amount).collect();
        assert_eq!(amounts, [None, Some(Amount::Bytes(30)), None]);
        assert!(spans[2].time >= Duration::from_millis(2));
        assert!(spans[1].start + spans[1].time <= spans[2].start);
        assert!(watch.finish().is_empty());
    }
}
