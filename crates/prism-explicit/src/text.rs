//! Text in memory, for files with millions of numbers.

use std::io::{self, Write as _};

/// The number of bytes that are collected before they are written.
pub(crate) const FULL: usize = 1 << 16;

/// Appends a number in decimal.
pub(crate) fn push_number(text: &mut Vec<u8>, number: impl itoa::Integer) {
    text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Formats values. It keeps the texts of some of them, because most models have few different
/// values.
#[derive(Debug)]
pub(crate) struct ValueTexts {
    format: fn(&mut Vec<u8>, f64) -> io::Result<()>,
    /// The bits of a value and its text, at the place that the bits select.
    kept: Vec<(u64, Vec<u8>)>,
}

/// The number of texts that are kept, as a power of two.
const LOG_KEPT: u32 = 6;

impl ValueTexts {
    /// `format` appends the text of a value.
    pub(crate) fn new(format: fn(&mut Vec<u8>, f64) -> io::Result<()>) -> Self {
        // At first, each place has a value that belongs to another place, or no place at all.
        let unused = (u64::MAX, Vec::new());
        Self {
            format,
            kept: vec![unused; 1 << LOG_KEPT],
        }
    }

    /// Appends the text of a value. It must not be a NaN.
    pub(crate) fn push(&mut self, text: &mut Vec<u8>, value: f64) {
        let bits = value.to_bits();
        // The greatest bits of a product depend on all bits of the factors.
        let place = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - LOG_KEPT);
        let (of, kept) = &mut self.kept[place as usize];
        if *of != bits {
            *of = bits;
            kept.clear();
            let written = (self.format)(kept, value);
            debug_assert!(written.is_ok(), "memory takes all that is written");
        }
        text.extend_from_slice(kept);
    }
}

/// Appends the shortest decimal that is read as this value, with an exponent if it is far from 1.
pub(crate) fn push_shortest(text: &mut Vec<u8>, value: f64) -> io::Result<()> {
    if value == 0.0 || (1e-5..1e16).contains(&value) {
        write!(text, "{value}")
    } else {
        write!(text, "{value:e}")
    }
}

/// Appends the shortest decimal that is read as this value, without an exponent.
pub(crate) fn push_decimal(text: &mut Vec<u8>, value: f64) -> io::Result<()> {
    write!(text, "{value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_are_those_of_the_standard_library(
            values in proptest::collection::vec(proptest::num::f64::ANY, 0..300),
            again in proptest::collection::vec(0usize..300, 0..300),
        ) {
            let values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
            let all = values.iter().chain(again.iter().filter_map(|&i| values.get(i)));
            let (mut texts, mut found, mut expected) =
                (ValueTexts::new(push_decimal), Vec::new(), String::new());
            for value in all {
                texts.push(&mut found, *value);
                expected.push_str(&value.to_string());
            }
            prop_assert_eq!(found, expected.into_bytes());
        }
    }

    #[test]
    fn values_far_from_1_have_an_exponent() {
        let mut texts = ValueTexts::new(push_shortest);
        let mut found = Vec::new();
        for value in [0.0, 1.0, 1e-5, 9e-6, 1e16, -2.5, 0.1, 1e-5] {
            texts.push(&mut found, value);
            found.push(b' ');
        }
        assert_eq!(found, b"0 1 0.00001 9e-6 1e16 -2.5e0 0.1 0.00001 ");
    }
}
