//! Integers of 64 bits as pairs of words, the low word first. Sums, differences and products are
//! taken modulo 2^64, so they are the same for signed and unsigned numbers.

/// The bit of the high word that says that a number is negative.
const SIGN = 0x80000000u;

fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + u32(low < a.x));
}

fn subtract64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

/// Returns whether one signed number is less than the other.
fn is_less64(a: vec2<u32>, b: vec2<u32>) -> bool {
    // With the sign flipped, signed numbers are in the order of unsigned ones.
    let high_a = a.y ^ SIGN;
    let high_b = b.y ^ SIGN;
    return high_a < high_b || (high_a == high_b && a.x < b.x);
}

/// Returns the product of two words, in full: that of their halves, with the carries.
fn product32(a: u32, b: u32) -> vec2<u32> {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let low = a_low * b_low;
    // Neither sum exceeds (2^16 - 1)^2 + 2^16 - 1, which is below 2^32.
    let left = a_high * b_low + (low >> 16u);
    let right = a_low * b_high + (left & 0xffffu);
    let high = a_high * b_high + (left >> 16u) + (right >> 16u);
    return vec2<u32>((right << 16u) | (low & 0xffffu), high);
}

fn product64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = product32(a.x, b.x);
    return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}

/// Returns the product of two numbers that are not negative, in full: four words, the lowest first.
fn product128(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
    let low = product32(a.x, b.x);
    let left = product32(a.y, b.x);
    let right = product32(a.x, b.y);
    let high = product32(a.y, b.y);
    let first = add64(vec2<u32>(low.y, 0u), vec2<u32>(left.x, 0u));
    let second = add64(first, vec2<u32>(right.x, 0u));
    let third = add64(vec2<u32>(left.y, 0u), vec2<u32>(right.y, 0u));
    let upper = add64(add64(high, third), vec2<u32>(second.y, 0u));
    return vec4<u32>(low.x, second.x, upper.x, upper.y);
}
