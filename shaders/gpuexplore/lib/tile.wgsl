//! The tile of a workgroup: the vectors that it expands in an iteration (Wijs and Bošnački, 2014,
//! section 3.2). Each vector has a group of invocations, one for each process.
#import gpuexplore/lib/vectors

/// The places of the vectors; NOWHERE for those that another workgroup was faster to take.
var<workgroup> tile_at: array<u32, SIZE>;
/// Their words. A vector has no more of them than processes.
var<workgroup> tile_words: array<u32, SIZE>;
/// The number of vectors that were found for the tile, which may be more than fit.
var<workgroup> tile_count: atomic<u32>;
/// The number of vectors of the tile.
var<workgroup> tile_size: u32;
/// The number of the next vector that is looked at, and the end of the workgroup's own part.
var<workgroup> cursor: u32;
var<workgroup> part_end: u32;
/// The number of vectors that were expanded.
var<workgroup> num_expanded: atomic<u32>;

/// Returns the number of vectors that fit a tile.
fn tile_capacity() -> u32 {
    return SIZE / params.processes;
}

/// Makes the vector at an address the caller's own, if it is to be expanded: returns the address,
/// or NOWHERE if another one was faster.
fn claim_open(at: u32) -> u32 {
    let before = atomicAnd(&vectors[at], ~OPEN);
    return select(NOWHERE, at, (before & OPEN) != 0u);
}

/// Releases a vector, which is to be expanded later.
fn reopen(at: u32) {
    if at != NOWHERE {
        // RESULT UNUSED: the invocation that clears the bit decides.
        atomicOr(&vectors[at], OPEN);
    }
}

/// Determines which of this many vectors the workgroup scans.
fn begin_part(grid: Grid, local: u32, all: u32) {
    if local == 0u {
        let groups = grid_stride(grid, 1u);
        let each = (all + groups - 1u) / groups;
        cursor = min(grid_index(grid, 0u, 1u) * each, all);
        part_end = min(cursor + each, all);
    }
}

/// Fills the tile with vectors of the workgroup's part that are to be expanded.
fn fill_tile(local: u32) {
    loop {
        if local == 0u {
            tile_size = min(atomicLoad(&tile_count), tile_capacity());
        }
        let size = workgroupUniformLoad(&tile_size);
        let first = workgroupUniformLoad(&cursor);
        let end = workgroupUniformLoad(&part_end);
        if size == tile_capacity() || first >= end {
            break;
        }
        if first + local < end {
            take(address_of(first + local));
        }
        work++;
        workgroupBarrier();
        // If some did not fit, they are looked at again.
        if local == 0u && atomicLoad(&tile_count) <= tile_capacity() {
            cursor = first + SIZE;
        }
    }
}

/// Takes a vector that is to be expanded, if there is room for it.
fn take(at: u32) {
    if (atomicLoad(&vectors[at]) & OPEN) != 0u {
        let place = atomicAdd(&tile_count, 1u);
        if place < tile_capacity() {
            tile_at[place] = claim_open(at);
        }
    }
}

/// Loads the words of the tile. A vector whose words are not all seen yet is left for later.
fn load_tile(local: u32, size: u32) {
    if local < size && tile_at[local] != NOWHERE {
        let at = tile_at[local];
        if load_vector(at) {
            for (var word = 0u; word < WORDS; word++) {
                tile_words[local * WORDS + word] = vector[word & 7u];
            }
            // RESULT UNUSED: they are counted.
            atomicAdd(&num_expanded, 1u);
        } else {
            reopen(at);
            tile_at[local] = NOWHERE;
        }
    }
    workgroupBarrier();
}

/// Begins a successor that is equal to a vector of the tile.
fn load_from_tile(group: u32) {
    for (var word = 0u; word < WORDS; word++) {
        vector[word & 7u] = tile_words[group * WORDS + word];
    }
}

/// Returns the place in `network` of the row of a process, given its field, in a tile's vector.
fn row_in_tile(group: u32, field: u32) -> u32 {
    let word = tile_words[group * WORDS + word_of(field)];
    let own = (word >> network[field + 1u]) & network[field + 2u];
    return network[field + 3u] + ROW_WORDS * own;
}
