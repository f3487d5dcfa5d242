//! The answer of the walks: a word for each state, as the worklist engine has it.

/// A word for each state, as in the worklist engine.
@group(0) @binding(0) var<storage, read_write> regions: array<atomic<u32>>;
