//! `--device auto` for explorations. The number of states, and therefore the faster device, is not
//! known beforehand. So the CPU begins. If it does not finish soon, a GPU explores the same states
//! at the same time, and the CPU stops when the GPU has found more states. The device that finishes
//! first stops the other one.

use crate::interrupt;
use explore::{Observer, Options, Progress};
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The CPU is alone for so long. To open a GPU takes four times as long.
const ALONE: Duration = Duration::from_millis(50);

/// How often the user is heard while the GPU goes on alone.
const INTERVAL: Duration = Duration::from_millis(20);

/// Who was first.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Winner<C, G> {
    Cpu(C),
    Gpu(G),
}

/// Explores by `cpu` and, if that takes long, by `gpu` on a thread of its own too, which is called
/// with its observer. The GPU is ahead if it has found `lead` times as many states. If it fails,
/// the CPU does it.
///
/// # Errors
/// Those of `cpu`.
pub(super) fn race<C, G, E, F>(
    options: &Options<'_>,
    lead: u64,
    gpu: impl FnOnce(&dyn Observer) -> Result<G, E> + Send + 'static,
    cpu: impl Fn(&Options<'_>) -> Result<C, F>,
) -> Result<Winner<C, G>, F>
where
    G: Send + 'static,
    E: Display,
{
    let begin = |shared: Arc<Shared>, sender: Sender<Result<G, String>>| {
        let work = move || {
            let outcome = gpu(&RivalObserver(&shared));
            match &outcome {
                Ok(_) => shared.is_done.store(true, Relaxed),
                // It is not ahead any more.
                Err(error) => {
                    tracing::debug!("exploring on a GPU: {error}");
                    shared.states.store(0, Relaxed);
                }
            }
            shared.is_over.store(true, Relaxed);
            // This fails if the CPU was first.
            let _ = sender.send(outcome.map_err(|error| error.to_string()));
        };
        // If there is no thread, the CPU is alone.
        let _ = thread::Builder::new().spawn(work);
    };
    let race = Race {
        own: options.observer,
        began: Instant::now(),
        lead,
        reached: AtomicU64::new(0),
        shared: Arc::default(),
        has_begun: AtomicBool::new(false),
        was_overtaken: AtomicBool::new(false),
        begin: Mutex::new(Some(begin)),
        outcome: Mutex::new(None),
    };
    let watched = Options {
        observer: &race,
        ..*options
    };
    let found = cpu(&watched);
    let was_overtaken = race.was_overtaken.load(Relaxed) && !race.own.is_cancelled();
    match (found, race.outcome()) {
        (Err(_), Some(outcome)) if was_overtaken => {
            match race.wait(&outcome) {
                Some(Ok(found)) => return Ok(Winner::Gpu(found)),
                Some(Err(why)) => tracing::warn!("{why}; exploring on the CPU"),
                None => race.stop(),
            }
            cpu(options).map(Winner::Cpu)
        }
        (found, _) => {
            race.stop();
            found.map(Winner::Cpu)
        }
    }
}

/// What both sides know.
#[derive(Debug, Default)]
struct Shared {
    /// How many states the GPU has found.
    states: AtomicU64,
    expanded: AtomicU64,
    branches: AtomicU64,
    /// Whether it is not needed any more.
    is_stopped: AtomicBool,
    /// Whether it has found all.
    is_done: AtomicBool,
    /// Whether it has ended, whatever came of it.
    is_over: AtomicBool,
}

/// How a GPU begins, and sends what it has found.
type Outcome<G> = Receiver<Result<G, String>>;

/// The observer of the CPU, which lets the GPU begin.
struct Race<'a, G, B> {
    own: &'a dyn Observer,
    began: Instant,
    lead: u64,
    /// How many states the CPU has found.
    reached: AtomicU64,
    shared: Arc<Shared>,
    has_begun: AtomicBool,
    was_overtaken: AtomicBool,
    begin: Mutex<Option<B>>,
    outcome: Mutex<Option<Outcome<G>>>,
}

