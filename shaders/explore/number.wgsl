//! Step 3 of a batch (`docs/exploring.md`), last pass: numbers the new states in the order of
//! their first candidates, and appends them to the known states. One workgroup per block of
//! candidates.
//!
//! flags: DROP
//! checks: debug
//!
//! With DROP, some transitions are marked to be dropped, and the others are ranked.
//!
//! Reads `found`, `candidates`, `block_sums`, `control` and, with DROP, `labels`. Owns `states`
//! after the known ones and, with DROP, `ranks`, one word per candidate. Shares `slots`: only the
//! invocation of its first candidate replaces the entry of a new state.
#import explore/lib/control
#import explore/lib/firsts
#import explore/lib/params
#import explore/lib/table
#import lib/grid
#import lib/scan

@group(0) @binding(0) var<storage, read> found: array<u32>;
@group(0) @binding(1) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> control: array<u32>;
@group(0) @binding(3) var<storage, read> block_sums: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> candidates: array<u32>;
//@ disjoint states: `block_sums` says how many new states come before those of a block
@group(0) @binding(5) var<storage, read_write> states: array<u32>;
#ifdef DROP
@group(0) @binding(6) var<storage, read> labels: array<u32>;
@group(0) @binding(7) var<storage, read_write> ranks: array<u32>;
#endif
@group(0) @binding(8) var<uniform> params: ExploreParams;

/// The number of words of a state.
override WORDS: u32;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let n = control[CANDIDATES];
    let blocks = blocks_of(n);
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let begin = min(block * BLOCK + local * EACH, n);
        let end = min(begin + EACH, n);
        number(block, local, begin, end);
#ifdef DROP
        rank(block, local, begin, end);
#endif
    }
}

/// Numbers the new states of a stretch of candidates.
fn number(block: u32, local: u32, begin: u32, end: u32) {
    var entries: array<u32, EACH>;
    var own = 0u;
    for (var i = 0u; i < EACH; i++) {
        entries[i] = EMPTY;
        if begin + i < end {
            entries[i] = first_entry(begin + i);
        }
        if entries[i] != EMPTY {
            own++;
        }
    }
    var state = control[BASE] + block_sums[block].x + sum_through(local, own) - own;
    for (var i = 0u; i < EACH; i++) {
        if entries[i] == EMPTY {
            continue;
        }
        let place = begin + i;
        for (var word = 0u; word < WORDS; word++) {
            states[state * WORDS + word] = candidates[place * WORDS + word];
        }
        atomicStore(&slots[found[place]], KNOWN | (entries[i] & tag_mask()) | state);
        state++;
    }
}

#ifdef DROP
/// Ranks a stretch of candidates among the transitions that are kept.
fn rank(block: u32, local: u32, begin: u32, end: u32) {
    var own = 0u;
    for (var place = begin; place < end; place++) {
        if labels[place] < DROPPED {
            own++;
        }
    }
    var before = block_sums[block].y + sum_through(local, own) - own;
    for (var place = begin; place < end; place++) {
        ranks[place] = before;
        if labels[place] < DROPPED {
            before++;
        }
    }
}
#endif
