//! What a kernel is told that looks at each state by itself.

const SIZE = 256u;

struct StatesParams {
    states: u32,
}
