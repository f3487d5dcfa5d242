//! Trimming along the rows of one direction (2016, Algorithm 1, line 1).
//!
//! A state falls, as a component of its own, once no edge of the direction leads to another state of its
//! region. Looking at every state in every iteration would cost a scan of all edges a level of the graph.
//! A state is looked at again only when it may have changed: `checks` has a bit for each state to be
//! checked, and `tells` one for each that fell for want of edges of the *other* direction, whose
//! neighbours in this direction have to be checked against the other. The two directions take turns.
//!
//!     for each state i in tells[direction]:    for each edge i -> k, k active:  checks[other] += k
//!     for each state i in checks[direction]:   if no edge i -> k stays in i's region, k != i:
//!                                                  results[i] = done;  tells[other] += i
//!
//! flags: CHOICES
//!
//! CHOICES: edges of removed choices are none. (They may still tell of a fall: a check in vain.)
//!
//! Reads `offsets`, `entries`; what belongs to CHOICES. Shares, by atomics: `results`, each word of which is written by the
//! invocation that took the state's bit; `checks`, `tells`.
#import bits
#import edges
#import loop
#import results
#import rows

struct TrimParams {
    rows: Rows,
    /// 0 forward, 1 backward.
    direction: u32,
    /// The words of one direction in `checks` and `tells`.
    words: u32,
    padding_0: u32,
    padding_1: u32,
}

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> checks: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> tells: array<atomic<u32>>;
@group(0) @binding(5) var<uniform> params: TrimParams;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let shift = own_shift(local);
    let first_block = params.rows.first_state / BLOCK + workgroup.x;
    for (var block = first_block; block * BLOCK < params.rows.end_state; block += count.x) {
        let at = params.direction * params.words + own_word(block, local);
        var told = (atomicLoad(&tells[at]) >> shift) & 0xffu;
        var checked = (atomicLoad(&checks[at]) >> shift) & 0xffu;
        if (told | checked) == 0u {
            continue;
        }
        let own = own_bits(block, local, params.rows.first_state, params.rows.end_state);
        told &= own;
        checked &= own;
        // RESULT UNUSED: the bits are this invocation's; this dispatch sets those of the other direction.
        atomicAnd(&tells[at], ~(told << shift));
        // RESULT UNUSED: the same.
        atomicAnd(&checks[at], ~(checked << shift));
        for (var k = 0u; k < 8u; k += 1u) {
            let i = own_state(block, local, k);
            if (told & (1u << k)) != 0u {
                tell(i, count.x);
            }
            if (checked & (1u << k)) != 0u {
                check(i, count.x);
            }
        }
    }
}

fn tell(i: u32, groups: u32) {
    let other = (1u - params.direction) * params.words;
    let step = row_step(params.rows, i);
    let end = offsets[row_end(params.rows, i)] - params.rows.first_entry;
    for (var j = offsets[i] - params.rows.first_entry; j < end; j += step) {
        let edge = entries[j];
        if edge == EMPTY {
            break;
        }
        let k = state_of(params.rows, edge);
        if is_active(atomicLoad(&results[k])) {
            // RESULT UNUSED: the bit is only set: a check is asked for, by whoever it may be.
            atomicOr(&checks[other + word_of(k)], bit_of(k));
            loop_again(groups);
        }
    }
}

fn check(i: u32, groups: u32) {
    let own = atomicLoad(&results[i]);
    if !is_active(own) {
        return;
    }
    let step = row_step(params.rows, i);
    let end = offsets[row_end(params.rows, i)] - params.rows.first_entry;
    for (var j = offsets[i] - params.rows.first_entry; j < end; j += step) {
        let edge = entries[j];
        if edge == EMPTY {
            break;
        }
        let k = state_of(params.rows, edge);
        if k == i || atomicLoad(&results[k]) != own {
            continue;
        }
        if is_live(select(k, i, params.direction == 0u), group_of(params.rows, edge, j)) {
            return;
        }
    }
    atomicStore(&results[i], DONE | i);
    let other = (1u - params.direction) * params.words;
    // RESULT UNUSED: the bit is only set, by its state's invocation.
    atomicOr(&tells[other + word_of(i)], bit_of(i));
    loop_again(groups);
}
