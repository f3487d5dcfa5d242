//! Tells which candidates of a batch are the first to lead to a new state (`docs/exploring.md`).

/// Returns the entry of the slot of a candidate, if it is the first one that leads to its state;
/// otherwise 0. The slot holds the least place of the candidates that do.
fn first_entry(place: u32) -> u32 {
    let slot = found[place];
    if slot >= HOMELESS_SLOT {
        return 0u;
    }
    let entry = atomicLoad(&slots[slot]);
    if entry < KNOWN && (entry & index_mask()) == place + 1u {
        return entry;
    }
    return 0u;
}
