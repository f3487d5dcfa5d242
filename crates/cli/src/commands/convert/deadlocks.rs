//! Deadlocks in converted models: Storm's formats cannot express that a state has no choice. (In
//! DRN a state may have none, but Storm then reads a different model, or fails.)

use crate::args::DeadlockPolicy;
use crate::error::Error;
use crate::export::Target;
use prism_explicit::Dialect;
use report::counted;

/// Returns the default treatment of deadlocks.
pub(super) fn default_policy(target: Target) -> DeadlockPolicy {
    match refuses(target) {
        true => DeadlockPolicy::SelfLoop,
        false => DeadlockPolicy::Keep,
    }
}

/// Returns whether a format cannot hold deadlocks.
pub(super) fn refuses(target: Target) -> bool {
    matches!(target, Target::Drn | Target::Explicit(Dialect::Storm))
}

/// Rejects deadlocks that would have to be kept in one of Storm's formats.
pub(super) fn refuse_deadlocks(model: &str, deadlocks: u64) -> Result<(), Error> {
    if deadlocks == 0 {
        return Ok(());
    }
    let count = counted(deadlocks, "state has", "states have");
    let why = "which Storm's formats cannot express";
    Err(Error::wrong(format!("{model}: {count} no choice, {why}")))
}
