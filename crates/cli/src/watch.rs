//! What the library tells of a decomposition while it runs: progress, the device, and the phases, which
//! are timed here. Hands Ctrl-C on to it.

use crate::interrupt;
use decompose::{Observer, Phase, Work};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
    /// The phase that runs, and when it began.
    current: Option<(&'static str, Instant)>,
    /// What the device did.
    work: Option<Work>,
}

/// Something that took time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) name: &'static str,
    pub(crate) start: Instant,
    pub(crate) time: Duration,
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

    /// What it did, if it told.
    pub(crate) fn work(&self) -> Option<Work> {
        self.heard().work.take()
    }

    /// Forgets a device that failed, if there is one, but not the time that it took.
    pub(crate) fn start_over(&self) {
        self.done.store(0, Ordering::Relaxed);
        self.heard().device = None;
    }

    /// Ends the last phase. Returns all of them, in order.
    pub(crate) fn finish(&self) -> Vec<Span> {
        let mut heard = self.heard();
        heard.begin(None);
        std::mem::take(&mut heard.phases)
    }
}

/// How long each phase took; one that ran more than once is counted together.
pub(crate) fn sums(spans: &[Span]) -> Vec<(&'static str, Duration)> {
    let mut sums: Vec<(&'static str, Duration)> = Vec::new();
    for span in spans {
        match sums.iter_mut().find(|(name, _)| *name == span.name) {
            Some((_, time)) => *time += span.time,
            None => sums.push((span.name, span.time)),
        }
    }
    sums
}

impl Heard {
    fn begin(&mut self, name: Option<&'static str>) {
        let now = Instant::now();
        let next = name.map(|name| (name, now));
        if let Some((name, start)) = std::mem::replace(&mut self.current, next) {
            let time = now - start;
            self.phases.push(Span { name, start, time });
        }
    }
}

impl Observer for Watch {
    fn phase(&self, phase: Phase) {
        self.heard().begin(Some(match phase {
            Phase::Open => "open",
            Phase::Upload => "upload",
            Phase::Download => "download",
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

    fn progress(&self, done: u64, _total: u64) {
        self.done.store(done, Ordering::Relaxed);
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
    fn a_phase_that_comes_again_is_counted_once() {
        let watch = Watch::new(false, false);
        for phase in [
            Phase::Open,
            Phase::Upload,
            Phase::Decompose,
            Phase::Open,
            Phase::Decompose,
            Phase::Download,
        ] {
            watch.phase(phase);
            std::thread::sleep(Duration::from_millis(2));
        }
        let spans = watch.finish();
        assert_eq!(spans.len(), 6);
        let phases = sums(&spans);
        let names: Vec<_> = phases.iter().map(|&(name, _)| name).collect();
        assert_eq!(names, ["open", "upload", "decompose", "download"]);
        let least = |name| {
            if name == "open" || name == "decompose" {
                4
            } else {
                2
            }
        };
        for (name, time) in phases {
            assert!(time >= Duration::from_millis(least(name)), "{name}");
        }
        assert!(watch.finish().is_empty());
    }
}
