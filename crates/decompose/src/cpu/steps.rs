//! Counts the steps of a search, for tests that check that it takes linear time. Outside tests it
//! counts nothing.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts steps: visits of branches, states, or other items of a search.
#[inline(always)]
pub(super) fn count(steps: u32) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + u64::from(steps));
    #[cfg(not(test))]
    let _ = steps;
}

/// Returns the number of steps that this thread takes while it does `work`. If the thread belongs
/// to a pool that other tests use, too, this includes steps of theirs.
#[cfg(test)]
pub(super) fn of(work: impl FnOnce()) -> u64 {
    let before = STEPS.get();
    work();
    STEPS.get() - before
}
