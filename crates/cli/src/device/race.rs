//! [`Race`]: the CPU and a GPU do the same work. The GPU begins only if the CPU takes long, and
//! works on a thread of its own. The device that finishes first stops the other one.

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

/// A race of the CPU against a GPU, which computes a `G`.
pub(crate) struct Race<G> {
    /// The work as a participle, for messages.
    doing: &'static str,
    /// The time at which the GPU begins.
    due: Instant,
    has_begun: AtomicBool,
    /// The work of the GPU, until it begins.
    work: Mutex<Option<Work<G>>>,
    /// The number of threads of the GPU on the host. It has as many as the CPU, in a separate pool,
    /// because the CPU's threads may be busy for long.
    threads: usize,
    /// The result of the GPU, once it has begun.
    outcome: Mutex<Option<Receiver<Result<G, String>>>>,
    rival: Arc<Rival>,
    /// Whether the CPU was told to stop because the GPU is ahead or has finished.
    is_overtaken: AtomicBool,
}

type Work<G> = Box<dyn FnOnce(&Rival) -> Result<G, String> + Send>;

/// The progress of the GPU.
#[derive(Debug, Default)]
pub(crate) struct Rival {
    /// Whether its result is no longer needed.
    is_stopped: AtomicBool,
    /// Whether it has finished its work.
    is_done: AtomicBool,
    /// Whether it has ended, with or without success.
    is_over: AtomicBool,
}

impl Rival {
    /// Returns whether the GPU has to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed) || interrupt::is_cancelled()
    }
}

