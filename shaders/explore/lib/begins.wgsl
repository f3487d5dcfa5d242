//! The parameters of the passes that number choices, whose first branches are marked.

struct BeginsParams {
    /// The block of the first branch that is bound.
    first_block: u32,
    /// The number of the first branch that is bound.
    first_branch: u32,
}
