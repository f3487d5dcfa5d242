//! The queue of the worklist engine, and the workgroup queue of entries that a workgroup has found
//! and keeps in its own memory.
//!
//! The queue grows at `iteration.end`; a workgroup spills many entries at a time. During searches,
//! the entries that a workgroup explored without spilling them are logged at the far end of the
//! queue, so that it names every state that was reached. At the beginning of the queue are the
//! names of the regions that have a pivot (`seeds.wgsl`).
//!
//! The two ends never meet, because no state has more than three words: a state that one search
//! alone reaches has one entry, and two if it loses its last edges on both sides; a state that both
//! searches reach has two entries, and the name of a region if it is the pivot.
#import worklist/lib/edges
#import worklist/lib/iteration
#import worklist/lib/scratch

/// The number of entries that the workgroup queue holds. Further ones are spilled one by one.
const WORKGROUP_QUEUE = 4u * SIZE;
/// The workgroup queue is spilled in good time if it holds more than this.
const SPILL_ABOVE = WORKGROUP_QUEUE / 2u;

/// An entry of the queue, and the data about it.
struct QueueEntry {
    entry: u32,
    /// The region of its state.
    name: u32,
    /// The edges to be followed.
    row: vec2<u32>,
}

//@ disjoint queue: an iteration reads entries of earlier ones, and writes each other place once
@group(0) @binding(8) var<storage, read_write> queue: array<u32>;

/// The number of entries added to the workgroup queue, including those that found no room.
var<workgroup> workgroup_queue_len: atomic<u32>;
var<workgroup> spill_at: u32;

/// Adds an entry to be explored: to the workgroup queue, if the edges of its state are bound.
fn enqueue(iteration: Iteration, entry: u32) {
    if is_bound(entry >> 31u, entry & STATE) {
        let at = atomicAdd(&workgroup_queue_len, 1u);
        if at < WORKGROUP_QUEUE {
            scratch[WORKGROUP_QUEUE_AT + at] = entry;
            return;
        }
    }
    spill_one(iteration, entry);
}

/// Adds those of four entries that are new.
fn enqueue_four(iteration: Iteration, entries: vec4<u32>, is_new: vec4<bool>) {
    if is_new.x {
        enqueue(iteration, entries.x);
    }
    if is_new.y {
        enqueue(iteration, entries.y);
    }
    if is_new.z {
        enqueue(iteration, entries.z);
    }
    if is_new.w {
        enqueue(iteration, entries.w);
    }
}

/// Adds an entry to the queue itself.
fn spill_one(iteration: Iteration, entry: u32) {
    queue[iteration.end + reserve(1u)] = entry;
}

/// Reserves places in the queue for entries. Returns the first one, counted from `iteration.end`.
fn reserve(count: u32) -> u32 {
    return atomicAdd(&loop_next.words[CONTROL_ADDED], count);
}

/// Returns the place of the queue at which the i-th entry of a search is logged.
fn log_place(i: u32) -> u32 {
    return params.capacity - 1u - i;
}

/// Returns the number of entries of the workgroup queue, the same in the workgroup. A barrier.
fn workgroup_queue_length() -> u32 {
    return min(workgroupUniformLoad(&workgroup_queue_len), WORKGROUP_QUEUE);
}

/// Spills the workgroup queue if it holds more than `most` entries. A barrier.
fn spill(iteration: Iteration, most: u32, local: u32) {
    let count = workgroup_queue_length();
    if count <= most {
        return;
    }
    if local == 0u {
        spill_at = reserve(count);
        atomicStore(&workgroup_queue_len, 0u);
    }
    let base = iteration.end + workgroupUniformLoad(&spill_at);
    for (var i = local; i < count; i += SIZE) {
        queue[base + i] = scratch[WORKGROUP_QUEUE_AT + i];
    }
    workgroupBarrier();
}

/// Takes the last `batch` of `count` entries of the workgroup queue, one for each of the first
/// invocations. Returns the invocation's entry. The new length is to be seen after the next
/// barrier.
fn dequeue(count: u32, batch: u32, local: u32) -> u32 {
    var entry = 0u;
    if local < batch {
        entry = scratch[WORKGROUP_QUEUE_AT + count - 1u - local];
    }
    workgroupBarrier();
    if local == 0u {
        atomicStore(&workgroup_queue_len, count - batch);
    }
    return entry;
}
