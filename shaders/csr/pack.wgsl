//! Copies the edges between different states to the rows of the graph on the device, by their
//! sources (`pack` of `gpu/worklist/csr.rs`). One invocation per entry (`csr/lib/row_entries`).
//!
//! flags: CHOICES
//!
//! Rows and entries are as in `csr/count`; `kept_offsets` says where a row's edges go. Within a row
//! they are in any order. Reads `row_offsets`, `targets`, `kept_offsets`, `sources`. Owns `edges`
//! and `edge_choices`: a place for each edge. Shares, by atomics, `long_placed`: how many edges of
//! each long row have a place. It has a word for every `long_row` entries, in which at most one
//! long row begins.
#import csr/lib/row_entries
#import csr/lib/sources
#import lib/grid

@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read> kept_offsets: array<u32>;
//@ disjoint edges: `placed` gives each edge that csr/count kept its own place in the row
@group(0) @binding(4) var<storage, read_write> edges: array<u32>;
#ifdef CHOICES
//@ disjoint edge_choices: the places are those of `edges`
@group(0) @binding(6) var<storage, read_write> edge_choices: array<u32>;
#endif
@group(0) @binding(7) var<storage, read_write> long_placed: array<atomic<u32>>;

/// The number of edges of each open row that have a place.
var<workgroup> placed: array<atomic<u32>, SIZE>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let blocks = num_blocks();
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        let open = open_block(block, local);
        atomicStore(&placed[local], 0u);
        workgroupBarrier();
        if takes_long_rows() {
            take_places(open, local);
        }
        visit_open(open, local);
    }
}

/// Gives an edge its place, unless it leads back to its state.
fn visit(entry: u32, row: u32, opened: u32) {
    let t = targets[entry - piece.first_entry];
    if t != source_of(row) {
        let place = kept_offsets[row] - piece.first_edge + atomicAdd(&placed[opened], 1u);
        edges[place] = t;
#ifdef CHOICES
        edge_choices[place] = row;
#endif
    }
}

/// Takes places for the edges of a part of a long row: in `placed`, how many were taken before. All
/// invocations call it together.
fn take_places(open: Open, local: u32) {
    var own = 0u;
    for (var entry = open.begin + local; entry < open.end; entry += SIZE) {
        own += u32(targets[entry - piece.first_entry] != source_of(open.base));
    }
    atomicAdd(&placed[0], own);
    workgroupBarrier();
    if local == 0u && open.begin < open.end {
        let at = row_offsets[open.base] / piece.long_row;
        atomicStore(&placed[0], atomicAdd(&long_placed[at], atomicLoad(&placed[0])));
    }
    workgroupBarrier();
}
