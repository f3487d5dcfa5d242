//! The memory of a workgroup, in one piece, since what explores (`explore.wgsl`) and what dives (`local_bfs.wgsl`) never do so at the same
//! time. It decides how many workgroups a processor has room for, and so how many of them wait for memory side by side.
//!
//! Exploring, the owner of a slot is an invocation, which says so three words at a time:
//!
//!     | slots: 4 SIZE | pile: 4 SIZE | owners: 3 SIZE |

/// Invocations of a workgroup.
const SIZE = 256u;

/// In words.
const ROOM = 11u * SIZE;

const SLOTS_AT = 0u;
const PILE_AT = 4u * SIZE;
const OWNERS_AT = 8u * SIZE;

var<workgroup> room: array<u32, ROOM>;

/// What an invocation has taken slots for.
struct Owner {
    /// Where the first of its edges lies, less the first of its slots.
    base: u32,
    /// What the edges are followed for: an entry, or a signature.
    item: u32,
    /// The region of the state whose edges they are.
    name: u32,
}

fn owner(i: u32) -> Owner {
    let at = OWNERS_AT + i;
    return Owner(room[at], room[at + SIZE], room[at + 2u * SIZE]);
}

fn set_owner(i: u32, owner: Owner) {
    let at = OWNERS_AT + i;
    room[at] = owner.base;
    room[at + SIZE] = owner.item;
    room[at + 2u * SIZE] = owner.name;
}
