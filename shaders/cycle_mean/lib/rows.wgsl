//! How invocations share the edges that leave a state. One invocation handles a row of up to
//! LONGEST_OWN_ROW edges. All invocations of a workgroup share a longer row (`LONG`).
//!
//! flags: LONG
//!
//! `rows` has an entry for each state: its first edge, and its component. One more entry says where
//! the last edges end. After that, the states with long rows are listed.
#import lib/grid
#import lib/int64
#import cycle_mean/lib/params

/// The largest number of edges of a row that one invocation handles.
const LONGEST_OWN_ROW = 1024u;

/// A part of the edges that leave a state: from `first`, each `step`-th, to before `end`.
struct Row {
    state: u32,
    first: u32,
    end: u32,
    step: u32,
}

/// The edge with the least value, and this value.
struct Least {
    value: vec2<u32>,
    edge: u32,
}

/// Returns the number of rows of the kernel.
fn row_count() -> u32 {
#ifdef LONG
    return params.long_rows;
#else
    return params.states;
#endif
}

/// Returns the first row of an invocation.
fn first_row(grid: Grid, local: u32) -> u32 {
#ifdef LONG
    return grid_index(grid, 0u, 1u);
#else
    return grid_index(grid, local, SIZE);
#endif
}

/// Returns the distance to the next row of the same invocation.
fn row_stride(grid: Grid) -> u32 {
#ifdef LONG
    return grid_stride(grid, 1u);
#else
    return grid_stride(grid, SIZE);
#endif
}

/// Returns the invocation's part of row `i`; it is empty if other invocations handle the row.
fn row_at(i: u32, local: u32) -> Row {
#ifdef LONG
    let state = rows[params.states + 1u + i].x;
    return Row(state, rows[state].x + local, rows[state + 1u].x, SIZE);
#else
    let first = rows[i].x;
    let end = rows[i + 1u].x;
    return Row(i, first, select(end, first, end - first > LONGEST_OWN_ROW), 1u);
#endif
}

/// Returns whether an invocation writes what was found for a row.
fn decides(local: u32) -> bool {
#ifdef LONG
    return local == 0u;
#else
    return true;
#endif
}

#ifdef LONG
//@ assume arrayLength(&rows) >= params.states + params.long_rows + 1: a list of long rows
//@ distinct rows.x from params.states + 1 below params.states + params.long_rows + 1: each once
var<workgroup> leasts: array<Least, SIZE>;

/// Returns the one with the lesser value; of two, that with the first edge.
fn lesser(a: Least, b: Least) -> Least {
    if a.edge == NONE || b.edge == NONE {
        return Least(select(a.value, b.value, a.edge == NONE), min(a.edge, b.edge));
    }
    let is_equal = all(a.value == b.value);
    if is_less64(b.value, a.value) || (is_equal && b.edge < a.edge) {
        return b;
    }
    return a;
}
#endif

/// The least of what the invocations have found of one row; all of a workgroup call it together.
fn least_of_row(local: u32, own: Least) -> Least {
#ifdef LONG
    workgroupBarrier();
    leasts[local] = own;
    workgroupBarrier();
    for (var step = SIZE / 2u; step > 0u; step /= 2u) {
        if local < step {
            leasts[local] = lesser(leasts[local], leasts[local + step]);
        }
        workgroupBarrier();
    }
    return leasts[0];
#else
    return own;
#endif
}
