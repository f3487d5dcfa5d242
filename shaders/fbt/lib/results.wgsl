//! What a word of `results` says of a state (2016, sections 5.1 and 5.2).
//!
//! The low 29 bits are its search region, named by the region's pivot. Both searches mark the same
//! word, so that an edge's target is looked up once: its region, and whether it was reached. A
//! state that both have reached is in the pivot's component, and is done. While pivots are
//! selected, the highest bit says that the word has been dealt with; between selections it says
//! that the region is left over, as it has no candidate (`--candidates join`).

const REGION = 0x1fffffffu;
const BACKWARD_MARK = 0x20000000u;
const FORWARD_MARK = 0x40000000u;
const DONE = 0x60000000u;
const LOCK = 0x80000000u;
/// Done, and in no maximal end component: no state has the number of this region.
const DEAD = 0x7fffffffu;

fn is_active(result: u32) -> bool {
    return (result & DONE) != DONE;
}
