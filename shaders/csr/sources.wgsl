//! For each choice its state, and for each state how many choices it has.
//!
//! Rows are states, and their entries choices. Reads `row_offsets`. Owns `sources` and `counts`.
#import csr/lib/deal

@group(0) @binding(2) var<storage, read_write> sources: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = piece.first_row + grid_index(workgroup, count, 0u, SIZE);
    let stride = grid_stride(count, SIZE);
    for (var base = first; base < piece.end_row; base += stride) {
        let choices = open_rows(base, local);
        for (var choice = choices.x + local; choice < choices.y; choice += SIZE) {
            sources[choice] = base + row_of(choice);
        }
        if base + local < piece.end_row {
            counts[base + local] = starts[local + 1u] - starts[local];
        }
    }
}
