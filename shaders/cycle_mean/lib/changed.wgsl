//! Records the changes of policies, and whether the present policy was evaluated in full.
//!
//! Shares `changed` (atomic): for each component, and after these for all together, the number of
//! the policy that the last change has led to; after that the last attempt that has failed; and
//! how long the longest way to a leader was in the last evaluation, and how many levels the search
//! for the best cycle had. An attempt evaluates a policy with as many passes as the host expects to
//! be enough, by what earlier ones would have needed. If they are not, the policy is left as it is,
//! and the host makes another one with loops, whose number is 0.
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

/// Notes that there is such a level. Looks before it writes: thousands of states are in one.
fn note_level(level: u32) {
    if atomicLoad(&changed[params.components + 3u]) < level {
        atomicMax(&changed[params.components + 3u], level);
    }
}
