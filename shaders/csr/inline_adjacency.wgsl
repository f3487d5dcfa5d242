//! Lays out the inline rows of one direction: eight words per state, which are the position of its
//! row, the end of its row, and its first six edges (`worklist/lib/inline_adjacency`). One
//! invocation per state.
//! Reads `offsets` and `edges`. Owns, of `inline_rows`, those of its direction.
#import csr/lib/inline_edges
#import lib/grid

const SIZE = 256u;

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> edges: array<u32>;
/// The direction: 0 forward, 1 backward.
//@ assume direction < 2: the host lays out each direction once
@group(0) @binding(2) var<storage, read> direction: u32;
/// For each state two entries of its forward row, and two of its backward row.
//@ assume arrayLength(&inline_rows) >= 4 * arrayLength(&offsets) - 4: a state has two rows of two
@group(0) @binding(3) var<storage, read_write> inline_rows: array<vec4<u32>>;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    let states = arrayLength(&offsets) - 1u;
    for (var i = grid_index(grid, local, SIZE); i < states; i += grid_stride(grid, SIZE)) {
        let row = vec2(offsets[i], offsets[i + 1u]);
        var first = array<u32, INLINE_EDGES>();
        for (var j = 0u; j < min(row.y - row.x, INLINE_EDGES); j += 1u) {
            first[j] = edges[row.x + j];
        }
        let at = 4u * i + 2u * direction;
        inline_rows[at] = vec4(row, first[0], first[1]);
        inline_rows[at + 1u] = vec4(first[2], first[3], first[4], first[5]);
    }
}
