//! Before the dense loop of a breadth-first search: writes the states that are reached, and those
//! of the frontier, as bits.
//!
//! Reads `distances`. Owns the words of `reached`, `seen` and `fresh`.
#import bfs/lib/bits
#import lib/grid

const SIZE = 256u;

/// In `distances`: the state was not reached.
const UNREACHED = 0xffffffffu;

struct EnterParams {
    states: u32,
    /// The distance of the states of the frontier.
    level: u32,
}

@group(0) @binding(0) var<storage, read> distances: array<u32>;
@group(0) @binding(1) var<storage, read_write> reached: array<u32>;
@group(0) @binding(2) var<storage, read_write> seen: array<u32>;
@group(0) @binding(3) var<storage, read_write> fresh: array<u32>;
@group(0) @binding(4) var<uniform> params: EnterParams;

/// The states of a block: bit 0 if a state is reached, bit 1 if it is in the frontier. A word
/// takes one place more than it has states, so that invocations read from different banks.
//@ within states_of: a place in a block, and one more for each word before it
var<workgroup> states_of: array<u32, BLOCK + BLOCK_WORDS>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let blocks = blocks_of(params.states);
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let first = block * BLOCK;
        for (var at = local; at < BLOCK; at += SIZE) {
            var found = 0u;
            if at < params.states - first {
                let distance = distances[first + at];
                found = u32(distance != UNREACHED) | (u32(distance == params.level) << 1u);
            }
            states_of[at + (at >> 5u)] = found;
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
    reached[word] = before;
    seen[word] = before;
    fresh[word] = frontier;
}
