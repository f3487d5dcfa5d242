//! The number of choices of a state, and whether it can stay.

/// Beside the number of a state's choices that lead elsewhere too: another choice leads to the
/// state alone.
const LOOP = 0x80000000u;
