//! Claims an empty slot of the hash table, by compare-and-swap.

/// Puts an entry into a slot, if that is empty, and returns what was there before: EMPTY, if the
/// entry is there now.
fn claim(slot: u32, entry: u32) -> u32 {
    var seen = atomicLoad(&slots[slot]);
    while seen == EMPTY {
        let swap = atomicCompareExchangeWeak(&slots[slot], seen, entry);
        if swap.exchanged {
            return EMPTY;
        }
        seen = swap.old_value;
    }
    return seen;
}
