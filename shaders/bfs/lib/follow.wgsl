//! Top down, in dense iterations: follows rows of the frontier, and marks the ends of their edges.
//!
//! A team of invocations follows a row, each of them four edges at a time. Teams are larger if rows
//! have more edges on average. Rows that are much longer than the average are deferred: larger
//! teams or, for the longest, all invocations of the workgroup follow them.
#import bfs/lib/control
#import bfs/lib/bits

/// The most invocations of a team; a power of two.
const TEAM = 32u;
/// A row is deferred if its team would need more steps, of four edges an invocation.
const STEPS = 4u;
/// All invocations share a deferred row of more edges.
const TEAM_ROW = 4u * STEPS * TEAM;

@group(0) @binding(0) var<storage, read> targets: array<u32>;
@group(0) @binding(1) var<storage, read> queue: array<vec2<u32>>;
/// States that are reached, with those of the next level.
@group(0) @binding(2) var<storage, read_write> reached: array<atomic<u32>>;
/// States that were reached when the level began.
@group(0) @binding(3) var<storage, read> seen: array<u32>;
@group(0) @binding(4) var<uniform> params: LevelParams;

/// Rows that are deferred.
//@ within long_rows: a workgroup takes SIZE rows at most before the list is emptied
var<workgroup> long_rows: array<vec2<u32>, SIZE>;
var<workgroup> long_rows_len: atomic<u32>;

/// All workgroups: each explores its share of the frontier.
fn follow_queue(frontier: Frontier, group: u32, groups: u32, local: u32) {
    let rows = frontier.end - frontier.head;
    let team = team_of(rows, frontier.edges);
    let teams = SIZE / team;
    let share = clamp((rows + groups - 1u) / groups, teams, SIZE);
    for (var next = group * share; next < rows; next += groups * share) {
        for (var i = local / team; i < min(share, rows - next); i += teams) {
            let row = queue[frontier.head + next + i];
            if row.y - row.x <= 4u * STEPS * team {
                follow(row, local % team, team);
            } else if local % team == 0u {
                long_rows[atomicAdd(&long_rows_len, 1u)] = row;
            }
        }
        follow_long_rows(local);
    }
}

/// The number of invocations that follow a row, for this many rows and edges: so many that an
/// average row is short. With more of them, more would want to set the same bits at the same time.
fn team_of(rows: u32, edges: u32) -> u32 {
    let each = edges / max(rows, 1u);
    var team = 1u;
    while team < TEAM && 4u * STEPS * team < each {
        team *= 2u;
    }
    return team;
}

/// Follows the rows that were deferred. A barrier.
fn follow_long_rows(local: u32) {
    let rows = workgroupUniformLoad(&long_rows_len);
    for (var i = local / TEAM; i < rows; i += SIZE / TEAM) {
        let row = long_rows[i];
        if row.y - row.x <= TEAM_ROW {
            follow(row, local % TEAM, TEAM);
        }
    }
    for (var i = 0u; i < rows; i += 1u) {
        let row = long_rows[i];
        if row.y - row.x > TEAM_ROW {
            follow(row, local, SIZE);
        }
    }
    // All invocations know how many rows there are: none reads the number again before it is
    // counted anew.
    if local == 0u {
        atomicStore(&long_rows_len, 0u);
    }
    workgroupBarrier();
}

/// Marks the ends of an invocation's share of a row's edges.
fn follow(row: vec2<u32>, member: u32, team: u32) {
    for (var at = row.x + 4u * member; at < row.y; at += 4u * team) {
        let all = vec4(at) + vec4(0u, 1u, 2u, 3u);
        let j = min(all, vec4(row.y - 1u));
        mark_four(vec4(targets[j.x], targets[j.y], targets[j.z], targets[j.w]));
    }
}

/// Marks those of four states that are unreached.
fn mark_four(states: vec4<u32>) {
    let word = states >> vec4(5u);
    let before = vec4(seen[word.x], seen[word.y], seen[word.z], seen[word.w]);
    var bits = (vec4(1u) << (states & vec4(31u))) & ~before;
    // Edges of a row often lead to states of one word: then they are marked at once.
    let is_same = word.xyz == word.yzw;
    bits.y |= select(0u, bits.x, is_same.x);
    bits.z |= select(0u, bits.y, is_same.y);
    bits.w |= select(0u, bits.z, is_same.z);
    bits = select(bits, vec4(0u), vec4(is_same, false));
    // All words are loaded before the first one is used.
    let now = vec4(
        marked_of(word.x, bits.x),
        marked_of(word.y, bits.y),
        marked_of(word.z, bits.z),
        marked_of(word.w, bits.w),
    );
    set_bits(word.x, bits.x & ~now.x);
    set_bits(word.y, bits.y & ~now.y);
    set_bits(word.z, bits.z & ~now.z);
    set_bits(word.w, bits.w & ~now.w);
}

/// Sets bits. Reads first, because thousands of invocations may want to set the same ones.
fn mark(word: u32, bits: u32) {
    set_bits(word, bits & ~marked_of(word, bits));
}

/// Returns the states of a word that are marked, if any bits of it are to be set.
fn marked_of(word: u32, bits: u32) -> u32 {
    if bits == 0u {
        return 0u;
    }
    return atomicLoad(&reached[place_of(word)]);
}

fn set_bits(word: u32, bits: u32) {
    if bits != 0u {
        // RESULT UNUSED: the bits are only set.
        atomicOr(&reached[place_of(word)], bits);
    }
}
