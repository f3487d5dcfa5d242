//! Sums of many numbers.

/// Returns the sum of numbers that are not negative. Its relative error is that of three roundings,
/// whatever their number: the errors of all additions are added up, too (Kahan, Babuška, Neumaier).
pub(crate) fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut error) = (0.0f64, 0.0f64);
    for number in numbers {
        let next = sum + number;
        let part = next - sum;
        error += (sum - (next - part)) + (number - part);
        sum = next;
    }
    sum + error
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn long_sums_are_exact() {
        assert_eq!(sum((0..1_000_000).map(|_| 0.1)), 100_000.0);
        assert_eq!(sum([1.0, 1e-16, 1e-16].into_iter()), 1.0 + 2.0 * 1e-16);
    }
}
