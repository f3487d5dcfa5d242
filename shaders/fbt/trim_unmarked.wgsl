//! Trimming without a transpose, second half (2016 paper, Algorithm 1, line 1): trims the states to
//! which no other state of their region leads, and those whose bit says that they may lead to none.
//! Clears the bits of `trim_mark`. One workgroup per 64 words of bits.
//!
//! Owns `results`, a word per state, and `marked`, two words per invocation.
#import lib/grid
#import lib/loop
#import fbt/lib/results

const SIZE = 256u;
/// The number of words of bits that a workgroup takes at a time.
const WORDS = 64u;

struct UnmarkedParams {
    states: u32,
    /// The place where the bits of suspected states begin.
    suspected_at: u32,
}

@group(0) @binding(0) var<storage, read_write> results: array<u32>;
//@ assume 32 * params.suspected_at >= params.states: the bits of one kind end before the others
//@ assume arrayLength(&marked) >= 2 * params.suspected_at: there are as many of either kind
//@ owned marked: an invocation reads and writes two words, which no other one looks at
@group(0) @binding(1) var<storage, read_write> marked: array<u32>;
@group(0) @binding(2) var<uniform> params: UnmarkedParams;

var<workgroup> taken: array<u32, WORDS>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let end_word = (params.states + 31u) / 32u;
    let blocks = (end_word + WORDS - 1u) / WORDS;
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let word = block * WORDS;
        workgroupBarrier();
        if local < WORDS && word + local < end_word {
            let suspected = params.suspected_at + word + local;
            taken[local] = marked[word + local] & ~marked[suspected];
            marked[word + local] = 0u;
            marked[suspected] = 0u;
        }
        workgroupBarrier();
        for (var k = local; k < WORDS * 32u; k += SIZE) {
            let i = word * 32u + k;
            if i >= params.states || ((taken[k / 32u] >> (k % 32u)) & 1u) != 0u {
                continue;
            }
            if is_active(results[i]) {
                results[i] = DONE | i;
                loop_again(grid.count.x);
            }
        }
    }
}
