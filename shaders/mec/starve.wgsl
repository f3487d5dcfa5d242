//! States without a choice die: the states of an attractor that its next step starts from (2014, Definition
//! 7 and section 2.3, step 2; 2016, 2.3, step 2b).
//!
//! flags: TELL
//!
//! Looks only at states that lost a choice. They are judged in a dispatch of their own, when all bits of
//! `removed` are known.
//!
//! TELL: lists the dead in `fallen` for attract.wgsl.
//!
//! Reads `choice_offsets`, `removed`. Owns `results`, a word an invocation, and `checks`, a word a workgroup.
//! Shares `fallen`, a bit a state, by atomics.
#import loop
#import results

const SIZE = 256u;
/// Words of bits a workgroup takes at a time.
const WORDS = 64u;

struct StarveParams {
    states: u32,
}

@group(0) @binding(0) var<storage, read> choice_offsets: array<u32>;
@group(0) @binding(1) var<storage, read> removed: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;
@group(0) @binding(3) var<storage, read_write> checks: array<u32>;
#ifdef TELL
@group(0) @binding(4) var<storage, read_write> fallen: array<atomic<u32>>;
#endif
@group(0) @binding(5) var<uniform> params: StarveParams;

var<workgroup> taken: array<u32, WORDS>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let end_word = (params.states + 31u) / 32u;
    for (var word = workgroup.x * WORDS; word < end_word; word += count.x * WORDS) {
        workgroupBarrier();
        if local < WORDS {
            taken[local] = 0u;
            if word + local < end_word {
                taken[local] = checks[word + local];
                checks[word + local] = 0u;
            }
        }
        workgroupBarrier();
        for (var k = local; k < WORDS * 32u; k += SIZE) {
            let i = word * 32u + k;
            if ((taken[k / 32u] >> (k % 32u)) & 1u) != 0u && results[i] != DEAD && !has_choice(i) {
                results[i] = DEAD;
#ifdef TELL
                atomicOr(&fallen[i / 32u], 1u << (i % 32u));
#endif
                loop_again(count.x);
            }
        }
    }
}

/// Whether one of the bits of i's choices is not set.
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
