//! Numbers of things in messages.

use std::fmt::Display;

/// Returns a number and its noun, in the singular or in the plural, which ends in an s: `1 state`,
/// `2 states`.
#[must_use]
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn only_one_thing_is_in_the_singular() {
        let counts = [0_u64, 1, 2, 11].map(|number| counted(number, "state"));
        assert_eq!(counts, ["0 states", "1 state", "2 states", "11 states"]);
    }
}
