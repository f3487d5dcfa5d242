//! Finds the best cycle of each component: the one of least value, and of several, the one of least
//! leader. One invocation per state; leaders vote as in Algorithm 5 of Barnat, Bauch, Brim and
//! Češka (2011). Shares `best` (atomic), a word per component: the leader of the best cycle so far.
//! Reads the rest.
#import lib/grid
#import cycle_mean/lib/fractions
#import cycle_mean/lib/params

@group(0) @binding(0) var<storage, read> rows: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> leaders: array<u32>;
@group(0) @binding(2) var<storage, read> cycles: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> best: array<atomic<u32>>;

/// Returns whether the cycle of one leader is better than that of another.
fn beats(leader: u32, other: u32) -> bool {
    if other == NONE || is_less_fraction(cycles[leader], cycles[other]) {
        return true;
    }
    return leader < other && !is_less_fraction(cycles[other], cycles[leader]);
}

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    for (var i = grid_index(grid, local, SIZE); i < params.states; i += grid_stride(grid, SIZE)) {
        if leaders[i] != i {
            continue;
        }
        let component = rows[i].y;
        var known = atomicLoad(&best[component]);
        while known != i && beats(i, known) {
            let voted = atomicCompareExchangeWeak(&best[component], known, i);
            if voted.exchanged {
                break;
            }
            known = voted.old_value;
        }
    }
}
