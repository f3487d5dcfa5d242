//! A launch of the search of Wijs and Bošnački (2014, sections 3.2 to 3.4; `docs/exploring.md`):
//! for several iterations, each workgroup takes a tile of open vectors from its part of the table,
//! computes their successors, a group of invocations per vector, and stores those that are new.
//!
//! flags: CUCKOO, CACHE, FORWARDING
//!
//! Reads `network`. Shares `vectors`, `counters` and, with CUCKOO, `slots`, by atomic operations:
//! the invocation that clears its bit OPEN expands a vector. With CACHE, successors are collected
//! in workgroup memory first, and looked up in the table at the end of an iteration. With
//! FORWARDING, the workgroup that stores a vector expands it in its next iteration.
#import gpuexplore/lib/counters
#import gpuexplore/lib/params
#import gpuexplore/lib/placed
#import gpuexplore/lib/successors
#import lib/grid
#ifdef CUCKOO
#import gpuexplore/lib/cuckoo
#else
#import gpuexplore/lib/buckets
#endif
#ifdef CACHE
#import gpuexplore/lib/cache
#endif

@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> params: GpuexploreParams;

/// Whether a vector found no room.
var<workgroup> has_failed: atomic<u32>;
/// The largest work of an invocation.
var<workgroup> most_work: atomic<u32>;
/// The flags of the iteration: whether it is the last one, and whether it failed.
var<workgroup> is_last: u32;
var<workgroup> is_undone: u32;
/// The number of new vectors that the workgroup has stored.
var<workgroup> num_stored: atomic<u32>;
/// Whether this is the last iteration of the launch, from which nothing is forwarded.
var<private> is_final: bool;
#ifdef FORWARDING
/// The next tile, and the number of vectors that were forwarded to it.
var<workgroup> next_at: array<u32, SIZE>;
var<workgroup> next_count: atomic<u32>;
#endif
#ifdef CACHE
/// Whether the cache is to be emptied.
var<workgroup> is_cache_full: u32;
#endif

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    begin_part(grid, local, num_places());
    for (var iteration = 0u; iteration < params.iterations; iteration++) {
        is_final = iteration + 1u == params.iterations;
        begin_tile(local);
        fill_tile(local);
        let size = workgroupUniformLoad(&tile_size);
        if size == 0u {
            break;
        }
        load_tile(local, size);
        expand_tile(local, size);
        look_up_cached(local);
        end_iteration(local);
        if workgroupUniformLoad(&is_undone) != 0u && local < size {
            reopen(tile_at[local]);
        }
        if workgroupUniformLoad(&is_last) != 0u {
            break;
        }
    }
    end_launch(local);
}

/// Returns the number of places for vectors that are scanned.
fn num_places() -> u32 {
#ifdef CUCKOO
    return min(atomicLoad(&counters[STORED]), params.most_vectors);
#else
    return (params.mask + 1u) * vectors_of_bucket();
#endif
}

/// Begins a tile with what was forwarded to it, and makes room in the cache.
fn begin_tile(local: u32) {
#ifdef FORWARDING
    let forwarded = min(atomicLoad(&next_count), tile_capacity());
    if local < forwarded {
        tile_at[local] = next_at[local];
    }
    workgroupBarrier();
    if local == 0u {
        atomicStore(&next_count, 0u);
        atomicStore(&tile_count, forwarded);
    }
#else
    if local == 0u {
        atomicStore(&tile_count, 0u);
    }
#endif
#ifdef CACHE
    if local == 0u {
        is_cache_full = u32(2u * atomicLoad(&num_cached) > most_cached());
    }
    clear_cache(local, workgroupUniformLoad(&is_cache_full) != 0u);
#endif
}

/// Takes a successor, which is `vector`.
fn offer() {
#ifdef CACHE
    if remember() {
        return;
    }
#endif
    put();
}

/// Stores the vector if it is new.
fn put() {
    let placed = find_or_put();
    if placed.outcome == IS_HOMELESS {
        atomicStore(&has_failed, 1u);
    } else if placed.outcome == IS_NEW {
#ifndef CUCKOO
        // RESULT UNUSED: they are counted.
        atomicAdd(&num_stored, 1u);
#endif
#ifdef FORWARDING
        if !is_final {
            forward(placed.at);
        }
#endif
    }
}

#ifdef CUCKOO
/// Looks the vector up, and stores it with the bit OPEN if it is not there.
fn find_or_put() -> Placed {
    let found = find_vector(hashes());
    if found.outcome == IS_OLD {
        return found;
    }
    let number = atomicAdd(&counters[STORED], 1u);
    if number >= params.most_vectors {
        return Placed(IS_HOMELESS, 0u);
    }
    let at = address_of(number);
    atomicStore(&vectors[at], vector[0]);
    store_other_words(at);
    let outcome = put_in_slot(number);
    if outcome == IS_OLD {
        return Placed(IS_OLD, 0u);
    }
    if outcome == IS_HOMELESS {
        atomicStore(&counters[HOMELESS], 1u);
    }
    // RESULT UNUSED: it was not open, and the invocation that clears the bit decides.
    atomicOr(&vectors[at], OPEN);
    return Placed(IS_NEW, at);
}
#else
/// Looks the vector up, and stores it with the bit OPEN if it is not there.
fn find_or_put() -> Placed {
    return place_vector(OPEN, true);
}
#endif

#ifdef FORWARDING
/// Puts a vector into the next tile, if that has room and no other invocation was faster.
fn forward(at: u32) {
    let place = atomicAdd(&next_count, 1u);
    if place < tile_capacity() {
        next_at[place] = claim_open(at);
    }
}
#endif

/// Looks up what the iteration has put into the cache.
fn look_up_cached(local: u32) {
#ifdef CACHE
    workgroupBarrier();
    for (var place = local; place < most_cached(); place += SIZE) {
        work++;
        if take_cached(place) {
            put();
        }
    }
#endif
}

/// Decides whether the iteration is to be undone, and whether it is the last one of the launch.
fn end_iteration(local: u32) {
    // RESULT UNUSED: the most of all is read after a barrier.
    atomicMax(&most_work, work);
    storageBarrier();
    workgroupBarrier();
    if local == 0u {
        is_undone = atomicLoad(&has_failed);
        is_last = is_undone | u32(atomicLoad(&most_work) > params.most_work);
    }
}

/// Reopens the vectors that are not expanded in this launch, and adds up what was done.
fn end_launch(local: u32) {
    workgroupBarrier();
#ifdef FORWARDING
    if local < min(atomicLoad(&next_count), tile_capacity()) {
        reopen(next_at[local]);
    }
#endif
    if local == 0u {
        // RESULT UNUSED: they are counted.
        atomicAdd(&counters[EXPANDED], atomicLoad(&num_expanded));
#ifndef CUCKOO
        // RESULT UNUSED: they are counted.
        atomicAdd(&counters[STORED], atomicLoad(&num_stored));
#endif
        if atomicLoad(&has_failed) != 0u {
            atomicStore(&counters[NO_ROOM], 1u);
        }
    }
}

/// Ends the search, because processes may synchronise in too many ways.
fn give_up(ways: u32) {
    // RESULT UNUSED: the most of all is looked at by the next dispatch.
    atomicMax(&counters[WIDEST], ways);
}
