//! Deadlocks in what is converted: Storm's dialect cannot say that a state has no choice.

use crate::args::DeadlockPolicy;
use crate::error::Error;
use crate::export::Target;
use prism_explicit::Dialect;
use report::counted;

/// What becomes of deadlocks unless the command line says it.
pub(super) fn default_policy(target: Target) -> DeadlockPolicy {
    match target {
        Target::Explicit(Dialect::Storm) => DeadlockPolicy::SelfLoop,
        _ => DeadlockPolicy::Keep,
    }
}

/// Refuses deadlocks that Storm's dialect is to keep.
pub(super) fn refuse_deadlocks(model: &str, deadlocks: u64) -> Result<(), Error> {
    if deadlocks == 0 {
        return Ok(());
    }
    let count = counted(deadlocks, "state has", "states have");
    let why = "which Storm's dialect cannot say";
    Err(Error::wrong(format!("{model}: {count} no choice, {why}")))
}
