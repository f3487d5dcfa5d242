//! Step 3 of a batch (`docs/exploring.md`), second pass: computes the numbers of the new states and
//! the places of the transitions of each block, and decides whether there is another batch; if not,
//! it stores the reason. Only one workgroup has work.
//!
//! Reads `tallies`. Owns `block_sums`, which become the sums before each block, and `control`.
#import explore/lib/control
#import explore/lib/params
#import lib/grid
#import lib/loop
#import lib/scan

//@ assume grid.count.y == 1: the host dispatches in one dimension
//@ assume grid.count.z == 1: as above
//@ disjoint block_sums: each invocation reads and writes its own range
@group(0) @binding(0) var<storage, read_write> block_sums: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> tallies: array<u32>;
//@ disjoint control: all read it first, one invocation goes on with it behind a barrier
@group(0) @binding(2) var<storage, read_write> control: array<u32>;
@group(0) @binding(3) var<uniform> params: ExploreParams;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    if grid.workgroup.x != 0u {
        return;
    }
    let blocks = blocks_of(control[CANDIDATES]);
    let each = (blocks + SIZE - 1u) / SIZE;
    let begin = min(local * each, blocks);
    let end = min(begin + each, blocks);
    var own = vec2(0u, 0u);
    for (var block = begin; block < end; block++) {
        own += block_sums[block];
    }
    let all = vec2(sum_through(local, own.x), sum_through(local, own.y));
    var before = all - own;
    for (var block = begin; block < end; block++) {
        let sum = block_sums[block];
        block_sums[block] = before;
        before += sum;
    }
    storageBarrier();
    workgroupBarrier();
    // The last invocation knows the sums of all. Iterations after the end of the loop do nothing.
    if local == SIZE - 1u && loop_now.x != 0u {
        if control[STOP] == RUNNING {
            control[STOP] = close(all.x, all.y);
            // After the last batch one more iteration follows, whose batch is empty.
            loop_again(grid.count.x);
        }
        tell();
    }
}

/// Ends a batch with this many new states and transitions, or undoes it. Returns whether to stop.
fn close(new_states: u32, transitions: u32) -> u32 {
    var stop = RUNNING;
    if tallies[HOMELESS] != 0u {
        stop = OVERFLOW;
    } else if tallies[FAILED] < control[END] {
        // Those after the batch are visited again.
        stop = BROKEN;
        control[NEEDED] = tallies[FAILED];
    } else if tallies[LONGEST] != 0u {
        stop = LONG;
        control[NEEDED] = tallies[LONGEST];
    } else if new_states > params.most_states - control[BASE] {
        stop = FULL;
        control[NEEDED] = control[BASE] + new_states;
    }
    if stop != RUNNING {
        control[END] = control[START];
        control[CANDIDATES] = 0u;
        return stop;
    }
    control[KNOWN_STATES] = control[BASE] + new_states;
    control[ROW_BEGIN] = control[ROW_END];
    if params.most_transitions != 0xffffffffu {
        control[ROW_END] += transitions;
    }
    control[TRANSITIONS] += transitions;
    if control[TRANSITIONS] < transitions {
        control[TRANSITIONS_HIGH]++;
    }
    if control[END] == control[KNOWN_STATES] {
        return FINISHED;
    }
    let rows = control[END] - control[ROWS_FROM];
    if control[ROW_END] > params.most_transitions - params.most_candidates
        || rows > params.most_rows - params.most_batch {
        return DRAIN;
    }
    return RUNNING;
}

/// Reports the progress to observers.
fn tell() {
    atomicStore(&loop_next.words[0], control[KNOWN_STATES]);
    atomicStore(&loop_next.words[1], control[END]);
    atomicStore(&loop_next.words[2], control[TRANSITIONS]);
    atomicStore(&loop_next.words[3], control[TRANSITIONS_HIGH]);
}