impl<G, B: FnOnce(Arc<Shared>, Sender<Result<G, String>>)> Race<'_, G, B> {
    fn begin(&self) {
        let begin = self
            .begin
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(begin) = begin else { return };
        let (sender, receiver) = mpsc::channel();
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(receiver);
        begin(Arc::clone(&self.shared), sender);
    }

    /// Whether the GPU is ahead, or done.
    fn is_overtaken(&self) -> bool {
        let found = self.shared.states.load(Relaxed);
        let is_overtaken = found > self.lead * self.reached.load(Relaxed).max(1)
            || self.shared.is_done.load(Relaxed);
        if is_overtaken {
            self.was_overtaken.store(true, Relaxed);
        }
        is_overtaken
    }

    fn outcome(&self) -> Option<Outcome<G>> {
        self.outcome
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Waits for what the GPU finds, or the user to stop.
    fn wait(&self, outcome: &Outcome<G>) -> Option<Result<G, String>> {
        tracing::debug!("a GPU explores faster");
        loop {
            match outcome.recv_timeout(INTERVAL) {
                Ok(outcome) => return Some(outcome),
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(Err("the GPU has failed".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) if self.own.is_cancelled() => return None,
                Err(RecvTimeoutError::Timeout) => {
                    let reached = Progress {
                        states: self.shared.states.load(Relaxed),
                        expanded: self.shared.expanded.load(Relaxed),
                        branches: self.shared.branches.load(Relaxed),
                        ..Progress::default()
                    };
                    self.own.progress(reached, self.began.elapsed());
                }
            }
        }
    }

    /// Tells the GPU that it is not needed, and does not wait for it.
    fn stop(&self) {
        self.shared.is_stopped.store(true, Relaxed);
        if self.has_begun.load(Relaxed) && !self.shared.is_over.load(Relaxed) {
            interrupt::leave_behind();
        }
    }
}

impl<G: Send, B: Send + FnOnce(Arc<Shared>, Sender<Result<G, String>>)> Observer
    for Race<'_, G, B>
{
    fn progress(&self, progress: Progress, elapsed: Duration) {
        self.reached.store(progress.states, Relaxed);
        self.own.progress(progress, elapsed);
    }

    fn is_cancelled(&self) -> bool {
        if !self.has_begun.load(Relaxed) {
            if self.began.elapsed() >= ALONE && !self.has_begun.swap(true, Relaxed) {
                self.begin();
            }
            return self.own.is_cancelled();
        }
        self.own.is_cancelled() || self.is_overtaken()
    }
}

/// The observer of the GPU.
struct RivalObserver<'a>(&'a Shared);

