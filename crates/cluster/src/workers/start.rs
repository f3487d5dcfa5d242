//! Starts the workers of this process, and waits for them.

use crate::net::Net;
use crate::net::pool::SharedPool;
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};
use std::any::Any;
use std::error::Error as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use timely::WorkerConfig;
use timely::communication::{AllocatorBuilder, Config};
use timely::execute::execute_from;

/// The time between two checks of whether to stop.
const LISTEN: Duration = Duration::from_millis(50);

/// The reason why workers ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerFailure {
    /// The workers could not be started.
    #[error("cannot start the workers: {0}")]
    Start(String),
    /// A worker of this process panicked.
    #[error("a worker of this process panicked")]
    Panic,
    /// The user asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// Another process is gone.
    #[error("lost process {process} at {host}: {reason}")]
    Process {
        /// The number of the process.
        process: usize,
        /// The address of the process.
        host: String,
        /// The way in which the failure was detected.
        reason: String,
    },
}

/// A message from a worker or a connection of this process to the waiting thread.
pub(super) enum Event<T> {
    /// A worker has returned.
    Done(usize, T),
    /// The computation has failed.
    Lost(WorkerFailure),
}

/// Runs `work` on this many workers of this process, each on a separate thread. Returns the results
/// in the order of the workers.
///
/// # Errors
/// [`WorkerFailure::Start`] if the system does not start the threads, [`WorkerFailure::Panic`] if
/// one of them panics.
pub fn on_threads<T: Send + 'static>(
    workers: usize,
    work: impl Fn(&mut Net<'_>) -> T + Send + Sync + 'static,
) -> Result<Vec<T>, WorkerFailure> {
    run_locally(workers, work, &|| false)
}

/// Does the same as [`on_threads`], but ends when `interrupt` is set.
///
/// # Errors
/// As [`on_threads`], and [`WorkerFailure::Cancelled`].
pub fn on_threads_until<T: Send + 'static>(
    workers: usize,
    interrupt: &'static AtomicBool,
    work: impl Fn(&mut Net<'_>) -> T + Send + Sync + 'static,
) -> Result<Vec<T>, WorkerFailure> {
    run_locally(workers, work, &|| interrupt.load(Ordering::Relaxed))
}

/// Runs `work` on this many workers of this process, and of no other.
fn run_locally<T: Send + 'static>(
    workers: usize,
    work: impl Fn(&mut Net<'_>) -> T + Send + Sync + 'static,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<T>, WorkerFailure> {
    start_threads()?;
    let channels = Config::Process(workers).try_build();
    let (builders, others) = channels.map_err(WorkerFailure::Start)?;
    run(builders, others, work, channel(), is_cancelled)
}

/// Runs `work` on workers whose channels exist already, until all have returned or a failure is
/// reported.
pub(super) fn run<T: Send + 'static>(
    builders: Vec<AllocatorBuilder>,
    others: Box<dyn Any + Send>,
    work: impl Fn(&mut Net<'_>) -> T + Send + Sync + 'static,
    (sender, receiver): (Sender<Event<T>>, Receiver<Event<T>>),
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<T>, WorkerFailure> {
    let workers = builders.len();
    let sender = Mutex::new(sender);
    let common = SharedPool::new(workers);
    let guards = execute_from(builders, others, WorkerConfig::default(), move |worker| {
        let sender = sender.lock().map_err(|_| ()).map(|sender| sender.clone());
        let Ok(sender) = sender else { return };
        let alarm = Alarm(Some(sender));
        let index = worker.index();
        let result = work(&mut Net::new(worker, common.clone()));
        alarm.disarm(index, result);
    });
    let guards = guards.map_err(WorkerFailure::Start)?;
    let mut results: Vec<(usize, T)> = Vec::with_capacity(workers);
    while results.len() < workers {
        let failure = match receiver.recv_timeout(LISTEN) {
            Ok(Event::Done(index, result)) => {
                results.push((index, result));
                continue;
            }
            Ok(Event::Lost(failure)) => failure,
            Err(RecvTimeoutError::Timeout) if is_cancelled() => WorkerFailure::Cancelled,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => WorkerFailure::Panic,
        };
        // The other threads wait for messages that will never arrive.
        std::mem::forget(guards);
        return Err(failure);
    }
    results.sort_by_key(|&(index, _)| index);
    drop(guards);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// Starts the threads of this process on which workers check their graphs. If the first worker that
/// needs them started them and the system provided none, rayon would panic.
///
/// # Errors
/// [`WorkerFailure::Start`].
pub(super) fn start_threads() -> Result<(), WorkerFailure> {
    started(ThreadPoolBuilder::new().build_global())
}

/// Returns an error if the system has not provided the threads of a pool. That a pool exists
/// already is none.
fn started(pool: Result<(), ThreadPoolBuildError>) -> Result<(), WorkerFailure> {
    match pool {
        Err(error) if error.source().is_some() => Err(WorkerFailure::Start(error.to_string())),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Reports that a worker is lost if it is dropped before the worker has a result.
struct Alarm<T>(Option<Sender<Event<T>>>);

impl<T> Alarm<T> {
    fn disarm(mut self, index: usize, result: T) {
        if let Some(sender) = self.0.take() {
            // If another process was lost before, the receiver is gone.
            let _ = sender.send(Event::Done(index, result));
        }
    }
}

impl<T> Drop for Alarm<T> {
    fn drop(&mut self) {
        if let Some(sender) = &self.0 {
            let _ = sender.send(Event::Lost(WorkerFailure::Panic));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::started;
    use rayon::ThreadPoolBuilder;
    use std::io;

    #[test]
    fn threads_that_the_system_does_not_provide_are_an_error() {
        let none = ThreadPoolBuilder::new().spawn_handler(|_| Err(io::Error::other("no threads")));
        let failure = started(none.build().map(drop)).expect_err("it has no threads");
        insta::assert_snapshot!(failure, @"cannot start the workers: no threads");
        // The second time, the pool exists already.
        for _ in 0..2 {
            assert_eq!(started(ThreadPoolBuilder::new().build_global()), Ok(()));
        }
    }
}
