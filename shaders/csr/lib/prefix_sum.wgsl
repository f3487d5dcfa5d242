//! How prefix sums are cut into blocks, each of which a workgroup sums.

const SIZE = 256u;
/// Values of an invocation.
const EACH = 4u;
/// Values of a block.
const BLOCK = EACH * SIZE;
