//! The results of operators. A value has 64 bits. It is an integer, a floating-point number or a
//! truth value (0 or 1). Its type is known, because types were checked before.

use crate::error::ArithmeticError;

/// The bits of a value.
pub(crate) type Bits = u64;

pub(crate) fn of_int(value: i64) -> Bits {
    value.cast_unsigned()
}

pub(crate) fn to_int(bits: Bits) -> i64 {
    bits.cast_signed()
}

pub(crate) fn of_double(value: f64) -> Bits {
    value.to_bits()
}

pub(crate) fn to_double(bits: Bits) -> f64 {
    f64::from_bits(bits)
}

/// Operations on one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    NegateInt,
    NegateDouble,
    /// Converts an integer to a floating-point number.
    Widen,
    Floor,
    Ceil,
    Round,
}

/// Operations on two values of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    AddInt,
    SubtractInt,
    MultiplyInt,
    MinInt,
    MaxInt,
    PowInt,
    Mod,
    AddDouble,
    SubtractDouble,
    MultiplyDouble,
    Divide,
    MinDouble,
    MaxDouble,
    PowDouble,
    Log,
}

/// Comparisons of two values of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    /// Returns the comparison that holds exactly if this one does not. This is not valid for
    /// floating-point numbers.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }

    /// Returns the equivalent comparison for swapped operands.
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::NotEqual => Self::NotEqual,
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
        }
    }

    #[inline]
    pub(crate) fn holds<T: PartialOrd + Copy>(self, left: T, right: T) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
        }
    }
}

#[inline]
pub(crate) fn unary(op: Unary, value: Bits) -> Result<Bits, ArithmeticError> {
    let double = to_double(value);
    Ok(match op {
        Unary::NegateInt => of_int(fitting(to_int(value).checked_neg())?),
        Unary::NegateDouble => of_double(-double),
        Unary::Widen => of_double(to_int(value) as f64),
        Unary::Floor => of_int(integer(double.floor())?),
        Unary::Ceil => of_int(integer(double.ceil())?),
        Unary::Round => of_int(integer(round(double))?),
    })
}

#[inline]
pub(crate) fn binary(op: Binary, left: Bits, right: Bits) -> Result<Bits, ArithmeticError> {
    let ints = (to_int(left), to_int(right));
    let (x, y) = (to_double(left), to_double(right));
    Ok(match op {
        Binary::AddInt => of_int(fitting(ints.0.checked_add(ints.1))?),
        Binary::SubtractInt => of_int(fitting(ints.0.checked_sub(ints.1))?),
        Binary::MultiplyInt => of_int(fitting(ints.0.checked_mul(ints.1))?),
        Binary::MinInt => of_int(ints.0.min(ints.1)),
        Binary::MaxInt => of_int(ints.0.max(ints.1)),
        Binary::PowInt => of_int(power(ints.0, ints.1)?),
        Binary::Mod if ints.1 <= 0 => return Err(ArithmeticError::NonPositiveDivisor),
        Binary::Mod => of_int(ints.0.rem_euclid(ints.1)),
        Binary::AddDouble => of_double(x + y),
        Binary::SubtractDouble => of_double(x - y),
        Binary::MultiplyDouble => of_double(x * y),
        Binary::Divide if y == 0.0 => return Err(ArithmeticError::DivisionByZero),
        Binary::Divide => of_double(x / y),
        Binary::MinDouble => of_double(if y < x { y } else { x }),
        Binary::MaxDouble => of_double(if y > x { y } else { x }),
        Binary::PowDouble => of_double(power_of_doubles(x, y)),
        Binary::Log => of_double(logarithm(x, y)),
    })
}

fn fitting(result: Option<i64>) -> Result<i64, ArithmeticError> {
    result.ok_or(ArithmeticError::Overflow)
}

/// Rounds to the nearest integer, halves up. (Adding 0.5 first would round 0.49999999999999994 up.)
fn round(value: f64) -> f64 {
    let below = value.floor();
    if value - below >= 0.5 {
        below + 1.0
    } else {
        below
    }
}

/// Converts a floating-point number without a fraction to an integer.
fn integer(value: f64) -> Result<i64, ArithmeticError> {
    /// 2^63, the least number that does not fit.
    const END: f64 = 9_223_372_036_854_775_808.0;
    if !value.is_finite() {
        return Err(ArithmeticError::NotFinite);
    }
    match (-END..END).contains(&value) {
        true => Ok(value as i64),
        false => Err(ArithmeticError::Overflow),
    }
}

fn power(base: i64, exponent: i64) -> Result<i64, ArithmeticError> {
    if exponent < 0 {
        return Err(ArithmeticError::NegativeExponent);
    }
    match base {
        0 | 1 => Ok(if exponent == 0 { 1 } else { base }),
        -1 => Ok(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => {
            let exponent = u32::try_from(exponent).map_err(|_| ArithmeticError::Overflow)?;
            fitting(base.checked_pow(exponent))
        }
    }
}

/// As in Java, and therefore in PRISM: if an argument is not a number, the result is not a number,
/// even for base 1.
fn power_of_doubles(base: f64, exponent: f64) -> f64 {
    let is_unclear = exponent.is_nan() || base.abs() == 1.0 && exponent.is_infinite();
    match is_unclear {
        true => f64::NAN,
        false => base.powf(exponent),
    }
}

/// As in PRISM: the result is not a number if the base is 1, not positive, or infinite.
fn logarithm(value: f64, base: f64) -> f64 {
    match base > 0.0 && base != 1.0 && base.is_finite() {
        true => value.ln() / base.ln(),
        false => f64::NAN,
    }
}
