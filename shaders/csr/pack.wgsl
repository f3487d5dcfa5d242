//! Lays the edges between different states out by their sources.
//!
//! flags: CHOICES
//!
//! Rows and entries as in `count.wgsl`; `kept_offsets` says where a row's edges go. Within a row they come in any order.
//!
//! Reads `row_offsets`, `targets`, `kept_offsets`, `sources`. Owns `edges` and `edge_choices`: a place for each edge.
#import csr/lib/deal
#import csr/lib/sources

@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read> kept_offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> edges: array<u32>;
#ifdef CHOICES
@group(0) @binding(6) var<storage, read_write> edge_choices: array<u32>;
#endif

/// How many edges of each open row have a place.
var<workgroup> placed: array<atomic<u32>, SIZE>;

@compute @workgroup_size(SIZE)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = piece.first_row + grid_index(workgroup, count, 0u, SIZE);
    let stride = grid_stride(count, SIZE);
    for (var base = first; base < piece.end_row; base += stride) {
        let entries = open_rows(base, local);
        atomicStore(&placed[local], 0u);
        workgroupBarrier();
        for (var entry = entries.x + local; entry < entries.y; entry += SIZE) {
            let row = row_of(entry);
            let t = targets[entry - piece.first_entry];
            if t != source_of(base + row) {
                let place = kept_offsets[base + row] - piece.first_edge + atomicAdd(&placed[row], 1u);
                edges[place] = t;
#ifdef CHOICES
                edge_choices[place] = base + row;
#endif
            }
        }
    }
}
