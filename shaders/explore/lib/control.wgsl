//! The words of `control`, the state of the search, and of `tallies`, the counters that many
//! invocations share.
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
/// How many states were known before the batch.
const BASE = 3u;
/// How many states are known, with those that the batch finds.
const KNOWN_STATES = 4u;
/// How many transitions were kept before the batch, and are still there.
const ROW_BEGIN = 5u;
/// How many transitions there are with those of the batch.
const ROW_END = 6u;
/// The state of the first row that is still there.
const ROWS_FROM = 7u;
/// How many states the next batch may have.
const LIMIT = 8u;
/// Why the search stopped.
const STOP = 9u;
/// How many states or candidates were needed, or successors a state has; or which state it is.
const NEEDED = 10u;
/// All transitions so far, low and high word.
const TRANSITIONS = 11u;
const TRANSITIONS_HIGH = 12u;
/// Where states are counted only: how many have no successor, and where the level ends of which
/// states are being expanded.
const NO_SUCCESSORS = 13u;
const LEVEL = 14u;
const CONTROL_WORDS = 16u;

// Why the search stopped.

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
/// The most successors of a state that has too many to be compared.
const LONGEST = 1u;
/// How many states have no successor.
const DEADLOCKS = 2u;
/// The first of them.
const FIRST_DEADLOCK = 3u;
/// The first state whose successors cannot be computed.
const FAILED = 4u;
/// How many choices were kept, where that is counted.
const CHOICES = 5u;
const TALLIES = 6u;

// Bits in words for states and candidates.

/// In `offsets`: the state has no successor.
const DEADLOCK = 0x80000000u;
/// In `labels`: the transition is there before.
const DROPPED = 0x80000000u;
/// In `targets`, where several may be those of one choice: it is the first one.
const BEGINS = 0x80000000u;

/// In `found`: the rest is the number of a state; otherwise it is a slot.
const NUMBERED = 0x80000000u;
/// In `found`: there was no slot.
const HOMELESS_SLOT = 0x7fffffffu;

/// The candidates of a block, for prefix sums.
const BLOCK = 2048u;
/// The candidates of an invocation in it.
const EACH = BLOCK / SIZE;
/// The most candidates of a batch: so few that the sums of a block, and of a workgroup, fit 31 bits
/// even where each of what is summed is one more.
const MAX_CANDIDATES = 0x7ffffeu;
/// The blocks of so many candidates.
fn blocks_of(candidates: u32) -> u32 {
    return (candidates + BLOCK - 1u) / BLOCK;
}
