//! The bit of a state's word in `counts` that says whether a choice leads back to the state alone.

/// In a word of `counts`, beside the number of the state's choices that lead elsewhere, too: there
/// is a choice that leads to the state alone.
const LOOP = 0x80000000u;
