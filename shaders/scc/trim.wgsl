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
#import grid
#import edges
#import loop
#import results
#import rows

const SIZE = 256u;
/// Words of bits a workgroup takes at a time.
const WORDS = 64u;

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

var<workgroup> taken_checks: array<u32, WORDS>;
var<workgroup> taken_tells: array<u32, WORDS>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let end_word = (params.rows.end_state + 31u) / 32u;
    let first_word = params.rows.first_state / 32u + workgroup.x * WORDS;
    for (var word = first_word; word < end_word; word += count.x * WORDS) {
        workgroupBarrier();
        if local < WORDS {
            take(local, word + local, end_word);
        }
        workgroupBarrier();
        for (var k = local; k < WORDS * 32u; k += SIZE) {
            let i = word * 32u + k;
            let bit = 1u << (k % 32u);
            if (taken_tells[k / 32u] & bit) != 0u {
                tell(i, count.x);
            }
            if (taken_checks[k / 32u] & bit) != 0u {
                check(i, count.x);
            }
        }
    }
}

/// Moves a word of each bit array to workgroup memory.
fn take(slot: u32, word: u32, end_word: u32) {
    var checked = 0u;
    var told = 0u;
    if word < end_word {
        let at = params.direction * params.words + word;
        if atomicLoad(&checks[at]) != 0u {
            checked = atomicExchange(&checks[at], 0u);
        }
        if atomicLoad(&tells[at]) != 0u {
            told = atomicExchange(&tells[at], 0u);
        }
    }
    taken_checks[slot] = checked;
    taken_tells[slot] = told;
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
            atomicOr(&checks[other + k / 32u], 1u << (k % 32u));
            loop_again(groups);
        }
    }
}

fn check(i: u32, groups: u32) {
    // Bits past the last state are set too when all states are to be checked.
    if i >= params.rows.end_state {
        return;
    }
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
    atomicOr(&tells[other + i / 32u], 1u << (i % 32u));
    loop_again(groups);
}
