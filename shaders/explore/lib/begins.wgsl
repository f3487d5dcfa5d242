//! Blocks of branches in which the first branch of each choice is marked.

struct BeginsParams {
    /// The block of the first branch that is bound.
    first_block: u32,
    /// The number of the first branch that is bound.
    first_branch: u32,
}
