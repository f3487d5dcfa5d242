//! The words of `counters`.

/// How many vectors are stored; some of them twice. More are counted than there is room for.
const STORED = 0u;
/// How often a vector was expanded.
const EXPANDED = 1u;
/// How often before the last launch.
const EXPANDED_BEFORE = 2u;
/// Whether a vector found no room, so that those that lead to it are to be expanded again.
const NO_ROOM = 3u;
/// Whether a vector that is stored found no slot in the cuckoo table.
const HOMELESS = 4u;
/// The most ways to synchronise, where they are too many.
const WIDEST = 5u;
/// Whether nothing was left to expand.
const FINISHED = 6u;
const COUNTERS = 8u;
