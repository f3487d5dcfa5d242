//! The number of edges that are stored next to the position and end of a row: 32 bytes in total.

const INLINE_EDGES = 6u;
