//! The number of a candidate's state, once all states are numbered.

/// Returns the number of the state that was found.
fn number_of(at: u32) -> u32 {
    if at >= NUMBERED {
        return at & ~NUMBERED;
    }
    return atomicLoad(&slots[at]) & index_mask();
}
