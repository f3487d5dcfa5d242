//! Runs before the first dense iteration of a breadth-first search: sets the bits of the states
//! that are reached, and of the states of the frontier. One workgroup per block of states.
//!
//! checks: debug
//!
//! Reads `distances`. Owns the words of `reached`, `seen` and `fresh`.
#import bfs/lib/dense
#import lib/grid

@group(0) @binding(0) var<storage, read> distances: array<u32>;
//@ disjoint reached: one invocation writes each word, and words have different places (`place_of`)
@group(0) @binding(1) var<storage, read_write> reached: array<u32>;
@group(0) @binding(2) var<storage, read_write> seen: array<u32>;
@group(0) @binding(3) var<storage, read_write> fresh: array<u32>;
@group(0) @binding(4) var<uniform> params: LevelParams;

/// The states of a block: bit 0 if a state is reached, bit 1 if it is in the frontier. A word
/// takes one place more than it has states, so that invocations read from different banks.
//@ within states_of: a place in a block, and one more for each word before it
var<workgroup> states_of: array<u32, BLOCK + BLOCK_WORDS>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let frontier = load_frontier();
    if loop_now.x == 0u || ends_dense(frontier) {
        return;
    }
    let blocks = blocks_of(params.states);
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let first = block * BLOCK;
        let states = params.states - first;
        // Loads do not depend on whether a state is there: so several are under way at a time.
        for (var at = local; at < BLOCK; at += SIZE) {
            let distance = distances[first + min(at, states - 1u)];
            let found = u32(distance != UNREACHED) | (u32(distance == frontier.level) << 1u);
            states_of[at + (at >> 5u)] = select(0u, found, at < states);
        }
        workgroupBarrier();
        let word = block * BLOCK_WORDS + local;
        if local < BLOCK_WORDS && word < words_of(params.states) {
            write_word(word, local);
        }
        workgroupBarrier();
    }
}

/// Writes a word of each of the arrays.
fn write_word(word: u32, local: u32) {
    var before = 0u;
    var frontier = 0u;
    for (var i = 0u; i < 32u; i += 1u) {
        let found = states_of[33u * local + i];
        before |= (found & 1u) << i;
        frontier |= (found >> 1u) << i;
    }
    reached[place_of(word)] = before;
    seen[word] = before;
    fresh[word] = frontier;
}
