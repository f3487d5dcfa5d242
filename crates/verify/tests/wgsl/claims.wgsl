// good: two invocations each find the same number, and one of them goes on with it
@group(0) @binding(0) var<storage, read_write> taken: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> winners: atomic<u32>;

//@ once take(number): who sets the word goes on with the number
fn take(number: u32, salt: u32) -> bool {
    return atomicOr(&taken[number], 1u) == 0u;
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) local: u32) {
    if take(local / 2u, local) {
        atomicAdd(&winners, 1u);
    }
}
