//! Branches of which some are marked, those that begin a choice, in blocks.

struct BeginsParams {
    /// The block of the first branch that is bound.
    first_block: u32,
    /// The number of the first branch that is bound.
    first_branch: u32,
}
