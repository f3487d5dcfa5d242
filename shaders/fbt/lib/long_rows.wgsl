//! Long rows in kernels that walk the rows of a few states. All invocations of a workgroup walk a
//! long row together, and only a part of it in an iteration. The rest is left to the next
//! iteration, so that no iteration takes long on any graph.
//!
//! The memory of a workgroup has to be set to zeros in each dispatch, and barriers take time even
//! if there is nothing to do. So kernels import this file only with the flag LONG, and the host
//! sets that only for a direction with a long row.
//!
//! The array with the bits of waiting states also says, after these bits, how far each row has been
//! walked. Each long row has its own word there, because no two long rows begin in the same
//! `long_row` entries.
#import fbt/lib/rows

/// The number of long rows that a workgroup handles in an iteration.
const LONG_LIST = 256u;
/// The number of their entries that it walks.
const LONG_BUDGET = 262144u;

/// The states with long rows, and one bit for the kernel.
var<workgroup> long_states: array<u32, LONG_LIST>;
var<workgroup> long_count: atomic<u32>;
/// The part of the row to be walked, relative to its beginning.
var<workgroup> long_slice: vec2<u32>;

/// Keeps a state whose row is long. Returns whether there was room.
fn keep_long(state: u32) -> bool {
    let at = atomicAdd(&long_count, 1u);
    if at < LONG_LIST {
        long_states[at] = state;
    }
    return at < LONG_LIST;
}

/// Returns the number of states that were kept. A barrier.
fn kept_long() -> u32 {
    return min(workgroupUniformLoad(&long_count), LONG_LIST);
}

/// Returns the word of a long row that begins there.
fn progress_of(rows: Rows, begin: u32) -> u32 {
    return rows.progress_at + begin / rows.long_row;
}

/// Returns the part of a row of `length` entries that is to be walked now, after `first` of them,
/// and within the budget. All invocations get what the first one computes. A barrier.
fn slice_of(first: u32, length: u32, budget: u32, local: u32) -> vec2<u32> {
    if local == 0u {
        // A word that was never written may lie outside the row.
        let begin = select(first, 0u, first >= length);
        long_slice = vec2(begin, begin + min(budget, length - begin));
    }
    return workgroupUniformLoad(&long_slice);
}
