// bad: a lock; who holds it may not be running.
@group(0) @binding(0) var<storage, read_write> lock: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;

@compute @workgroup_size(64)
fn main() {
    loop {
        if atomicCompareExchangeWeak(&lock, 0u, 1u).exchanged {
            break;
        }
    }
    atomicAdd(&sum, 1u);
    atomicStore(&lock, 0u);
}