impl Observer for RivalObserver<'_> {
    fn progress(&self, progress: Progress, _: Duration) {
        self.0.states.store(progress.states, Relaxed);
        self.0.expanded.store(progress.expanded, Relaxed);
        self.0.branches.store(progress.branches, Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.0.is_stopped.load(Relaxed) || interrupt::is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::{Winner, race};
    use explore::{Observer, Options, Progress};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::sync::mpsc;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    const MILLI: Duration = Duration::from_millis(1);

    /// An exploration that ends after so long, and finds a state a millisecond.
    fn explore(time: Duration, observer: &dyn Observer) -> Result<&'static str, &'static str> {
        let begin = Instant::now();
        while begin.elapsed() < time {
            let states = begin.elapsed().as_millis() as u64;
            let reached = Progress {
                states,
                ..Progress::default()
            };
            observer.progress(reached, begin.elapsed());
            if observer.is_cancelled() {
                return Err("cancelled");
            }
            sleep(MILLI);
        }
        Ok("found")
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn short_explorations_are_the_cpus_alone() {
        let cpu = |options: &Options<'_>| explore(MILLI, options.observer);
        let gpu = |_: &dyn Observer| -> Result<(), &str> { panic!("nobody asked a GPU") };
        assert_eq!(
            race(&Options::default(), 1, gpu, cpu),
            Ok(Winner::Cpu("found"))
        );
    }

    #[test]
    fn a_gpu_that_is_done_ends_the_cpu() {
        let cpu = |options: &Options<'_>| explore(LONG, options.observer);
        let gpu = |_: &dyn Observer| Ok::<_, &str>(7);
        assert_eq!(race(&Options::default(), 1, gpu, cpu), Ok(Winner::Gpu(7)));
    }

    #[test]
    fn a_gpu_that_is_ahead_goes_on_alone() {
        let (stopped, was_stopped) = mpsc::channel();
        let cpu = move |options: &Options<'_>| {
            let outcome = explore(LONG, options.observer);
            stopped.send(()).map_err(|_| "nobody listens")?;
            outcome
        };
        let gpu = move |observer: &dyn Observer| {
            let reached = Progress {
                states: 1_000_000,
                ..Progress::default()
            };
            observer.progress(reached, MILLI);
            // It is not done before the CPU has stopped.
            was_stopped.recv().map_err(|_| "nobody stopped")
        };
        assert_eq!(race(&Options::default(), 1, gpu, cpu), Ok(Winner::Gpu(())));
    }

    #[test]
    fn a_cpu_that_is_done_ends_the_gpu() {
        let (ended, has_ended) = mpsc::channel();
        let cpu = |options: &Options<'_>| explore(200 * MILLI, options.observer);
        let gpu = move |observer: &dyn Observer| {
            while !observer.is_cancelled() {
                sleep(MILLI);
            }
            ended.send(()).map_err(|_| "nobody listens")
        };
        assert_eq!(
            race(&Options::default(), 1, gpu, cpu),
            Ok(Winner::Cpu("found"))
        );
        assert_eq!(has_ended.recv_timeout(LONG), Ok(()));
    }

    #[test]
    fn the_cpu_begins_again_where_a_gpu_fails() {
        let calls = AtomicUsize::new(0);
        let cpu = |options: &Options<'_>| match calls.fetch_add(1, Relaxed) {
            0 => explore(LONG, options.observer),
            _ => explore(MILLI, options.observer),
        };
        let gpu = |observer: &dyn Observer| {
            let reached = Progress {
                states: 1_000_000,
                ..Progress::default()
            };
            observer.progress(reached, MILLI);
            // The CPU notices, and stops.
            sleep(300 * MILLI);
            Err::<(), _>("no room")
        };
        assert_eq!(
            race(&Options::default(), 1, gpu, cpu),
            Ok(Winner::Cpu("found"))
        );
        assert_eq!(calls.load(Relaxed), 2);
    }

    #[test]
    fn a_gpu_that_fails_early_is_not_missed() {
        let calls = AtomicUsize::new(0);
        let cpu = |options: &Options<'_>| {
            calls.fetch_add(1, Relaxed);
            explore(200 * MILLI, options.observer)
        };
        let gpu = |_: &dyn Observer| Err::<(), _>("no adapter");
        assert_eq!(
            race(&Options::default(), 1, gpu, cpu),
            Ok(Winner::Cpu("found"))
        );
        assert_eq!(calls.load(Relaxed), 1);
    }

    #[test]
    fn whoever_watches_ends_both() {
        struct Impatient(Instant);
        impl Observer for Impatient {
            fn is_cancelled(&self) -> bool {
                self.0.elapsed() > 100 * MILLI
            }
        }
        let observer = Impatient(Instant::now());
        let options = Options {
            observer: &observer,
            ..Options::default()
        };
        let cpu = |options: &Options<'_>| explore(LONG, options.observer);
        let gpu = |observer: &dyn Observer| explore(LONG, observer);
        assert_eq!(race(&options, 1, gpu, cpu), Err("cancelled"));
    }
}
