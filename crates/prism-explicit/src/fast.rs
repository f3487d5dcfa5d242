//! Plain numbers, as most programs write them, on the fast path. Nothing here reports errors: what
//! is not plain is left to the grammar.
//!
//! ```text
//! number:  load 8 bytes; find the first that is no digit; shift the digits up; fold 8 digits at
//!          once
//! value:   whole part and up to 16 decimals as one integer m <= 2^53, divided by 10^decimals: both
//!          are exact, so the quotient is correctly rounded; otherwise fast_float2
//! ```

/// Skips this byte, which must come next.
#[inline(always)]
pub(crate) fn only(input: &[u8], at: usize, byte: u8) -> Option<usize> {
    (*input.get(at)? == byte).then_some(at + 1)
}

/// Reads an index of up to 9 digits. Longer ones might not fit into 32 bits.
#[inline(always)]
pub(crate) fn index(input: &[u8], at: usize) -> Option<(u32, usize)> {
    let (number, digits) = digits(input, at)?;
    if digits < 8 {
        return Some((number as u32, at + digits));
    }
    ninth_digit(input, at + 8, number as u32)
}

#[inline(never)]
fn ninth_digit(input: &[u8], at: usize, number: u32) -> Option<(u32, usize)> {
    let digit = |at: usize| input.get(at).filter(|byte| byte.is_ascii_digit());
    match (digit(at), digit(at + 1)) {
        (None, _) => Some((number, at)),
        (Some(ninth), None) => Some((number * 10 + u32::from(ninth - b'0'), at + 1)),
        (Some(_), Some(_)) => None,
    }
}

/// Returns the number that the next 1 to 8 digits form, and the number of these digits. There must
/// be at least 8 bytes of input.
#[inline(always)]
fn digits(input: &[u8], at: usize) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(*input.get(at..)?.first_chunk::<8>()?);
    let values = word ^ 0x3030_3030_3030_3030; // the value of each byte that is a digit
    // This sets bit 7 of the first byte above 9. A carry can reach only the bytes after it.
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() as usize / 8;
    if count == 0 {
        return None;
    }
    let padded = values << (64 - 8 * count); // zeros before, nothing after
    Some((fold_eight_digits(padded), count))
}

/// Returns the value of eight decimal digits, the first of which is in the lowest byte: combines
/// pairs, then groups of four, then all.
#[inline(always)]
fn fold_eight_digits(digits: u64) -> u64 {
    const LOW_OF_FOUR: u64 = 0x0000_00FF_0000_00FF;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let upper = (pairs & LOW_OF_FOUR).wrapping_mul(100 + (1_000_000 << 32));
    let lower = ((pairs >> 16) & LOW_OF_FOUR).wrapping_mul(1 + (10_000 << 32));
    upper.wrapping_add(lower) >> 32
}

const POWERS_OF_TEN: [f64; 17] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
];

/// Reads a finite number of at least 0 that is followed by a byte that `ends` accepts.
#[inline(always)]
pub(crate) fn number(input: &[u8], at: usize, ends: fn(u8) -> bool) -> Option<(f64, usize)> {
    let (whole, whole_digits) = digits(input, at)?;
    let behind = at + whole_digits;
    match *input.get(behind)? {
        byte if ends(byte) => Some((whole as f64, behind)),
        b'.' if whole < 1000 && whole_digits < 8 => decimals(input, at, whole, behind + 1, ends),
        _ => long_number(input, at, ends),
    }
}

/// Reads the decimals of the number at `at`, whose whole part is below 1000.
#[inline(always)]
fn decimals(
    input: &[u8],
    at: usize,
    whole: u64,
    point: usize,
    ends: fn(u8) -> bool,
) -> Option<(f64, usize)> {
    let (mut mantissa, mut count) = digits(input, point)?;
    mantissa += whole * TENS[count];
    if count == 8
        && let Some((more, more_count)) = digits(input, point + 8)
    {
        mantissa = mantissa * TENS[more_count] + more;
        count += more_count;
    }
    let behind = point + count;
    if ends(*input.get(behind)?) && mantissa <= 1 << 53 {
        return Some((mantissa as f64 / POWERS_OF_TEN[count], behind));
    }
    long_number(input, at, ends)
}

const TENS: [u64; 9] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

#[inline(never)]
fn long_number(input: &[u8], at: usize, ends: fn(u8) -> bool) -> Option<(f64, usize)> {
    // Values in real files are not longer than this. A longer one is left to the grammar, so that
    // it is not scanned twice.
    let token = &input[at..input.len().min(at + 64)];
    let (value, length) = fast_float2::parse_partial::<f64, _>(token).ok()?;
    // The grammar finds out whether a value was rounded to 0.
    let is_read = ends(*token.get(length)?) && value.is_finite() && value != 0.0;
    is_read.then_some((value, at + length))
}
