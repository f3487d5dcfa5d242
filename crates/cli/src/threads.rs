//! The number of threads: one for each core, or as many as the command line asks for, up to a
//! limit.

use crate::error::Error;
use crate::naming::Naming;
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};
use std::error::Error as _;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

/// The largest number of threads for each core. More threads would only wait for one another, and
/// thousands take long to start. This number is large enough to test that results do not depend on
/// the number of threads.
pub(crate) const MAX_PER_CORE: usize = 4;

/// Does `work` with this many threads, or with one for each core.
///
/// # Errors
/// Those of `work`; an error if the system cannot start the threads.
pub(crate) fn run<T: Send>(
    asked: Option<NonZeroUsize>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let Some(asked) = asked else {
        let count = of_environment().map_or_else(cores, |count| count.get().min(most()));
        return match ThreadPoolBuilder::new().num_threads(count).build_global() {
            Err(error) if is_of_system(&error) => Err(failure(count, &error, Naming::Options)),
            // The pool exists already if this process has run another command.
            Ok(()) | Err(_) => work(),
        };
    };
    run_on(asked, Naming::Options, work)
}

/// Does `work` with this many threads. `naming` says how messages name the setting.
///
/// # Errors
/// Those of `work`; an error if the system cannot start the threads.
pub(crate) fn run_on<T: Send>(
    asked: NonZeroUsize,
    naming: Naming,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let (count, why) = limited(asked);
    if let Some(why) = why {
        tracing::warn!("{} {asked}: {why}", naming.of("threads"));
    }
    let count = count.get();
    let pool = ThreadPoolBuilder::new().num_threads(count).build();
    let pool = pool.map_err(|error| failure(count, &error, naming))?;
    pool.install(work)
}

/// Returns the number of threads to take, and the reason if that is less than `asked`.
pub(crate) fn limited(asked: NonZeroUsize) -> (NonZeroUsize, Option<String>) {
    let count = NonZeroUsize::new(most()).map_or(asked, |most| asked.min(most));
    let why = (count < asked)
        .then(|| format!("taking {count}, {MAX_PER_CORE} for each core; more are of no use"));
    (count, why)
}

fn cores() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}

fn most() -> usize {
    MAX_PER_CORE * cores()
}

/// Returns the number of threads that the environment sets for all programs that use rayon.
fn of_environment() -> Option<NonZeroUsize> {
    std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok()
}

fn is_of_system(error: &ThreadPoolBuildError) -> bool {
    error.source().is_some()
}

fn failure(count: usize, error: &ThreadPoolBuildError, naming: Naming) -> Error {
    let threads = if count == 1 { "thread" } else { "threads" };
    let setting = naming.of("threads");
    Error::wrong(format!(
        "cannot start {count} {threads}: {error} (see {setting})"
    ))
}

#[cfg(test)]
mod tests {
    use super::{MAX_PER_CORE, run};
    use std::num::NonZeroUsize;
    use std::thread::available_parallelism;

    #[test]
    fn the_number_of_threads_is_limited() {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        for (asked, started) in [
            (1, 1),
            (MAX_PER_CORE * cores, MAX_PER_CORE * cores),
            (MAX_PER_CORE * cores + 1, MAX_PER_CORE * cores),
            (usize::MAX, MAX_PER_CORE * cores),
        ] {
            let count = run(
                NonZeroUsize::new(asked),
                || Ok(rayon::current_num_threads()),
            );
            assert_eq!(count.expect("threads can be had"), started);
        }
    }
}
