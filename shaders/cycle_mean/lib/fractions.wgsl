//! The order of fractions with numerators and denominators of 64 bits, by cross-multiplication.
#import lib/int64

/// Returns whether one number of four words is less than the other; neither is negative.
fn is_less128(a: vec4<u32>, b: vec4<u32>) -> bool {
    if a.w != b.w {
        return a.w < b.w;
    }
    if a.z != b.z {
        return a.z < b.z;
    }
    if a.y != b.y {
        return a.y < b.y;
    }
    return a.x < b.x;
}

/// Returns whether a fraction is less than another. Each has its signed numerator in the first two
/// words and its denominator, which is above 0, in the others.
fn is_less_fraction(a: vec4<u32>, b: vec4<u32>) -> bool {
    let is_negative = (a.y & SIGN) != 0u;
    if is_negative != ((b.y & SIGN) != 0u) {
        return is_negative;
    }
    if is_negative {
        let zero = vec2<u32>();
        let left = product128(subtract64(zero, b.xy), a.zw);
        return is_less128(left, product128(subtract64(zero, a.xy), b.zw));
    }
    return is_less128(product128(a.xy, b.zw), product128(b.xy, a.zw));
}
