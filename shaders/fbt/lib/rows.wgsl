//! The places of rows in a layout (`warp_segments`; 2016 paper, section 5.1 and Algorithm 5, lines
//! 1 to 6).
//! The last segment is as wide as the states it holds. Positions are taken relative to the shard
//! that is bound, because they can come close to 2^32, past which a step would wrap.

/// Padding; it lies at the end of a row.
const EMPTY = 0x7fffffffu;

/// W, the states of a full segment.
override LANES: u32;

/// The states whose rows are bound.
struct Rows {
    first_state: u32,
    end_state: u32,
    /// The position of the first entry that is bound.
    first_entry: u32,
    /// The number of states in segments, which are the first ones.
    interleaved: u32,
    /// In a graph with choices, the number of low bits of an entry that are the state.
    state_bits: u32,
    /// 1 if groups are in a separate array (`choices.wgsl`).
    groups_apart: u32,
    /// Rows of more entries are not for one invocation (`long_rows.wgsl`). Those of segments never
    /// have more.
    long_row: u32,
    /// The place where words for long rows begin in the array of a kernel's waiting states.
    progress_at: u32,
}

/// Returns whether state `i`, whose entries begin and end there, has so many that one invocation is
/// not to walk them.
fn is_long(rows: Rows, i: u32, begin: u32, end: u32) -> bool {
    return i >= rows.interleaved && end - begin > rows.long_row;
}

/// Returns the distance between entries of state `i`.
fn row_step(rows: Rows, i: u32) -> u32 {
    if i >= rows.interleaved {
        return 1u;
    }
    return min(LANES, rows.interleaved - i / LANES * LANES);
}

/// Returns the state at whose offset the row of state `i`, or its segment, ends.
fn row_end(rows: Rows, i: u32) -> u32 {
    if i >= rows.interleaved {
        return i + 1u;
    }
    return min((i / LANES + 1u) * LANES, rows.interleaved);
}