impl<G: Send + 'static> Race<G> {
    /// Makes a race in which the GPU begins `work` after this time, unless the CPU has finished by
    /// then.
    pub(crate) fn after<E: Display>(
        time: Duration,
        doing: &'static str,
        work: impl FnOnce(&Rival) -> Result<G, E> + Send + 'static,
    ) -> Self {
        let work = |rival: &Rival| work(rival).map_err(|error| error.to_string());
        Self {
            doing,
            due: Instant::now() + time,
            has_begun: AtomicBool::new(false),
            work: Mutex::new(Some(Box::new(work))),
            threads: rayon::current_num_threads(),
            outcome: Mutex::default(),
            rival: Arc::default(),
            is_overtaken: AtomicBool::new(false),
        }
    }

    /// Runs the race. `beside` is the work of the CPU, which calls
    /// [`cpu_has_to_stop`](Self::cpu_has_to_stop) often. If it fails, but the GPU has finished, the
    /// result is that of the GPU. If the GPU fails after it has overtaken the CPU, the CPU begins
    /// again with `alone`. After `beside`, `goes_on` says whether the work is to continue. If it
    /// says no, the result is that of `beside`.
    ///
    /// # Errors
    /// Those of the CPU.
    pub(crate) fn run<C, E>(
        &self,
        beside: impl FnOnce() -> Result<C, E>,
        goes_on: impl Fn() -> bool,
        alone: impl FnOnce() -> Result<C, E>,
    ) -> Result<Winner<C, G>, E> {
        let found = beside();
        // The GPU may have finished since the CPU last asked.
        let is_overtaken = self.is_overtaken.load(Relaxed) || self.rival.is_done.load(Relaxed);
        if found.is_ok() || !is_overtaken || !goes_on() {
            self.stop();
            return found.map(Winner::Cpu);
        }
        tracing::debug!("{} is faster on a GPU", self.doing);
        match self.wait(&goes_on) {
            Some(Ok(found)) => Ok(Winner::Gpu(found)),
            Some(Err(why)) if goes_on() => {
                tracing::warn!("{why}; {} on the CPU", self.doing);
                alone().map(Winner::Cpu)
            }
            // The work was cancelled. A GPU that has not begun does not overtake the CPU.
            Some(Err(_)) | None => found.map(Winner::Cpu),
        }
    }

    /// Returns whether the CPU has to stop, because the GPU has finished, or because it works and
    /// `is_ahead`. Begins the work of the GPU if it is time.
    pub(crate) fn cpu_has_to_stop(&self, is_ahead: impl FnOnce() -> bool) -> bool {
        self.poll();
        let rival = &self.rival;
        let is_overtaken =
            rival.is_done.load(Relaxed) || !rival.is_over.load(Relaxed) && is_ahead();
        if is_overtaken {
            self.is_overtaken.store(true, Relaxed);
        }
        is_overtaken
    }

    fn poll(&self) {
        let is_early = || Instant::now() < self.due;
        if self.has_begun.load(Relaxed) || is_early() || self.has_begun.swap(true, Relaxed) {
            return;
        }
        let work = lock(&self.work).take();
        let Some(work) = work else { return };
        tracing::debug!("a GPU begins beside the CPU");
        let (sender, receiver) = mpsc::channel();
        *lock(&self.outcome) = Some(receiver);
        let (doing, threads, rival) = (self.doing, self.threads, Arc::clone(&self.rival));
        let run = move || {
            let outcome = match ThreadPoolBuilder::new().num_threads(threads).build() {
                Ok(pool) => pool.install(|| work(&rival)),
                Err(error) => Err(error.to_string()),
            };
            if let Err(error) = &outcome {
                tracing::debug!("{doing} on a GPU: {error}");
            }
            rival.is_done.store(outcome.is_ok(), Relaxed);
            rival.is_over.store(true, Relaxed);
            // Sending fails if the CPU was first.
            let _ = sender.send(outcome);
        };
        // If the thread cannot be started, the CPU works alone.
        let _ = thread::Builder::new().spawn(run);
    }

    /// Waits for the result of the GPU, which may be a failure, and calls `goes_on` repeatedly.
    /// Stops the GPU and returns `None` if `goes_on` returns false, or if the GPU has not begun.
    fn wait(&self, goes_on: impl Fn() -> bool) -> Option<Result<G, String>> {
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
    fn stop(&self) {
        self.rival.is_stopped.store(true, Relaxed);
        if self.has_begun.load(Relaxed) && !self.rival.is_over.load(Relaxed) {
            interrupt::leave_behind();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{Race, Rival, Winner};
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::sync::mpsc;
    use std::thread::sleep;
    use std::time::Duration;

    const MILLI: Duration = Duration::from_millis(1);

    fn wait_for(flag: &AtomicBool) {
        while !flag.load(Relaxed) {
            sleep(MILLI);
        }
    }

    /// The work of a CPU that must not begin again.
    fn never() -> Result<&'static str, &'static str> {
        panic!("the CPU begins again")
    }

    #[test]
    fn a_gpu_has_as_many_threads_of_the_host_as_the_cpu() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let found = pool.build().expect("threads start").install(|| {
                let work = |_: &Rival| Ok::<_, String>(rayon::current_num_threads());
                let race = Race::after(Duration::ZERO, "counting", work);
                race.poll();
                race.wait(|| true)
            });
            assert_eq!(found, Some(Ok(threads)));
        }
    }

    #[test]
    fn a_gpu_that_is_not_due_does_not_begin() {
        let work = |_: &Rival| -> Result<(), String> { panic!("it is not due") };
        let race = Race::after(Duration::from_secs(60), "waiting", work);
        race.poll();
        assert_eq!(race.wait(|| true), None);
        assert!(!race.cpu_has_to_stop(|| false));
    }
    #[test]
    fn a_finished_gpu_answers_if_the_cpu_fails_but_not_after_a_cancellation() {
        for goes_on in [true, false] {
            let work = |_: &Rival| Ok::<_, String>(7);
            let race = Race::after(Duration::ZERO, "testing", work);
            let fail = || {
                race.poll();
                wait_for(&race.rival.is_done);
                Err("no room")
            };
            let expected = match goes_on {
                true => Ok(Winner::Gpu(7)),
                false => Err("no room"),
            };
            assert_eq!(race.run(fail, || goes_on, never), expected);
        }
    }

    #[test]
    fn a_gpu_that_blocks_is_left_alone_after_a_cancellation() {
        let (stopped, was_stopped) = mpsc::channel();
        let work = move |rival: &Rival| {
            while !rival.is_stopped() {
                sleep(MILLI);
            }
            stopped.send(()).map_err(|_| "nobody listens")
        };
        let race = Race::after(Duration::ZERO, "testing", work);
        let fail = || {
            assert!(race.cpu_has_to_stop(|| true));
            Err("overtaken")
        };
        let is_asked_again = AtomicBool::new(false);
        let goes_on = || !is_asked_again.swap(true, Relaxed);
        assert_eq!(race.run(fail, goes_on, never), Err("overtaken"));
        assert_eq!(was_stopped.recv_timeout(Duration::from_secs(60)), Ok(()));
    }

    #[test]
    fn the_cpu_does_not_begin_again_after_a_cancellation_of_the_gpu() {
        let (overtaken, was_overtaken) = mpsc::channel();
        let work = move |_: &Rival| -> Result<(), &str> {
            was_overtaken.recv().map_err(|_| "nobody was overtaken")?;
            Err("cancelled")
        };
        let race = Race::after(Duration::ZERO, "testing", work);
        let fail = || {
            assert!(race.cpu_has_to_stop(|| true));
            overtaken.send(()).expect("the GPU waits");
            Err("overtaken")
        };
        let is_asked_again = AtomicBool::new(false);
        let goes_on = || {
            wait_for(&race.rival.is_over);
            !is_asked_again.swap(true, Relaxed)
        };
        assert_eq!(race.run(fail, goes_on, never), Err("overtaken"));
    }

    #[test]
    fn the_cpu_begins_again_if_the_gpu_panics() {
        let (overtaken, was_overtaken) = mpsc::channel();
        let work = move |_: &Rival| -> Result<(), String> {
            was_overtaken.recv().expect("the CPU is overtaken");
            panic!("as intended")
        };
        let race = Race::after(Duration::ZERO, "testing", work);
        let fail = || {
            assert!(race.cpu_has_to_stop(|| true));
            overtaken.send(()).expect("the GPU waits");
            Err("overtaken")
        };
        let found = race.run(fail, || true, || Ok("found"));
        assert_eq!(found, Ok(Winner::Cpu("found")));
    }
}
