//! The number of threads: one for each core, or as many as the command line asks for, up to a
//! limit.

use crate::error::Error;
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
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let most = MAX_PER_CORE * cores;
    let Some(asked) = asked else {
        let count = of_environment().map_or(cores, |count| count.get().min(most));
        return match ThreadPoolBuilder::new().num_threads(count).build_global() {
            Err(error) if is_of_system(&error) => Err(failure(count, &error)),
            // The pool exists already if this process has run another command.
            Ok(()) | Err(_) => work(),
        };
    };
    let count = asked.get().min(most);
    if count < asked.get() {
        tracing::warn!(
            "--threads {asked}: taking {count}, {MAX_PER_CORE} for each core; more are of no use"
        );
    }
    let pool = ThreadPoolBuilder::new().num_threads(count).build();
    pool.map_err(|error| failure(count, &error))?.install(work)
}

/// Returns the number of threads that the environment sets for all programs that use rayon.
fn of_environment() -> Option<NonZeroUsize> {
    std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok()
}

fn is_of_system(error: &ThreadPoolBuildError) -> bool {
    error.source().is_some()
}

fn failure(count: usize, error: &ThreadPoolBuildError) -> Error {
    let threads = if count == 1 { "thread" } else { "threads" };
    Error::wrong(format!(
        "cannot start {count} {threads}: {error} (see --threads)"
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
