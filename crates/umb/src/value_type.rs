//! [`ValueType`]: the types of values in the index.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A truth value.
    Bool,
    /// A signed integer.
    Int,
    /// An unsigned integer.
    Uint,
    /// Two signed integers.
    IntInterval,
    /// Two unsigned integers.
    UintInterval,
    /// A 64-bit floating-point number.
    Double,
    /// Two 64-bit floating-point numbers.
    DoubleInterval,
    /// A signed numerator and an unsigned denominator.
    Rational,
    /// Two fractions.
    RationalInterval,
    /// The index of a string.
    String,
}

impl Kind {
    /// Returns the size in bits of a value whose type does not give one.
    #[must_use]
    pub fn default_bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Int | Self::Uint | Self::Double | Self::String => 64,
            Self::IntInterval | Self::UintInterval | Self::DoubleInterval | Self::Rational => 128,
            Self::RationalInterval => 256,
        }
    }

    pub(crate) fn is_interval(self) -> bool {
        use Kind::{DoubleInterval, IntInterval, RationalInterval, UintInterval};
        matches!(
            self,
            IntInterval | UintInterval | DoubleInterval | RationalInterval
        )
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::IntInterval => "int-interval",
            Self::UintInterval => "uint-interval",
            Self::Double => "double",
            Self::DoubleInterval => "double-interval",
            Self::Rational => "rational",
            Self::RationalInterval => "rational-interval",
            Self::String => "string",
        }
    }
}

/// The type of values: a kind and a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueType {
    /// The kind.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The size in bits; see [`bits`](Self::bits).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
}

impl ValueType {
    /// Returns the type of this kind with its default size.
    pub(crate) fn of(kind: Kind) -> Self {
        Self {
            kind,
            size: Some(kind.default_bits()),
        }
    }

    /// Returns the size in bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.size.unwrap_or(self.kind.default_bits())
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bits", self.kind.name(), self.bits())
    }
}
