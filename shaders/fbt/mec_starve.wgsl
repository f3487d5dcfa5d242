//! A step of the attractors of the papers' MEC algorithm: states without a choice die, and the next
//! step starts from them (2014 paper, Definition 7 and section 2.3, step 2; 2016 paper, 2.3, step
//! 2b). One invocation per eight states (`fbt/lib/bits`).
//!
//! flags: TELL
//!
//! Looks only at states that lost a choice, and runs after all bits of `removed` were written. If a
//! state has very many choices, all invocations of a workgroup look at them together.
//!
//! TELL: lists the dead in `tells` for `mec_attract`.
//!
//! Reads `choice_offsets`, `removed`. Owns `results`, a word per state.
//!
//! Shares, by atomics: `checks` and `tells`, of which each bit is changed by its state's
//! invocation.
#import fbt/lib/bits
#import lib/grid
#import lib/loop
#import fbt/lib/results

struct StarveParams {
    states: u32,
    /// The choices of a state that has more are not for one invocation.
    long_choices: u32,
}

/// In place of `long_choices`: no state has so many.
const NO_LONG = 0xffffffffu;

@group(0) @binding(0) var<storage, read> choice_offsets: array<u32>;
@group(0) @binding(1) var<storage, read> removed: array<u32>;
//@ disjoint results: the same invocation reads and writes a word
@group(0) @binding(2) var<storage, read_write> results: array<u32>;
@group(0) @binding(3) var<storage, read_write> checks: array<atomic<u32>>;
#ifdef TELL
@group(0) @binding(4) var<storage, read_write> tells: array<atomic<u32>>;
#endif
@group(0) @binding(5) var<uniform> params: StarveParams;

/// The states of a block whose choices are looked at together.
var<workgroup> long_states: array<u32, BLOCK>;
var<workgroup> long_count: atomic<u32>;
/// Whether one of them has a choice.
var<workgroup> has_one: atomic<u32>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let shift = own_shift(local);
    let blocks = (params.states + BLOCK - 1u) / BLOCK;
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let at = own_word(block, local);
        let checked = (atomicLoad(&checks[at]) >> shift) & 0xffu;
        if checked != 0u {
            // RESULT UNUSED: the bits are this invocation's, and this kernel sets none.
            atomicAnd(&checks[at], ~(checked << shift));
        }
        for (var k = 0u; k < 8u && checked >> k != 0u; k += 1u) {
            if (checked & (1u << k)) != 0u {
                check(own_state(block, local, k), grid.count.x);
            }
        }
        if params.long_choices != NO_LONG {
            check_long(local, grid.count.x);
        }
    }
}

fn check(i: u32, groups: u32) {
    if results[i] == DEAD {
        return;
    }
    if choice_offsets[i + 1u] - choice_offsets[i] > params.long_choices {
        long_states[atomicAdd(&long_count, 1u)] = i;
    } else if !has_choice(i) {
        kill(i, groups);
    }
}

/// Checks the states that were left to all invocations, which call it together.
fn check_long(local: u32, groups: u32) {
    let states = workgroupUniformLoad(&long_count);
    for (var at = 0u; at < states; at += 1u) {
        let i = long_states[at];
        look_together(i, local);
        let has = workgroupUniformLoad(&has_one);
        // By the invocation that the state's word is of.
        if local == i % SIZE {
            atomicStore(&has_one, 0u);
            if has == 0u {
                kill(i, groups);
            }
        }
        workgroupBarrier();
    }
    if local == 0u {
        atomicStore(&long_count, 0u);
    }
    workgroupBarrier();
}

/// Says in `has_one` whether one of the bits of i's choices is not set.
fn look_together(i: u32, local: u32) {
    let first = choice_offsets[i];
    let end = choice_offsets[i + 1u];
    let words = (end - 1u) / 32u - first / 32u + 1u;
    for (var j = local; j < words && atomicLoad(&has_one) == 0u; j += SIZE) {
        let word = first / 32u + j;
        let low = max(first, word * 32u) % 32u;
        let bits = min(end - word * 32u, 32u) - low;
        if extractBits(~removed[word], low, bits) != 0u {
            atomicStore(&has_one, 1u);
        }
    }
}

fn kill(i: u32, groups: u32) {
    results[i] = DEAD;
#ifdef TELL
    // RESULT UNUSED: the bit is only set, by its state's invocation.
    atomicOr(&tells[word_of(i)], bit_of(i));
#endif
    loop_again(groups);
}

/// Returns whether one of the bits of i's choices is not set.
fn has_choice(i: u32) -> bool {
    let end = choice_offsets[i + 1u];
    for (var choice = choice_offsets[i]; choice < end;) {
        // Up to the end of the word.
        let bits = min(32u - choice % 32u, end - choice);
        let present = extractBits(~removed[choice / 32u], choice % 32u, bits);
        if present != 0u {
            return true;
        }
        choice += bits;
    }
    return false;
}
