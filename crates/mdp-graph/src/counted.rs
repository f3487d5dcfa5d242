//! Formats numbers in messages, so that this crate and all crates above it write numbers alike.

/// Returns `number` with a comma between groups of three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number and its noun, in the singular or the plural: `1 state`, `1,234 states`.
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn grouping_only_inserts_commas(number: u64) {
            prop_assert_eq!(grouped(number).replace(',', ""), number.to_string());
        }
    }

    #[test]
    fn numbers_are_grouped_and_nouns_are_singular_or_plural() {
        let groups = [0, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(groups, ["0", "999", "1,000", "1,234,567"]);
        let counts = [0, 1, 2_000].map(|count| counted(count, "branch", "branches"));
        assert_eq!(counts, ["0 branches", "1 branch", "2,000 branches"]);
    }
}
