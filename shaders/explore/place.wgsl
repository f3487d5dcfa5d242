//! Step 1 of a batch (`docs/exploring.md`), second pass: gives each block of states the place of
//! its first candidate, and shortens the batch if there are too many. Only one workgroup has work.
//!
//! Reads `offsets`. Owns `sums`, which become the places of blocks, and `control`.
#import explore/lib/control
#import explore/lib/params
#import lib/grid
#import lib/scan

//@ assume grid.count.y == 1: the host dispatches in one dimension
//@ assume grid.count.z == 1: as above
@group(0) @binding(0) var<storage, read> offsets: array<u32>;
//@ disjoint sums: each invocation reads and writes its own range
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
//@ disjoint control: all read it first, one invocation writes it behind a barrier
@group(0) @binding(2) var<storage, read_write> control: array<u32>;
@group(0) @binding(3) var<uniform> params: ExploreParams;

const NONE = 0xffffffffu;

/// The block in which the candidates become too many, the place of its first one, and the place
/// after its last one, as far as places are counted.
var<workgroup> cut_block: u32;
var<workgroup> cut_begin: u32;
var<workgroup> cut_end: u32;
/// The states and candidates of the batch, and how many candidates its first state has.
var<workgroup> batch_states: u32;
var<workgroup> batch_candidates: u32;
var<workgroup> first_needs: u32;

@compute @workgroup_size(SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) local: u32) {
    if grid.workgroup.x != 0u {
        return;
    }
    let first = control[END];
    let known = control[KNOWN_STATES];
    let stop = control[STOP];
    let limit = control[LIMIT];
    var n = min(known - first, limit);
    if stop != RUNNING {
        n = 0u;
    }
    if local == 0u {
        cut_block = NONE;
        batch_states = n;
        first_needs = 0u;
    }
    place_blocks(local, (n + SIZE - 1u) / SIZE);
    let block = workgroupUniformLoad(&cut_block);
    if block != NONE {
        cut(local, block, n);
    }
    storageBarrier();
    workgroupBarrier();
    if local == 0u {
        control[START] = first;
        control[END] = first + batch_states;
        control[CANDIDATES] = batch_candidates;
        control[BASE] = known;
        if stop == RUNNING && n > 0u && batch_states == 0u {
            control[STOP] = NARROW;
            control[NEEDED] = first_needs;
        } else if block != NONE {
            control[LIMIT] = min(batch_states + batch_states / 8u + SIZE, params.most_batch);
        } else if stop == RUNNING {
            control[LIMIT] = min(2u * limit, params.most_batch);
        }
    }
}

/// Sums up the blocks. Sums are exact up to the number of candidates that fit; beyond they stay
/// above it.
fn place_blocks(local: u32, blocks: u32) {
    let too_many = params.most_candidates + 1u;
    let each = (blocks + SIZE - 1u) / SIZE;
    let begin = min(local * each, blocks);
    let end = min(begin + each, blocks);
    var own = 0u;
    for (var block = begin; block < end; block++) {
        own = min(own + sums[block], too_many);
    }
    let all = sum_through(local, own);
    var before = min(all - own, too_many);
    for (var block = begin; block < end; block++) {
        let sum = sums[block];
        sums[block] = before;
        let behind = min(before + sum, too_many);
        if before < too_many && behind == too_many {
            cut_block = block;
            cut_begin = before;
            cut_end = before + sum;
        }
        before = behind;
    }
    if local == SIZE - 1u {
        batch_candidates = all;
    }
}

/// Finds the first state whose candidates do not fit any more.
fn cut(local: u32, block: u32, n: u32) {
    let i = block * SIZE + local;
    if i < n {
        let begin = cut_begin + (offsets[i] & ~DEADLOCK);
        var end = cut_end;
        if local + 1u < SIZE && i + 1u < n {
            end = cut_begin + (offsets[i + 1u] & ~DEADLOCK);
        }
        if begin <= params.most_candidates && end > params.most_candidates {
            batch_states = i;
            batch_candidates = begin;
            first_needs = end - begin;
        }
    }
    workgroupBarrier();
}
