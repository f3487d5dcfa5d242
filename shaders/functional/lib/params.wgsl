//! The parameters of the kernels that decompose functional graphs (`functional/walk.wgsl`), and
//! code that several of them need.
//!
//! One state of each block of BLOCK states is a *splitter*. A hash of the block's number selects
//! it, so that on each path about one state in BLOCK is a splitter, however states are numbered.

struct FunctionalParams {
    states: u32,
    /// The blocks of states: the splitters, and perhaps one whose splitter would lie past the end.
    blocks: u32,
    /// In `regions`, beside a number: all states with this word are in one component.
    component_mark: u32,
    /// In `regions`: the state is in no component.
    dead: u32,
    /// If a path has more steps than this without a splitter, the search is given up.
    most_steps: u32,
}

@group(0) @binding(9) var<uniform> params: FunctionalParams;

const SIZE = 256u;

/// The number of states of a block.
const BLOCK = 16u;

/// No splitter follows.
const NONE = 0xffffffffu;

/// Returns the splitter of a block. In the last block it may lie past the last state.
fn splitter_of(block: u32) -> u32 {
    // The finalizer of MurmurHash3.
    var hash = block;
    hash = (hash ^ (hash >> 16u)) * 0x85ebca6bu;
    hash = (hash ^ (hash >> 13u)) * 0xc2b2ae35u;
    hash ^= hash >> 16u;
    return block * BLOCK + hash % BLOCK;
}

fn is_splitter(state: u32) -> bool {
    return splitter_of(state / BLOCK) == state;
}
