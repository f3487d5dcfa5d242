//! [`Rival`]: a GPU that does the same work as the CPU, on a thread of its own, if the CPU takes
//! long. Whoever uses it compares the two, and stops the one that is not needed.

use crate::interrupt;
use rayon::ThreadPoolBuilder;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time between two checks of the caller while the GPU works alone.
const INTERVAL: Duration = Duration::from_millis(20);

/// The device that finished first, with its result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Winner<C, G> {
    Cpu(C),
    Gpu(G),
}

/// A GPU that computes a `G` beside the CPU.
pub(crate) struct Rival<G> {
    /// The time at which it begins.
    due: Instant,
    has_begun: AtomicBool,
    /// Its work, until it begins.
    work: Mutex<Option<Work<G>>>,
    /// The number of its threads on the host. It has as many as the CPU, in a separate pool,
    /// because the CPU's threads may be busy for long.
    threads: usize,
    /// Its result, once it has begun.
    outcome: Mutex<Option<Receiver<Result<G, String>>>>,
    state: Arc<RivalState>,
}

type Work<G> = Box<dyn FnOnce(&RivalState) -> Result<G, String> + Send>;

/// The progress of the GPU.
#[derive(Debug, Default)]
pub(crate) struct RivalState {
    /// Whether its result is no longer needed.
    is_stopped: AtomicBool,
    /// Whether it has finished its work.
    is_done: AtomicBool,
    /// Whether it has ended, with or without success.
    is_over: AtomicBool,
}

impl RivalState {
    /// Returns whether the GPU has to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed) || interrupt::is_cancelled()
    }
}

impl<G: Send + 'static> Rival<G> {
    /// Makes a GPU that begins `work` after this time, unless it is dropped before.
    pub(crate) fn after<E: Display>(
        time: Duration,
        work: impl FnOnce(&RivalState) -> Result<G, E> + Send + 'static,
    ) -> Self {
        let work = |state: &RivalState| work(state).map_err(|error| error.to_string());
        Self {
            due: Instant::now() + time,
            has_begun: AtomicBool::new(false),
            work: Mutex::new(Some(Box::new(work))),
            threads: rayon::current_num_threads(),
            outcome: Mutex::default(),
            state: Arc::default(),
        }
    }

    /// Begins the work if it is time. The caller calls this often.
    pub(crate) fn poll(&self) {
        let is_early = || Instant::now() < self.due;
        if self.has_begun.load(Relaxed) || is_early() || self.has_begun.swap(true, Relaxed) {
            return;
        }
        let work = lock(&self.work).take();
        let Some(work) = work else { return };
        let (sender, receiver) = mpsc::channel();
        *lock(&self.outcome) = Some(receiver);
        let (threads, state) = (self.threads, Arc::clone(&self.state));
        let run = move || {
            let outcome = match ThreadPoolBuilder::new().num_threads(threads).build() {
                Ok(pool) => pool.install(|| work(&state)),
                Err(error) => Err(error.to_string()),
            };
            state.is_done.store(outcome.is_ok(), Relaxed);
            state.is_over.store(true, Relaxed);
            // Sending fails if the CPU was first.
            let _ = sender.send(outcome);
        };
        // If the thread cannot be started, the CPU works alone.
        let _ = thread::Builder::new().spawn(run);
    }

    /// Returns whether the GPU has finished its work.
    pub(crate) fn is_done(&self) -> bool {
        self.state.is_done.load(Relaxed)
    }

    /// Waits for the result of the GPU, which may be a failure, and calls `goes_on` repeatedly.
    /// Stops the GPU and returns `None` if `goes_on` returns false, or if the GPU has not begun.
    pub(crate) fn wait(&self, goes_on: impl Fn() -> bool) -> Option<Result<G, String>> {
        let outcome = lock(&self.outcome).take()?;
        loop {
            match outcome.recv_timeout(INTERVAL) {
                Ok(outcome) => return Some(outcome),
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(Err("the GPU has failed".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) if goes_on() => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.stop();
                    return None;
                }
            }
        }
    }

    /// Tells the GPU to stop, and does not wait for it.
    pub(crate) fn stop(&self) {
        self.state.is_stopped.store(true, Relaxed);
        if self.has_begun.load(Relaxed) && !self.state.is_over.load(Relaxed) {
            interrupt::leave_behind();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{Rival, RivalState};
    use std::time::Duration;

    #[test]
    fn a_gpu_has_as_many_threads_of_the_host_as_the_cpu() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let found = pool.build().expect("threads start").install(|| {
                let work = |_: &RivalState| Ok::<_, String>(rayon::current_num_threads());
                let rival = Rival::after(Duration::ZERO, work);
                rival.poll();
                rival.wait(|| true)
            });
            assert_eq!(found, Some(Ok(threads)));
        }
    }

    #[test]
    fn a_gpu_that_is_not_due_does_not_begin() {
        let work = |_: &RivalState| -> Result<(), String> { panic!("it is not due") };
        let rival = Rival::after(Duration::from_secs(60), work);
        rival.poll();
        assert_eq!(rival.wait(|| true), None);
        assert!(!rival.is_done());
    }
}
