//! The sizes of the blocks of prefix sums (`csr/sum`, `csr/carry`). One workgroup sums each block.

const SIZE = 256u;
/// The number of values of an invocation.
const EACH = 4u;
/// The number of values of a block.
const BLOCK = EACH * SIZE;
