//! The steps that a state can take, by the tables of its network (`lts_network::StepTables`).

/// For each group of processes: the word of a state, the shift in it, the mask, the first row.
@group(0) @binding(1) var<storage, read> groups: array<vec4<u32>>;
/// The place in `steps` where each row begins.
@group(0) @binding(2) var<storage, read> rows: array<u32>;
/// For each step and each word of a state: the bits that matter, what they are to be, and those
/// that change.
@group(0) @binding(3) var<storage, read> steps: array<vec4<u32>>;

/// Returns the range of a group's steps in a state that has this word in place of the group's.
fn row_of(group: vec4<u32>, word: u32) -> vec2<u32> {
    let row = group.w + ((word >> group.y) & group.z);
    return vec2(rows[row], rows[row + 1u]);
}
