//! Load-balanced edge expansion: the edges of up to 256 rows are laid out end to end, and
//! distributed evenly over the invocations of a workgroup, a window at a time. Rows of hubs are too
//! long for that. They are deferred to the next iteration, in which all workgroups share them.
#import lib/loop
#import worklist/lib/control
#import worklist/lib/edges
#import worklist/lib/scratch

/// The number of edges of a window: four for each invocation.
const WINDOW = 4u * SIZE;

/// The hubs of this iteration and of the next one, by turns: an entry, and its state's region.
//@ disjoint hubs: an iteration reads one half, and writes each place of the other half once
@group(0) @binding(9) var<storage, read_write> hubs: array<vec2<u32>>;

/// The number of edges that are laid out.
var<workgroup> expanded: atomic<u32>;
/// The number of entries that all workgroups had spilled when it was last read.
var<workgroup> spilled_by_all: u32;
var<workgroup> shared_row: vec2<u32>;

/// Returns the invocation that owns the row of an edge of the window. The result is below SIZE
/// whatever the scratch holds, so that indices made of it are bounded.
fn owner_index(edge: u32) -> u32 {
    return scratch[EDGE_OWNERS_AT + edge] % SIZE;
}

/// Returns the row that an edge of the window belongs to.
fn owner_of(edge: u32) -> RowOwner {
    return row_owner(owner_index(edge));
}

/// Lays out a row for invocation `local`. Returns from where to where its edges are laid out.
fn lay_out(row: vec2<u32>, item: u32, name: u32, local: u32) -> vec2<u32> {
    let degree = row.y - row.x;
    let first = atomicAdd(&expanded, degree);
    set_row_owner(local, RowOwner(row.x - first, item, name));
    return vec2(first, first + degree);
}

/// Fills a window with the owners of its edges. Those of this invocation are laid out at `own`. A
/// barrier.
fn fill_window(own: vec2<u32>, window: u32, local: u32) {
    if window != 0u {
        workgroupBarrier();
    }
    for (var j = max(own.x, window); j < min(own.y, window + WINDOW); j += 1u) {
        scratch[EDGE_OWNERS_AT + j - window] = local;
    }
    workgroupBarrier();
}

/// Returns the half of `hubs` that an iteration reads.
fn hubs_at(iteration: u32) -> u32 {
    return (iteration & 1u) * params.hub_capacity;
}

/// Defers the row of an entry, whose state is in region `name`, to the next iteration.
fn defer_hub(entry: u32, name: u32) {
    let at = atomicAdd(&loop_next.words[CONTROL_HUBS], 1u);
    hubs[hubs_at(loop_now.iteration + 1u) + at] = vec2(entry, name);
}

/// Returns a hub that the iteration before has deferred.
fn deferred_hub(index: u32) -> vec2<u32> {
    return hubs[hubs_at(loop_now.iteration) + index];
}

/// Returns the row of a state, the same for the whole workgroup. A barrier.
fn row_of_hub(direction: u32, state: u32, local: u32) -> vec2<u32> {
    if local == 0u {
        // Bounded whatever the offsets are, so that loops over it end.
        let all = select(arrayLength(&back_targets), arrayLength(&targets), direction == 0u);
        shared_row = min(row(direction, state), vec2(all));
    }
    return workgroupUniformLoad(&shared_row);
}
