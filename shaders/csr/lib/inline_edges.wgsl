//! How many edges are stored next to the position of a row. With its position and end: 32 bytes.

const INLINE_EDGES = 6u;
