//! Records the changes of policies, and whether the present policy was evaluated in full.
//!
//! Shares `changed` (atomic): for each component, and after these for all together, the number of
//! the policy that the last change has led to. Three more words have the last attempt that has
//! failed, the length of the longest way to a leader in the last evaluation, and the number of
//! levels of its search for the best cycle. An attempt evaluates a policy with as many passes as
//! the host expects to be enough. If they are not, the policy stays as it is, and loops evaluate it
//! (attempt 0).
#import cycle_mean/lib/params

@group(0) @binding(8) var<storage, read_write> changed: array<atomic<u32>>;

/// Records that there were not enough passes.
fn fail_attempt() {
    if !has_failed() && params.attempt > 0u {
        atomicStore(&changed[params.components + 1u], params.attempt);
    }
}

/// Returns whether there were not enough passes.
fn has_failed() -> bool {
    return params.attempt > 0u && atomicLoad(&changed[params.components + 1u]) == params.attempt;
}

/// Forgets the records about the previous policy.
fn forget_notes() {
    atomicStore(&changed[params.components + 2u], 0u);
    atomicStore(&changed[params.components + 3u], 0u);
}

/// Records that a way has this many steps.
fn note_way(steps: u32) {
    if atomicLoad(&changed[params.components + 2u]) < steps {
        atomicMax(&changed[params.components + 2u], steps);
    }
}

/// Records that a level was reached. Reads first, because thousands of states are in a level.
fn note_level(level: u32) {
    if atomicLoad(&changed[params.components + 3u]) < level {
        atomicMax(&changed[params.components + 3u], level);
    }
}
