//! Top down: marks the ends of the edges of rows.
//!
//! An invocation walks along a short row alone. A team of invocations walks along a long one.
#import bfs/lib/control
#import bfs/lib/bits

/// A row of more edges is long.
const SHORT_ROW = 64u;
/// The invocations of a team.
const TEAM = 32u;
/// On average, the rows that a workgroup takes at a time have so many edges or more.
const FOLLOW_EDGES = 4096u;

@group(0) @binding(0) var<storage, read> targets: array<u32>;
@group(0) @binding(1) var<storage, read> queue: array<vec2<u32>>;
/// States that are reached, with those of the next level.
@group(0) @binding(2) var<storage, read_write> reached: array<atomic<u32>>;
/// States that were reached when the level began.
@group(0) @binding(3) var<storage, read> seen: array<u32>;
@group(0) @binding(4) var<uniform> params: LevelParams;

/// Rows that teams share.
//@ within long_rows: an invocation adds one row at most before the list is emptied
var<workgroup> long_rows: array<vec2<u32>, SIZE>;
var<workgroup> long_rows_len: atomic<u32>;

/// All workgroups: each explores its share of the frontier.
fn follow_queue(frontier: Frontier, group: u32, groups: u32, local: u32) {
    let rows = frontier.end - frontier.head;
    let share = share_of(rows, frontier.edges, SIZE, FOLLOW_EDGES);
    let batch = clamp((rows + groups - 1u) / groups, share, SIZE);
    for (var next = group * batch; next < rows; next += groups * batch) {
        if local < batch && local < rows - next {
            let row = queue[frontier.head + next + local];
            if row.y - row.x > SHORT_ROW {
                long_rows[atomicAdd(&long_rows_len, 1u)] = row;
            } else {
                follow(row.x, row.y, 4u);
            }
        }
        let long = workgroupUniformLoad(&long_rows_len);
        for (var i = local / TEAM; i < long; i += SIZE / TEAM) {
            let row = long_rows[i];
            follow(row.x + 4u * (local % TEAM), row.y, 4u * TEAM);
        }
        // All invocations know how many rows there are: none reads the number again before it is
        // counted anew.
        if local == 0u {
            atomicStore(&long_rows_len, 0u);
        }
        workgroupBarrier();
    }
}

/// Marks the ends of edges, four at a time: the first four, and then those `stride` further on.
fn follow(first: u32, end: u32, stride: u32) {
    for (var at = first; at < end; at += stride) {
        let all = vec4(at) + vec4(0u, 1u, 2u, 3u);
        let j = min(all, vec4(end - 1u));
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
    mark(word.x, select(bits.x, 0u, is_same.x));
    mark(word.y, select(bits.y, 0u, is_same.y));
    mark(word.z, select(bits.z, 0u, is_same.z));
    mark(word.w, bits.w);
}

/// Sets bits. Thousands of invocations may want to set the same ones: so it looks first.
fn mark(word: u32, bits: u32) {
    if bits != 0u && (bits & ~atomicLoad(&reached[word])) != 0u {
        // RESULT UNUSED: the bits are only set.
        atomicOr(&reached[word], bits);
    }
}
