//! Counts the edges between different states: for each row those that it has, for each state those that enter it.
//!
//! flags: CHOICES
//!
//! Rows are states or, with CHOICES, choices; their entries are targets. With CHOICES it also finds the states of which
//! a choice leads to the state alone.
//!
//! Reads `row_offsets`, `targets`, `sources`. Owns `kept`. Shares, by atomics: `entering`, `counts`.
#import csr/lib/deal
#import csr/lib/sources

@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read_write> kept: array<u32>;
@group(0) @binding(4) var<storage, read_write> entering: array<atomic<u32>>;
#ifdef CHOICES
/// In `counts`: a choice leads to the state alone (`worklist/lib/choices.wgsl`).
const LOOP = 0x80000000u;

@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;
#endif

var<workgroup> kept_here: array<atomic<u32>, SIZE>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = piece.first_row + grid_index(workgroup, count, 0u, SIZE);
    let stride = grid_stride(count, SIZE);
    for (var base = first; base < piece.end_row; base += stride) {
        atomicStore(&kept_here[local], 0u);
        let entries = open_rows(base, local);
        for (var entry = entries.x + local; entry < entries.y; entry += SIZE) {
            let row = row_of(entry);
            let t = targets[entry - piece.first_entry];
            if t != source_of(base + row) {
                atomicAdd(&kept_here[row], 1u);
                atomicAdd(&entering[t], 1u);
            }
        }
        workgroupBarrier();
        if base + local < piece.end_row {
            note(base + local, atomicLoad(&kept_here[local]));
        }
    }
}

fn note(row: u32, edges: u32) {
    kept[row] = edges;
#ifdef CHOICES
    if edges == 0u {
        // RESULT UNUSED: the bit is only set, by any of the state's choices.
        atomicOr(&counts[source_of(row)], LOOP);
    }
#endif
}
