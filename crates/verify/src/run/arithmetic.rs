//! The operators of WGSL on words.

use super::code::{Binary, Rmw, Unary};

fn float(word: u32) -> f32 {
    f32::from_bits(word)
}

fn signed(word: u32) -> i32 {
    word as i32
}

pub(super) fn unary(op: Unary, a: u32) -> u32 {
    match op {
        Unary::Negate => a.wrapping_neg(),
        Unary::NegateFloat => (-float(a)).to_bits(),
        Unary::Not => u32::from(a == 0),
        Unary::Complement => !a,
        Unary::CountOnes => a.count_ones(),
        Unary::TrailingZeros => a.trailing_zeros(),
        Unary::LeadingZeros => a.leading_zeros(),
        Unary::Reverse => a.reverse_bits(),
        Unary::FirstLeading => 31_u32.wrapping_sub(a.leading_zeros()),
        Unary::FirstLeadingSigned => {
            let differs = if signed(a) < 0 { !a } else { a };
            31_u32.wrapping_sub(differs.leading_zeros())
        }
        Unary::FirstTrailing if a == 0 => u32::MAX,
        Unary::FirstTrailing => a.trailing_zeros(),
        Unary::AbsSigned => signed(a).wrapping_abs() as u32,
        Unary::AbsFloat => float(a).abs().to_bits(),
        Unary::FloatToUnsigned => float(a) as u32,
        Unary::FloatToSigned => float(a) as i32 as u32,
        Unary::UnsignedToFloat => (a as f32).to_bits(),
        Unary::SignedToFloat => (signed(a) as f32).to_bits(),
        Unary::ToBool => u32::from(a != 0),
        Unary::FloatToBool => u32::from(float(a) != 0.0),
        Unary::BoolToFloat => f32::from(u8::from(a != 0)).to_bits(),
    }
}

/// Returns the result of an operator. Division by zero returns the dividend, and the remainder is
/// then 0 (WGSL, section 8.7).
#[inline]
pub(super) fn binary(op: Binary, a: u32, b: u32) -> u32 {
    let (x, y) = (float(a), float(b));
    match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide => a.checked_div(b).unwrap_or(a),
        Binary::DivideSigned => signed(a).checked_div(signed(b)).map_or(a, |q| q as u32),
        Binary::Modulo => a.checked_rem(b).unwrap_or(0),
        Binary::ModuloSigned => signed(a).checked_rem(signed(b)).unwrap_or(0) as u32,
        Binary::Equal => u32::from(a == b),
        Binary::NotEqual => u32::from(a != b),
        Binary::Less => u32::from(a < b),
        Binary::LessSigned => u32::from(signed(a) < signed(b)),
        Binary::LessEqual => u32::from(a <= b),
        Binary::LessEqualSigned => u32::from(signed(a) <= signed(b)),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft => a << (b % 32),
        Binary::ShiftRight => a >> (b % 32),
        Binary::ShiftRightSigned => (signed(a) >> (b % 32)) as u32,
        Binary::Min => a.min(b),
        Binary::MinSigned => signed(a).min(signed(b)) as u32,
        Binary::Max => a.max(b),
        Binary::MaxSigned => signed(a).max(signed(b)) as u32,
        Binary::AddFloat => (x + y).to_bits(),
        Binary::SubtractFloat => (x - y).to_bits(),
        Binary::MultiplyFloat => (x * y).to_bits(),
        Binary::DivideFloat => (x / y).to_bits(),
        Binary::ModuloFloat => (x % y).to_bits(),
        Binary::EqualFloat => u32::from(x == y),
        Binary::NotEqualFloat => u32::from(x != y),
        Binary::LessFloat => u32::from(x < y),
        Binary::LessEqualFloat => u32::from(x <= y),
        Binary::MinFloat => x.min(y).to_bits(),
        Binary::MaxFloat => x.max(y).to_bits(),
    }
}

/// Extracts bits of a word. WGSL limits both numbers to 32.
pub(super) fn extract(a: u32, from: u32, count: u32, is_signed: bool) -> u32 {
    let from = from.min(32);
    let count = count.min(32 - from);
    if count == 0 {
        return 0;
    }
    let moved = a << (32 - from - count);
    match is_signed {
        true => (signed(moved) >> (32 - count)) as u32,
        false => moved >> (32 - count),
    }
}

/// Returns the value that an atomic operation stores in place of `old`.
pub(super) fn rmw(op: Rmw, old: u32, value: u32, expected: u32) -> u32 {
    match op {
        Rmw::Add => old.wrapping_add(value),
        Rmw::Subtract => old.wrapping_sub(value),
        Rmw::And => old & value,
        Rmw::Or => old | value,
        Rmw::Xor => old ^ value,
        Rmw::Min => old.min(value),
        Rmw::MinSigned => signed(old).min(signed(value)) as u32,
        Rmw::Max => old.max(value),
        Rmw::MaxSigned => signed(old).max(signed(value)) as u32,
        Rmw::Exchange => value,
        Rmw::CompareExchange if old == expected => value,
        Rmw::CompareExchange => old,
    }
}
