//! Distributes long work over all cores.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Performs an action for each item, in order, one item on each core. Returns the first error, if
/// there is one; after an error, no other item is started. The action may use other threads, but
/// never starts another item on this thread, as a thread pool would.
pub(super) fn on_each_core<T>(
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let items = Mutex::new(items);
    let failed: Mutex<Option<String>> = Mutex::default();
    let on_core = || {
        while lock(&failed).is_none() {
            let Some(item) = lock(&items).next() else {
                return;
            };
            if let Err(error) = work(item) {
                lock(&failed).get_or_insert(error);
            }
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(on_core);
        }
    });
    let failed = lock(&failed).take();
    failed.map_or(Ok(()), Err)
}

/// Locks a mutex, even if it is poisoned, because no thread leaves its contents incomplete.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_done_once_up_to_a_failure() {
        let done: Mutex<Vec<u32>> = Mutex::default();
        let work = |item| {
            lock(&done).push(item);
            if item == 700 {
                Err("700".to_owned())
            } else {
                Ok(())
            }
        };
        assert_eq!(on_each_core(0..500, work), Ok(()));
        lock(&done).sort_unstable();
        assert_eq!(*lock(&done), Vec::from_iter(0..500));
        assert_eq!(on_each_core(500..1_000_000, work), Err("700".to_owned()));
        let all = lock(&done);
        assert!(all.contains(&700) && all.len() < 100_000, "{}", all.len());
    }
}
