//! The meaning of a state's word in `results` (2016 paper, sections 5.1 and 5.2).
//!
//! The low 29 bits are its search region, named by the region's pivot. Both searches mark the same
//! word, so one look-up of an edge's target gives its region and whether it was reached. A state
//! that both searches reach is in the pivot's component, and is done. While pivots are selected,
//! the highest bit says that the word was handled; between selections, that the region is left over
//! because it has no candidate (`--candidates join`).

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
