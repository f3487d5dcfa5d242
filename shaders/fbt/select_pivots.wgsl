//! One iteration of pivot selection (2016 paper, Algorithm 6): `entries` serves as a hash table, in
//! which the states of a region compete for the entry that the region hashes to. One invocation per
//! state.
//!
//! flags: AGGREGATED, JOIN
//!
//! The winner locks the entry with its number, and keeps the old entry in its own word of
//! `results`. The other states find the pivot in the entry. `restore_entries` restores the entries.
//! Every word that has been handled is locked.
//!
//! Iteration `turn` takes the regions whose hash lies in [turn |E|, (turn + 1) |E|); a region of a
//! later turn asks for it through the loop's first word, which says the next turn that is needed. A
//! compare-and-swap may fail spuriously, so a loser looks again (lines 22 to 34 take a failure as a
//! sign that the entry is locked).
//!
//! The first to come mostly wins, and workgroups start in order. So states compete in a different
//! order each time, and the pivot of a region is any of its states, not the smallest. Otherwise a
//! chain of components with its pivot at the end would take a round for each component.
//!
//! AGGREGATED: of the invocations of a subgroup with the same region, only one competes (the boxed
//! code, lines 7 to 14 and 38 to 48). This is right for any subgroup size, because all invocations
//! of a subgroup go through the loop equally often. The result of an attempt is passed on in
//! workgroup memory, after a barrier: an attempt takes some invocations longer than others, and a
//! subgroup is not guaranteed to reconverge after that.
//!
//! JOIN: only the states in `candidates` compete (the set J of 5.3, optimisation 2). The other
//! states of their regions look for the pivot afterwards (`follow_pivots`); Algorithm 6 omits that.
//!
//! Reads `candidates`. Owns `results`, a word per invocation. Shares `entries` by atomics: each
//! entry changes once.
#import lib/grid
#import lib/loop
#import fbt/lib/pivots
#import fbt/lib/results

const SIZE = 256u;
#ifdef AGGREGATED
const NOBODY = 0xffffffffu;

/// For each invocation that competed, the pivot that it found, or 0.
var<workgroup> pivots: array<u32, SIZE>;
#endif

@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> entries: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> params: SelectParams;
#ifdef JOIN
@group(0) @binding(3) var<storage, read> candidates: array<u32>;
#endif

/// The result of an attempt: the pivot, locked, and the state's own new word; 0 if not in this
/// turn.
struct Attempt {
    pivot: u32,
    own: u32,
}

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let groups = grid.count.x;
    let blocks = (params.places + SIZE - 1u) / SIZE;
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let i = (block * SIZE + local) ^ params.order;
        var info = LOCK;
        if i < params.states {
            info = results[i];
        }
        let candidate = is_active(info) && (info & LOCK) == 0u && is_candidate(i);
#ifdef AGGREGATED
        let leader = elect(candidate, info, local);
        var attempt = Attempt(0u, 0u);
        if leader == local {
            attempt = compete(i, info, groups);
        }
        pivots[local] = attempt.pivot;
        workgroupBarrier();
        if leader != NOBODY && leader != local && pivots[leader] != 0u {
            attempt.own = dealt_with(pivots[leader]);
        }
        if leader != NOBODY && attempt.own != 0u {
            results[i] = attempt.own;
        }
        // Before the next ones are written.
        workgroupBarrier();
#else
        if candidate {
            let attempt = compete(i, info, groups);
            if attempt.own != 0u {
                results[i] = attempt.own;
            }
        }
#endif
    }
}

fn is_candidate(i: u32) -> bool {
#ifdef JOIN
    return i < params.states && ((candidates[i / 32u] >> (i % 32u)) & 1u) != 0u;
#else
    return true;
#endif
}

/// Competes for the entry of a region (lines 16 to 40).
fn compete(i: u32, info: u32, groups: u32) -> Attempt {
    let hash = hash_of(info);
    let turn = hash / params.all_entries;
    let now = turn_now();
    if turn > now {
        ask_for(turn, groups);
        return Attempt(0u, 0u);
    }
    let position = hash % params.all_entries;
    if turn < now || position < params.first_entry || position >= params.end_entry {
        return Attempt(0u, 0u);
    }
    let at = position - params.first_entry;
    var seen = atomicLoad(&entries[at]);
    while (seen & LOCK) == 0u {
        let swap = atomicCompareExchangeWeak(&entries[at], seen, LOCK | i);
        if swap.exchanged {
            return Attempt(LOCK | i, LOCK | seen);
        }
        seen = swap.old_value;
    }
    return Attempt(seen, dealt_with(seen));
}

/// Asks for a later iteration; the smallest turn that anybody asks for is the next.
fn ask_for(turn: u32, groups: u32) {
    loop_again(groups);
    if atomicLoad(&loop_next.words[0]) < ~turn {
        atomicMax(&loop_next.words[0], ~turn);
    }
}
#ifdef AGGREGATED

/// Returns the invocation of the workgroup that competes for this one's region: in each subgroup
/// the first of those that are after it. All invocations of a subgroup leave the loop together, as
/// they see the same ballot.
fn elect(candidate: bool, info: u32, local: u32) -> u32 {
    var leader = NOBODY;
    var waiting = subgroupBallot(candidate);
    while any(waiting != vec4<u32>()) {
        let first = first_lane(waiting);
        let wanted = subgroupShuffle(info, first);
        let competitor = subgroupShuffle(local, first);
        leader = select(leader, competitor, candidate && leader == NOBODY && info == wanted);
        waiting = subgroupBallot(candidate && leader == NOBODY);
    }
    return leader;
}

fn first_lane(ballot: vec4<u32>) -> u32 {
    if ballot.x != 0u {
        return countTrailingZeros(ballot.x);
    }
    if ballot.y != 0u {
        return 32u + countTrailingZeros(ballot.y);
    }
    if ballot.z != 0u {
        return 64u + countTrailingZeros(ballot.z);
    }
    return 96u + countTrailingZeros(ballot.w);
}
#endif
