//! The blocks of prefix sums. One workgroup sums each block.

const SIZE = 256u;
/// Values of an invocation.
const EACH = 4u;
/// Values of a block.
const BLOCK = EACH * SIZE;
