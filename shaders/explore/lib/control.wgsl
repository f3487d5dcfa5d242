//! The words of `control`, the state of the search between batches, and of `tallies`, the counters
//! that many invocations share.
//!
//! A *batch* is a range of states, first in first out. Its *candidates* are their successors, in
//! order; the *place* of a candidate counts from 0 in the batch.

// Words of `control`.

/// The first state of the batch.
const START = 0u;
/// The first state after the batch: all before it have been, or are being, expanded.
const END = 1u;
/// The candidates of the batch.
const CANDIDATES = 2u;
/// The number of states that were known before the batch.
const BASE = 3u;
/// The number of states that are known, including those that the batch finds.
const KNOWN_STATES = 4u;
/// The number of transitions that were kept before the batch, and are still on the device.
const ROW_BEGIN = 5u;
/// The number of transitions, including those of the batch.
const ROW_END = 6u;
/// The state of the first row that is still on the device.
const ROWS_FROM = 7u;
/// The largest number of states of the next batch.
const LIMIT = 8u;
/// The reason why the search stopped.
const STOP = 9u;
/// The needed number of states or candidates, or the number of successors of a state, or the state.
const NEEDED = 10u;
/// The number of all transitions so far, low and high word.
const TRANSITIONS = 11u;
const TRANSITIONS_HIGH = 12u;
/// If states are only counted: how many have no successor, and where the level ends whose
/// states are being expanded.
const NO_SUCCESSORS = 13u;
const LEVEL = 14u;
const CONTROL_WORDS = 16u;

// Reasons why the search stopped.

const RUNNING = 0u;
/// All states are expanded.
const FINISHED = 1u;
/// The rows are full; the batch is done.
const DRAIN = 2u;
/// A candidate found no slot. The batch is to be repeated in another table.
const OVERFLOW = 3u;
/// There are more states than fit. The batch is to be repeated.
const FULL = 4u;
/// The successors of one state do not fit.
const NARROW = 5u;
/// A state has too many successors to search them for repeated ones.
const LONG = 6u;
/// The successors of a state cannot be computed.
const BROKEN = 7u;

// Words of `tallies`.

/// Whether a candidate, or a state in a new table, found no slot.
const HOMELESS = 0u;
/// The largest number of successors of a state with too many to be compared.
const LONGEST = 1u;
/// The number of states without a successor.
const DEADLOCKS = 2u;
/// The first state without a successor.
const FIRST_DEADLOCK = 3u;
/// The first state whose successors cannot be computed.
const FAILED = 4u;
/// The number of choices that were kept, if they are counted.
const CHOICES = 5u;
const TALLIES = 6u;

// Bits in words for states and candidates.

/// In `offsets`: the state has no successor.
const DEADLOCK = 0x80000000u;
/// In `labels`: an earlier transition is the same.
const DROPPED = 0x80000000u;
/// In `targets`, if choices may have several branches: the branch is the first one of its choice.
const BEGINS = 0x80000000u;

/// In `found`: the other bits are the number of a state; otherwise they are a slot.
const NUMBERED = 0x80000000u;
/// In `found`: there was no slot.
const HOMELESS_SLOT = 0x7fffffffu;

/// The number of candidates of a block, for prefix sums.
const BLOCK = 2048u;
/// The number of candidates of an invocation in a block.
const EACH = BLOCK / SIZE;
/// The most candidates of a batch: so few that the sums of a block, and of a workgroup, fit 31 bits
/// even where each of what is summed is one more.
const MAX_CANDIDATES = 0x7ffffeu;
/// Returns the number of blocks of this many candidates.
fn blocks_of(candidates: u32) -> u32 {
    return (candidates + BLOCK - 1u) / BLOCK;
}
