//! The parts of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
//! generators", 2014).

/// The distance of two successive states of the generator: the golden ratio, as a fraction of 2⁶⁴.
pub(crate) const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser: each bit of the result depends on all bits of `z`.
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
