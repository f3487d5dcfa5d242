//! Top down: marks the ends of the edges of rows.
//!
//! A team of invocations follows a row, each of them four edges at a time. The more edges the rows
//! have on average, the larger are the teams. Rows that are much longer than that are deferred:
//! larger teams or, if they are longer still, all invocations of the workgroup follow them.
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
//@ within long_rows: a workgroup takes so many rows at most before the list is emptied
var<workgroup> long_rows: array<vec2<u32>, 2u * SIZE>;
var<workgroup> long_rows_len: atomic<u32>;

/// All workgroups: each explores its share of the frontier.
fn follow_queue(frontier: Frontier, group: u32, groups: u32, local: u32) {
    let rows = frontier.end - frontier.head;
    let team = team_of(rows, frontier.edges);
    let teams = SIZE / team;
    let share = clamp((rows + groups - 1u) / groups, teams, 2u * SIZE);
    for (var next = group * share; next < rows; next += groups * share) {
        let taken = min(share, rows - next);
        for (var i = local / team; i < taken; i += 2u * teams) {
            let at = frontier.head + next + i;
            let one = short_row(queue[at], local, team);
            var other = vec2(0u);
            if i + teams < taken {
                other = short_row(queue[at + teams], local, team);
            }
            follow_two(one, other, local % team, team);
        }
        follow_long_rows(local);
    }
}

/// A row that is short enough for its team; an empty one in place of another, which is deferred.
fn short_row(row: vec2<u32>, local: u32, team: u32) -> vec2<u32> {
    if row.y - row.x <= 4u * STEPS * team {
        return row;
    }
    if local % team == 0u {
        long_rows[atomicAdd(&long_rows_len, 1u)] = row;
    }
    return vec2(0u);
}

/// How many invocations follow a row, if there are so many rows with so many edges: so many that an
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
    follow_two(row, vec2(0u), member, team);
}

/// Marks the ends of an invocation's shares of the edges of two rows. It waits for edges of both at
/// the same time.
fn follow_two(one: vec2<u32>, other: vec2<u32>, member: u32, team: u32) {
    let edges = max(one.y - one.x, other.y - other.x);
    for (var at = 4u * member; at < edges; at += 4u * team) {
        let x = ends_of(one, at);
        let y = ends_of(other, at);
        let of_x = unseen(x);
        let of_y = unseen(y);
        let now_x = marked_now(of_x);
        let now_y = marked_now(of_y);
        mark_four(of_x, now_x);
        mark_four(of_y, now_y);
    }
}

/// The states that four edges of a row lead to, from the edge `at` on.
struct Ends {
    states: vec4<u32>,
    are_there: vec4<bool>,
}

fn ends_of(row: vec2<u32>, at: u32) -> Ends {
    let all = vec4(row.x + at) + vec4(0u, 1u, 2u, 3u);
    let are_there = all < vec4(row.y);
    let j = select(vec4(0u), all, are_there);
    return Ends(vec4(targets[j.x], targets[j.y], targets[j.z], targets[j.w]), are_there);
}

/// Four words, and the bits to set in them.
struct Bits {
    word: vec4<u32>,
    bits: vec4<u32>,
}

/// The bits of four states that were not reached before the level.
fn unseen(ends: Ends) -> Bits {
    let word = ends.states >> vec4(5u);
    let before = vec4(seen[word.x], seen[word.y], seen[word.z], seen[word.w]);
    var bits = (vec4(1u) << (ends.states & vec4(31u))) & ~before;
    bits = select(vec4(0u), bits, ends.are_there);
    // Edges of a row often lead to states of one word: then they are marked at once.
    let is_same = word.xyz == word.yzw;
    bits.y |= select(0u, bits.x, is_same.x);
    bits.z |= select(0u, bits.y, is_same.y);
    bits.w |= select(0u, bits.z, is_same.z);
    bits = select(bits, vec4(0u), vec4(is_same, false));
    return Bits(word, bits);
}

/// Which bits of four words are marked.
fn marked_now(these: Bits) -> vec4<u32> {
    return vec4(
        marked_of(these.word.x, these.bits.x),
        marked_of(these.word.y, these.bits.y),
        marked_of(these.word.z, these.bits.z),
        marked_of(these.word.w, these.bits.w),
    );
}

/// Sets those bits of four words that are not marked.
fn mark_four(these: Bits, now: vec4<u32>) {
    set_bits(these.word.x, these.bits.x & ~now.x);
    set_bits(these.word.y, these.bits.y & ~now.y);
    set_bits(these.word.z, these.bits.z & ~now.z);
    set_bits(these.word.w, these.bits.w & ~now.w);
}

/// Sets bits. Thousands of invocations may want to set the same ones: so it looks first.
fn mark(word: u32, bits: u32) {
    set_bits(word, bits & ~marked_of(word, bits));
}

/// The states of a word that are marked, if any bits of it are to be set.
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
