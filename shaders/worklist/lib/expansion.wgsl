//! Edges of many rows laid end to end, for the invocations of a workgroup to share out; and rows that are too long for that,
//! which are left to all workgroups.
#import worklist/lib/edges
#import worklist/lib/scratch
#import worklist/lib/control

/// Edges laid end to end at a time.
const SLOTS = 4u * SIZE;

/// Two halves, of which an iteration reads one and writes the other: an entry, and its state's region.
//@ disjoint heavy: an iteration reads one half, and writes every place of the other once
@group(0) @binding(9) var<storage, read_write> heavy: array<vec2<u32>>;

var<workgroup> slots_taken: atomic<u32>;
/// What all workgroups had handed over, when it was last asked.
var<workgroup> handed_over: u32;
var<workgroup> row_now: vec2<u32>;

/// The invocation that a slot was dealt to. It is one of the workgroup whatever lies there, so that indices made of it are bounded.
fn invocation_of(slot: u32) -> u32 {
    return room[SLOTS_AT + slot] % SIZE;
}

/// Whose a slot is.
fn owner_of(slot: u32) -> Owner {
    return owner(invocation_of(slot));
}

/// Says whose the slots of a window are: an invocation's are those of `own`. A barrier.
fn deal_slots(own: vec2<u32>, window: u32, local: u32) {
    if window != 0u {
        workgroupBarrier();
    }
    for (var j = max(own.x, window); j < min(own.y, window + SLOTS); j += 1u) {
        room[SLOTS_AT + j - window] = local;
    }
    workgroupBarrier();
}

/// Leaves the row of an entry, whose state is in region `name`, to all workgroups.
fn leave_to_all(entry: u32, name: u32) {
    let at = atomicAdd(&loop_next.words[2], 1u);
    heavy[((loop_now.iteration + 1u) & 1u) * params.heavy_capacity + at] = vec2(entry, name);
}

/// What was left so in the iteration before.
fn left_to_all(index: u32) -> vec2<u32> {
    return heavy[(loop_now.iteration & 1u) * params.heavy_capacity + index];
}

/// The same row for the whole workgroup. A barrier.
fn row_together(along: u32, state: u32, local: u32) -> vec2<u32> {
    if local == 0u {
        // Whatever the offsets are: loops over it end.
        row_now = min(row(along, state), vec2(select(arrayLength(&back_targets), arrayLength(&targets), along == 0u)));
    }
    return workgroupUniformLoad(&row_now);
}
