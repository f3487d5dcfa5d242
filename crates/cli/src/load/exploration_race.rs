//! `--device auto` for explorations. The number of states, and therefore the faster device, is not
//! known beforehand. So the CPU begins. If it does not finish soon, a GPU explores the same states
//! at the same time, and the CPU stops when the GPU has found more states. The device that finishes
//! first stops the other one.

use crate::device::race::{Race, Rival, Winner};
use explore::{Observer, Options, Progress};
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The time that the CPU works alone. If a GPU begins just before the CPU is done, the command
/// takes about 18 ms longer, which is not much compared with this time.
const ALONE: Duration = Duration::from_millis(60);

/// Explores by `cpu` and, if that takes long, also by `gpu` on a separate thread. `gpu` is called
/// with its observer. The GPU is ahead if it has found `lead` times as many states. If it fails,
/// the CPU finishes the exploration.
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
    let found_by_gpu = Arc::new(Found::default());
    let found = Arc::clone(&found_by_gpu);
    let work = move |rival: &Rival| {
        gpu(&GpuObserver {
            found: &found,
            rival,
        })
    };
    let observer = CpuObserver {
        own: options.observer,
        began: Instant::now(),
        lead,
        reached: AtomicU64::new(0),
        found_by_gpu,
        race: Race::after(ALONE, "exploring", work),
    };
    let watched = Options {
        observer: &observer,
        ..*options
    };
    observer
        .race
        .run(|| cpu(&watched), || observer.gpu_goes_on(), || cpu(options))
}

/// The progress of the GPU.
#[derive(Debug, Default)]
struct Found {
    states: AtomicU64,
    expanded: AtomicU64,
    branches: AtomicU64,
}

/// The observer of the CPU, which starts the GPU.
struct CpuObserver<'a, G> {
    own: &'a dyn Observer,
    began: Instant,
    lead: u64,
    /// The number of states that the CPU has found.
    reached: AtomicU64,
    found_by_gpu: Arc<Found>,
    race: Race<G>,
}

impl<G> CpuObserver<'_, G> {
    fn gpu_is_ahead(&self) -> bool {
        let found = self.found_by_gpu.states.load(Relaxed);
        found > self.lead * self.reached.load(Relaxed).max(1)
    }

    /// Reports the progress of the GPU, which works alone. Returns whether it is to continue.
    fn gpu_goes_on(&self) -> bool {
        let found = &self.found_by_gpu;
        let reached = Progress {
            states: found.states.load(Relaxed),
            expanded: found.expanded.load(Relaxed),
            branches: found.branches.load(Relaxed),
            ..Progress::default()
        };
        self.own.progress(reached, self.began.elapsed());
        !self.own.is_cancelled()
    }
}

impl<G: Send + 'static> Observer for CpuObserver<'_, G> {
    fn progress(&self, progress: Progress, elapsed: Duration) {
        self.reached.store(progress.states, Relaxed);
        self.own.progress(progress, elapsed);
    }

    fn is_cancelled(&self) -> bool {
        self.race.cpu_has_to_stop(|| self.gpu_is_ahead()) || self.own.is_cancelled()
    }
}

/// The observer of the GPU.
struct GpuObserver<'a> {
    found: &'a Found,
    rival: &'a Rival,
}

impl Observer for GpuObserver<'_> {
    fn progress(&self, progress: Progress, _: Duration) {
        self.found.states.store(progress.states, Relaxed);
        self.found.expanded.store(progress.expanded, Relaxed);
        self.found.branches.store(progress.branches, Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.rival.is_stopped()
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

    /// Simulates an exploration that takes this long, and finds a state each millisecond.
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
    fn short_explorations_run_on_the_cpu_alone() {
        let cpu = |options: &Options<'_>| explore(MILLI, options.observer);
        let gpu = |_: &dyn Observer| -> Result<(), &str> { panic!("nobody asked a GPU") };
        assert_eq!(
            race(&Options::default(), 1, gpu, cpu),
            Ok(Winner::Cpu("found"))
        );
    }

    #[test]
    fn a_gpu_that_finishes_first_stops_the_cpu() {
        let cpu = |options: &Options<'_>| explore(LONG, options.observer);
        let gpu = |_: &dyn Observer| Ok::<_, &str>(7);
        assert_eq!(race(&Options::default(), 1, gpu, cpu), Ok(Winner::Gpu(7)));
    }

    #[test]
    fn a_gpu_that_is_ahead_continues_alone() {
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
            // The GPU finishes only after the CPU has stopped.
            was_stopped.recv().map_err(|_| "nobody stopped")
        };
        assert_eq!(race(&Options::default(), 1, gpu, cpu), Ok(Winner::Gpu(())));
    }

    #[test]
    fn a_cpu_that_finishes_first_stops_the_gpu() {
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
    fn the_cpu_starts_again_if_a_gpu_fails() {
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
            // The CPU notices that the GPU is ahead, and stops.
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
    fn the_cpu_continues_if_a_gpu_fails_early() {
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
    fn the_observer_can_stop_both_devices() {
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
