//! How prefix sums are cut into blocks. One workgroup sums each block.

const SIZE = 256u;
/// Values of an invocation.
const EACH = 4u;
/// Values of a block.
const BLOCK = EACH * SIZE;
