//! The observer of a decomposition: it shows progress, times the phases, records the device, and
//! cancels the decomposition on Ctrl-C.

use crate::device::{JobObserver, name_or_cpu};
use crate::interrupt;
use decompose::{Observer, Phase, Work};
use report::Amount;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time that a driver may compile kernels before a message says so.
const SILENCE: Duration = Duration::from_millis(700);

/// Observes one decomposition, which may try several devices.
pub(crate) struct RunObserver {
    /// Whether a message says which device is used.
    announces: bool,
    /// Whether the device reports its work.
    wants_work: bool,
    /// The number of states that have their final answer.
    pub(crate) done: AtomicU64,
    state: Mutex<RunState>,
}

/// The data that the observer has received.
#[derive(Default)]
struct RunState {
    /// The device that was opened last, if it is not the CPU.
    device: Option<String>,
    /// The phases that ended, in order.
    phases: Vec<Span>,
    /// The current phase, its beginning, and the number of bytes moved in it.
    current: Option<(&'static str, Instant, u64)>,
    /// The work that the device reported.
    work: Option<Work>,
    /// The time at which a driver began to compile kernels.
    compiling: Option<Instant>,
    /// Whether a message has said so.
    compiling_is_announced: bool,
    /// The number of states that the device left to the host.
    host_states: u64,
}

/// A phase that took time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) name: &'static str,
    pub(crate) start: Instant,
    pub(crate) time: Duration,
    /// The amount of work, if it is known.
    pub(crate) amount: Option<Amount>,
}

impl RunObserver {
    /// Makes an observer. `announces`: a message says which device is used. `wants_work`: the
    /// device reports its work.
    pub(crate) fn new(announces: bool, wants_work: bool) -> Self {
        Self {
            announces,
            wants_work,
            done: AtomicU64::new(0),
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the device that was opened last, or the CPU.
    pub(crate) fn device_name(&self) -> String {
        name_or_cpu(self.state().device.clone())
    }

    /// Returns the number of states that the device left to the host.
    pub(crate) fn host_states(&self) -> u64 {
        self.state().host_states
    }

    /// Returns the work that the device reported, if it did, and forgets it.
    pub(crate) fn take_work(&self) -> Option<Work> {
        self.state().work.take()
    }

    /// Continues with a device that began later than the observed one, and was faster.
    pub(crate) fn overtaken_by(&self, other: &Self) {
        let (mut state, mut other) = (self.state(), other.state());
        state.begin(None);
        other.begin(None);
        if let (Some(last), Some(first)) = (state.phases.last_mut(), other.phases.first()) {
            last.time = first.start.saturating_duration_since(last.start);
        }
        state.phases.append(&mut other.phases);
        state.device = other.device.take();
        state.work = other.work.take();
        state.host_states = other.host_states;
    }

    /// Ends the last phase. Returns all phases in order.
    pub(crate) fn finish(&self) -> Vec<Span> {
        let mut state = self.state();
        state.begin(None);
        std::mem::take(&mut state.phases)
    }
}

impl RunState {
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

impl JobObserver for RunObserver {
    /// Keeps the phases of the device that failed.
    fn start_over(&self) {
        self.done.store(0, Ordering::Relaxed);
        let mut state = self.state();
        state.device = None;
        state.host_states = 0;
    }
}

impl Observer for RunObserver {
    fn phase(&self, phase: Phase) {
        self.state().begin(Some(match phase {
            Phase::Open => "open",
            Phase::Upload => "upload",
            Phase::LayOut => "lay out",
            Phase::Download => "download",
            Phase::Finish => "finish",
            Phase::Measure => "measure",
            // Phases without a separate row count as decomposition.
            _ => "decompose",
        }));
    }

    fn device(&self, name: &str) {
        match self.announces {
            true => tracing::info!("running on {name}"),
            false => tracing::debug!("running on {name}"),
        }
        self.state().device = Some(name.to_owned());
    }

    fn compiling(&self) {
        let mut state = self.state();
        let since = *state.compiling.get_or_insert_with(Instant::now);
        if !state.compiling_is_announced && since.elapsed() > SILENCE {
            state.compiling_is_announced = true;
            tracing::info!(
                "compiling GPU kernels; this takes some seconds unless the driver has kept them"
            );
        }
    }

    fn progress(&self, done: u64, _total: u64) {
        self.done.store(done, Ordering::Relaxed);
    }

    fn left_to_host(&self, states: u64) {
        self.state().host_states = states;
    }

    fn moves(&self, bytes: u64) {
        if let Some((_, _, moved)) = &mut self.state().current {
            *moved += bytes;
        }
    }

    fn wants_work(&self) -> bool {
        self.wants_work
    }

    fn work(&self, work: &Work) {
        self.state().work = Some(work.clone());
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_its_bytes_and_its_time() {
        let observer = RunObserver::new(false, false);
        observer.moves(1);
        observer.phase(Phase::Open);
        observer.phase(Phase::Upload);
        observer.moves(10);
        observer.moves(20);
        observer.phase(Phase::Decompose);
        std::thread::sleep(Duration::from_millis(2));
        let spans = observer.finish();
        let names: Vec<_> = spans.iter().map(|span| span.name).collect();
        assert_eq!(names, ["open", "upload", "decompose"]);
        let amounts: Vec<_> = spans.iter().map(|span| span.amount).collect();
        assert_eq!(amounts, [None, Some(Amount::Bytes(30)), None]);
        assert!(spans[2].time >= Duration::from_millis(2));
        assert!(spans[1].start + spans[1].time <= spans[2].start);
        assert!(observer.finish().is_empty());
    }
}
