//! The record that each iteration of a repeated body passes to the next (`gpu::Recording::repeat`).
//!
//! Iteration k was dispatched with `loop_now.x, y, z` workgroups and fills `loop_next`, whose
//! workgroups start as (0, 1, 1) or whatever the host asked for. The loop ends when the product of
//! the three is zero. If all iterations have the same workgroups (`gpu::Repeat::fixed_grid`), those
//! after the end run nevertheless, and have to do nothing. `words` are the kernel's own; they start
//! as zeros, the first record's as the host asked for.

struct LoopNow {
    x: u32,
    y: u32,
    z: u32,
    iteration: u32,
    words: array<u32, 28>,
}

struct LoopNext {
    x: atomic<u32>,
    y: atomic<u32>,
    z: atomic<u32>,
    iteration: u32,
    words: array<atomic<u32>, 28>,
}

@group(1) @binding(0) var<storage, read> loop_now: LoopNow;
@group(1) @binding(1) var<storage, read_write> loop_next: LoopNext;

/// Requests another iteration of at least `groups` workgroups. Reads first, because thousands of
/// invocations may request it, and one write is enough.
fn loop_again(groups: u32) {
    if atomicLoad(&loop_next.x) < groups {
        atomicMax(&loop_next.x, groups);
    }
}
