//! Decimal numbers, for the formats that print millions of them.

/// Appends `number` in decimal.
pub(crate) fn push_decimal(text: &mut Vec<u8>, mut number: u32) {
    // A u32 has at most ten digits. They are computed from the last one on.
    let mut digits = [0; 10];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[first..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decimals_are_those_of_the_standard_library(number: u32) {
            let mut text = Vec::new();
            push_decimal(&mut text, number);
            prop_assert_eq!(text, number.to_string().into_bytes());
        }
    }

    #[test]
    fn edges() {
        for number in [0, 9, 10, u32::MAX] {
            let mut text = Vec::new();
            push_decimal(&mut text, number);
            assert_eq!(text, number.to_string().into_bytes());
        }
    }
}
