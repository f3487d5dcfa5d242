//! The phases of the worklist engine's loop. The host's table of them is generated from here: a
//! phase is a constant whose name begins with PHASE_. `worklist/step.wgsl` and
//! `worklist/colouring.wgsl` say what each of them does.

const PHASE_INIT = 0u;
const PHASE_TRIM = 1u;
const PHASE_PIVOT = 2u;
const PHASE_SEED = 3u;
const PHASE_SEARCH = 4u;
const PHASE_UPDATE_DEGREES = 5u;
const PHASE_RELABEL = 6u;
const PHASE_ATTRACTOR = 7u;
const PHASE_CLASSIFY = 8u;
const PHASE_COUNT_DEGREES = 9u;
const PHASE_FIND_TRIMMED = 10u;
const PHASE_PRUNE = 11u;
const PHASE_FINISH = 12u;
/// Nothing is left to do.
const PHASE_END = 13u;
/// Many rounds have passed, or little was found for long: the loop stops, so that
/// `worklist/colouring.wgsl` can divide the regions.
const PHASE_HALT = 14u;

const PHASE_COLOUR = 15u;
const PHASE_PROPAGATE = 16u;
const PHASE_CUT = 17u;
const PHASE_RENAME = 18u;
/// The colours do not settle.
const PHASE_GIVE_UP = 19u;
const PHASE_MERGE = 20u;
const PHASE_HOOK = 21u;
const PHASE_FLATTEN = 22u;

const PHASE_LINK = 23u;
const PHASE_JUMP = 24u;
/// Chains of states were trimmed.
const PHASE_CHAINED = 25u;

/// Components became regions again though none of their choices was removed: the device computes
/// wrongly, and the search ends.
const PHASE_STUCK = 26u;
