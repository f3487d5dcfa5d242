// bad: a function that calls itself by way of another.
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn even(n: u32) -> bool {
    if n == 0u {
        return true;
    }
    return odd(n - 1u);
}

fn odd(n: u32) -> bool {
    return !even(n);
}

@compute @workgroup_size(1)
fn main() {
    out[0] = u32(even(7u));
}
