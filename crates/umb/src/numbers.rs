//! Arrays of numbers as the format stores them: little-endian, at any position. They are used in
//! place if alignment and byte order permit, and copied otherwise.

use std::borrow::Cow;

use bytemuck::Pod;

use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::value_type::{Kind, ValueType};
use model_type::number::LEAST;

/// A number of fixed size.
pub(crate) trait Number: Pod {
    /// Reads a number from bytes, of which there must be as many as it has.
    fn from_little_endian(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Number for $type {
            fn from_little_endian(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$type>()];
                own.copy_from_slice(bytes);
                <$type>::from_le_bytes(own)
            }
        }
    )*};
}
number!(u32, u64, i64, f64);

/// Returns the numbers in these bytes. An incomplete number at the end is left out.
pub(crate) fn cast<T: Number>(bytes: &[u8]) -> Cow<'_, [T]> {
    let whole = &bytes[..bytes.len() - bytes.len() % size_of::<T>()];
    if cfg!(target_endian = "little")
        && let Ok(numbers) = bytemuck::try_cast_slice(whole)
    {
        return Cow::Borrowed(numbers);
    }
    let numbers = whole.chunks_exact(size_of::<T>());
    Cow::Owned(numbers.map(T::from_little_endian).collect())
}

/// Reads the numbers of an entry, of which there must be `count`.
pub(crate) fn read<'a, T: Number>(
    entry: &str,
    bytes: &'a [u8],
    count: u64,
    what: &'static str,
) -> Result<Cow<'a, [T]>, Error> {
    check_size(entry, bytes, count, size_of::<T>() as u64, what)?;
    Ok(cast(bytes))
}

/// Checks that the size of an entry is that of `count` elements of `size` bytes.
pub(crate) fn check_size(
    entry: &str,
    bytes: &[u8],
    count: u64,
    size: u64,
    what: &'static str,
) -> Result<(), Error> {
    let expected = u128::from(count) * u128::from(size);
    if bytes.len() as u128 == expected {
        return Ok(());
    }
    let found = bytes.len() as u64;
    Err(Error::in_entry(
        entry,
        ErrorKind::EntrySize {
            found,
            expected,
            count,
            what,
        },
    ))
}

/// Real numbers: probabilities, rates or rewards.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Numbers<'a> {
    /// Floating-point numbers.
    Doubles(Cow<'a, [f64]>),
    /// Fractions.
    Fractions(Fractions<'a>),
}

impl<'a> Numbers<'a> {
    /// Reads `count` numbers. Their type must be a real one.
    pub(crate) fn read(
        entry: &str,
        bytes: &'a [u8],
        count: u64,
        value_type: ValueType,
        what: &'static str,
    ) -> Result<Self, Error> {
        match (value_type.kind, value_type.bits()) {
            (Kind::Double, 64) => read(entry, bytes, count, what).map(Self::Doubles),
            (Kind::Rational, bits) if bits > 0 && bits % 128 == 0 => {
                let size = bits as usize / 8;
                check_size(entry, bytes, count, size as u64, what)?;
                Ok(Self::Fractions(Fractions { bytes, size }))
            }
            _ => {
                let kind = ErrorKind::ValueType {
                    what,
                    found: value_type.to_string(),
                    expected: "double of 64 bits, or rational of a multiple of 128 bits",
                };
                Err(Error::in_entry(INDEX, kind))
            }
        }
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Doubles(doubles) => doubles.len(),
            Self::Fractions(fractions) => fractions.len(),
        }
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number `i`, rounded if it is a fraction.
    ///
    /// # Panics
    ///
    /// If `i` is not below [`len`](Self::len).
    #[must_use]
    #[inline]
    pub fn get(&self, i: usize) -> f64 {
        match self {
            Self::Doubles(doubles) => doubles[i],
            Self::Fractions(fractions) => fractions.get(i),
        }
    }

    /// Returns whether number `i` is a fraction with denominator 0.
    pub(crate) fn has_no_denominator(&self, i: usize) -> bool {
        match self {
            Self::Doubles(_) => false,
            Self::Fractions(fractions) => fractions.denominator(i).iter().all(|&byte| byte == 0),
        }
    }

    /// Returns whether number `i` is 0; fractions are not rounded for this.
    ///
    /// # Panics
    ///
    /// If `i` is not below [`len`](Self::len).
    #[must_use]
    #[inline]
    pub fn is_zero(&self, i: usize) -> bool {
        match self {
            Self::Doubles(doubles) => doubles[i] == 0.0,
            Self::Fractions(fractions) => fractions.numerator(i).iter().all(|&byte| byte == 0),
        }
    }
}

/// Intervals of real numbers: their lower and upper bounds. Fractions are rounded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Intervals {
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
}

