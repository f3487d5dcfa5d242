// good: a compare-and-swap that fails only where another one has succeeded, and loops that count.
@group(0) @binding(0) var<storage, read_write> largest: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> tickets: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> links: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32) {
    var known = atomicLoad(&largest);
    while known < local {
        let swapped = atomicCompareExchangeWeak(&largest, known, local);
        if swapped.exchanged {
            break;
        }
        known = swapped.old_value;
    }
    loop {
        let ticket = atomicAdd(&tickets, 1u);
        if ticket >= 100u {
            break;
        }
    }
    var at = local;
    loop {
        let next = atomicLoad(&links[at]);
        if next == at {
            break;
        }
        at = next % (at + 1u);
    }
}
