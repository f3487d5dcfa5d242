//! How many edges are stored beside the position of a row: with its position and end, 32 bytes.

const INLINE_EDGES = 6u;