impl Intervals {
    /// Reads `count` intervals. Their type must be a real one.
    pub(crate) fn read(
        entry: &str,
        bytes: &[u8],
        count: u64,
        value_type: ValueType,
        what: &'static str,
    ) -> Result<Self, Error> {
        let size = value_type.bits() / 8;
        let bounds = match (value_type.kind, value_type.bits()) {
            (Kind::DoubleInterval, 128) => {
                check_size(entry, bytes, count, size.into(), what)?;
                Numbers::Doubles(cast(bytes))
            }
            (Kind::RationalInterval, bits) if bits > 0 && bits % 256 == 0 => {
                check_size(entry, bytes, count, size.into(), what)?;
                let size = size as usize / 2;
                Numbers::Fractions(Fractions { bytes, size })
            }
            _ => {
                let kind = ErrorKind::ValueType {
                    what,
                    found: value_type.to_string(),
                    expected: "double-interval of 128 bits, or rational-interval of a multiple of \
                               256 bits",
                };
                return Err(Error::in_entry(INDEX, kind));
            }
        };
        let zero = (0..bounds.len()).find(|&i| bounds.has_no_denominator(i));
        if let Some(zero) = zero {
            return Err(Error::at(entry, zero / 2, ErrorKind::ZeroDenominator));
        }
        let all = 0..bounds.len() / 2;
        Ok(Self {
            lower: all.clone().map(|i| bounds.get(2 * i)).collect(),
            upper: all.map(|i| bounds.get(2 * i + 1)).collect(),
        })
    }
}

/// Fractions of a signed numerator and an unsigned denominator, which have the same size, a
/// multiple of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fractions<'a> {
    bytes: &'a [u8],
    /// The size of a fraction in bytes, a multiple of 16.
    size: usize,
}

impl<'a> Fractions<'a> {
    /// Returns the number of fractions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() / self.size
    }

    /// Returns whether there are no fractions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the numerator of fraction `i` as bytes: little-endian, in two's complement.
    ///
    /// # Panics
    ///
    /// If `i` is not below [`len`](Self::len).
    #[must_use]
    pub fn numerator(&self, i: usize) -> &'a [u8] {
        &self.bytes[i * self.size..][..self.size / 2]
    }

    /// Returns the denominator of fraction `i` as bytes: little-endian, unsigned.
    ///
    /// # Panics
    ///
    /// If `i` is not below [`len`](Self::len).
    #[must_use]
    pub fn denominator(&self, i: usize) -> &'a [u8] {
        &self.bytes[i * self.size..][self.size / 2..self.size]
    }

    /// Fraction `i` as a floating-point number, correct to about 15 digits if it lies between
    /// 1e-300 and 1e300. It is 0 only if the numerator is, because edges depend on this. If the
    /// denominator is 0, the result is infinite or not a number.
    ///
    /// # Panics
    ///
    /// If `i` is not below [`len`](Self::len).
    #[must_use]
    pub fn get(&self, i: usize) -> f64 {
        let (numerator, denominator) = (self.numerator(i), self.denominator(i));
        let negative = numerator.last().is_some_and(|&byte| byte >= 0x80);
        let over = Leading::of(numerator, negative);
        let under = Leading::of(denominator, false);
        // Far outside the range of floating-point numbers, the exact exponent does not matter.
        let exponent = (over.exponent - under.exponent).clamp(-2000, 2000) as i32;
        // One power of 2 may be out of the range of doubles where two are not.
        let (first, second) = (exponent / 2, exponent - exponent / 2);
        let quotient = over.digits as f64 / under.digits as f64;
        let magnitude = match quotient * 2f64.powi(first) * 2f64.powi(second) {
            0.0 if over.digits > 0 => LEAST,
            magnitude => magnitude,
        };
        if negative { -magnitude } else { magnitude }
    }

    /// Returns the bytes of all fractions, and the size of one in bytes.
    pub(crate) fn as_bytes(&self) -> (&'a [u8], usize) {
        (self.bytes, self.size)
    }
}

/// The 64 leading bits of a large natural number: about `digits * 2^exponent`.
struct Leading {
    digits: u64,
    exponent: i64,
}

impl Leading {
    /// Returns the leading bits of the number in these bytes, or of its negation.
    fn of(bytes: &[u8], negate: bool) -> Self {
        let word = |i: usize| u64::from_little_endian(&bytes[i * 8..][..8]);
        let words = bytes.len() / 8;
        // Below the lowest word that is not 0, negation changes nothing; above, it flips.
        let lowest = (0..words).find(|&i| word(i) != 0).unwrap_or(words);
        let magnitude = |i: usize| match i {
            _ if !negate => word(i),
            _ if i < lowest => 0,
            _ if i == lowest => word(i).wrapping_neg(),
            _ => !word(i),
        };
        let Some(top) = (0..words).rev().find(|&i| magnitude(i) != 0) else {
            return Self {
                digits: 0,
                exponent: 0,
            };
        };
        if top == 0 {
            return Self {
                digits: magnitude(0),
                exponent: 0,
            };
        }
        let two = u128::from(magnitude(top)) << 64 | u128::from(magnitude(top - 1));
        let shift = 64 - magnitude(top).leading_zeros();
        Self {
            digits: (two >> shift) as u64,
            exponent: (top as i64 - 1) * 64 + i64::from(shift),
        }
    }
}

#[cfg(test)]
mod tests;
