//! The words of `counters`, which the launches of the search and the host share.

/// The number of stored vectors, including duplicates and those for which there was no room.
const STORED = 0u;
/// The number of expansions of vectors.
const EXPANDED = 1u;
/// The number of expansions before the last launch.
const EXPANDED_BEFORE = 2u;
/// Whether a vector found no room, so that those that lead to it are to be expanded again.
const NO_ROOM = 3u;
/// Whether a vector that is stored found no slot in the cuckoo table.
const HOMELESS = 4u;
/// The largest number of ways to synchronise, if there are too many.
const WIDEST = 5u;
/// Whether nothing was left to expand.
const FINISHED = 6u;
const COUNTERS = 8u;
