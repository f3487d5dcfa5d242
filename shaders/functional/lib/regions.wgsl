//! The answer: a word for each state (`worklist/lib/words.wgsl`).

/// A word for each state, as in the worklist engine.
@group(0) @binding(0) var<storage, read_write> regions: array<atomic<u32>>;
