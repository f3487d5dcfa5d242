//! Counts the edges between different states: for each row its edges (`kept`), and for each state
//! the edges that enter it (`entering`). Prefix sums then turn both into the offsets of the graph
//! on the device (step `count` of `gpu/worklist/csr.rs`).
//!
//! flags: CHOICES
//!
//! Rows are states or, with CHOICES, choices; their entries are targets. With CHOICES it also finds
//! the states with a choice that leads back to the state alone, and does not count such choices.
//! One invocation per entry (`csr/lib/row_entries`). A separate dispatch counts long rows first.
//!
//! Reads `row_offsets`, `targets`, `sources`. Shares, by atomics: `kept`, `entering`, `counts`.
#import csr/lib/row_entries
#import csr/lib/loop_choice
#import csr/lib/sources
#import lib/grid

@group(0) @binding(2) var<storage, read> targets: array<u32>;
@group(0) @binding(3) var<storage, read_write> kept: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> entering: array<atomic<u32>>;
#ifdef CHOICES
/// For each state LOOP, and the number of choices that also lead elsewhere.
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;
#endif

var<workgroup> kept_here: array<atomic<u32>, SIZE>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let blocks = num_blocks();
    for (var block = grid_index(grid, 0u, 1u); block < blocks; block += grid_stride(grid, 1u)) {
        atomicStore(&kept_here[local], 0u);
        let open = open_block(block, local);
        visit_open(open, local);
        workgroupBarrier();
        if takes_long_rows() {
            if local == 0u && open.begin < open.end {
                atomicAdd(&kept[open.base], atomicLoad(&kept_here[0]));
            }
        } else if open.base + local < piece.end_row {
            note(open.base + local, local);
        }
    }
}

/// Counts an edge, unless it leads back to its state.
fn visit(entry: u32, row: u32, opened: u32) {
    let t = targets[entry - piece.first_entry];
    if t != source_of(row) {
        atomicAdd(&kept_here[opened], 1u);
        atomicAdd(&entering[t], 1u);
    }
}

/// Stores the number of an open row's edges; that of a long row is known since another dispatch.
fn note(row: u32, opened: u32) {
    var edges = atomicLoad(&kept_here[opened]);
    if is_left_out(opened) {
        edges = atomicLoad(&kept[row]);
    } else {
        atomicStore(&kept[row], edges);
    }
#ifdef CHOICES
    if edges == 0u {
        // RESULT UNUSED: one invocation notes a row, so that a choice is subtracted once; what is
        // left is read when all are counted.
        atomicSub(&counts[source_of(row)], 1u);
        // RESULT UNUSED: the bit is only set, by any of the state's choices.
        atomicOr(&counts[source_of(row)], LOOP);
    }
#endif
}
