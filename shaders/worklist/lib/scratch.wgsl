//! Workgroup scratch: one piece of workgroup memory, which all schedulers use in turn, because no
//! two of them run at the same time. The smaller it is, the more workgroups fit on a processor, and
//! the more of them wait for memory at the same time.
//!
//! `explore.wgsl`, `reach_all.wgsl` and `worklist/colouring.wgsl` use it as follows. A row owner is
//! the invocation whose row an edge belongs to; it takes three words.
//!
//!     | owner of each edge: 4 SIZE | workgroup queue: 4 SIZE | row owners: 3 SIZE |
//!
//! `frontier.wgsl` has its own layout.

/// Invocations of a workgroup.
const SIZE = 256u;

/// The size of the scratch, in words.
const SCRATCH = 11u * SIZE;

const EDGE_OWNERS_AT = 0u;
const WORKGROUP_QUEUE_AT = 4u * SIZE;
const ROW_OWNERS_AT = 8u * SIZE;

//@ within scratch: buffers are 0 or 1, places below FRONTIER or WINDOW, owners taken modulo SIZE
var<workgroup> scratch: array<u32, SCRATCH>;

/// A row whose edges are laid out with those of other rows.
struct RowOwner {
    /// The position of the row's first edge, less the place where it is laid out.
    base: u32,
    /// The item whose edges are followed: an entry of the queue, or a colour.
    item: u32,
    /// The region of the row's state.
    name: u32,
}

fn row_owner(i: u32) -> RowOwner {
    let at = ROW_OWNERS_AT + i;
    return RowOwner(scratch[at], scratch[at + SIZE], scratch[at + 2u * SIZE]);
}

fn set_row_owner(i: u32, owner: RowOwner) {
    let at = ROW_OWNERS_AT + i;
    scratch[at] = owner.base;
    scratch[at + SIZE] = owner.item;
    scratch[at + 2u * SIZE] = owner.name;
}
