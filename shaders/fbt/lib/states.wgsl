//! The parameters of kernels that look at each state by itself.

const SIZE = 256u;

struct StatesParams {
    states: u32,
}
