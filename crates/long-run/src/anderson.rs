//! Anderson acceleration of value iteration: it combines several earlier vectors of values into a
//! new one (D. G. Anderson, *Iterative procedures for nonlinear integral equations*, Journal of the
//! ACM 12, 1965; for MDPs, M. Geist and B. Scherrer, *Anderson acceleration for reinforcement
//! learning*, 2018).
//!
//! A stride is a number of iterations. The changes of values over the last strides get weights
//! whose sum is 1, such that the weighted sum of these changes is as short as possible. The new
//! values are the values at the ends of the strides, combined with the same weights. If few states
//! change their choices, this is what GMRES does for linear equations: where values converge
//! slowly, it takes about the square root of the number of iterations. An amount that all states of
//! a stride gain alike does not affect the differences of values, so the mean of each stride is
//! subtracted first.
//!
//! Because of the maximum over choices, a combination may be worse than the values that it is made
//! of. So it is tried for one stride. If the greatest and the least of T v - v are then no closer
//! together than before, the iteration returns to the previous values, and the strides become twice
//! as long. Plain iterations never move the greatest and the least of T v - v apart, so only the
//! stride is lost.

use rayon::prelude::*;

/// The number of iterations before acceleration begins. Most components need no more.
const UNAIDED: u64 = 400;
/// The number of iterations of the first stride, and the maximum of all strides.
const FIRST_STRIDE: u64 = 16;
const LAST_STRIDE: u64 = 1 << 12;
/// The number of sweeps of the first stride, if each new value depends on other new values.
const FIRST_SHORT_STRIDE: u64 = 8;
/// The minimum and the maximum number of strides that are combined, if there is enough memory.
const FEWEST: usize = 3;
const MAX: usize = 9;
/// The maximum memory for strides, in bytes.
const MEMORY: usize = 1 << 30;
/// The number of values that are added one after another, so that a sum does not depend on the
/// threads.
const BLOCK: usize = 1 << 12;

/// The state of the acceleration of an iteration.
pub(crate) struct Acceleration {
    /// Whether only the differences of values matter.
    is_relative: bool,
    /// The number of strides that are combined; 0 if they would take too much memory.
    depth: usize,
    /// The strides since the last combination.
    strides: Vec<Stride>,
    /// The values at the beginning of the present stride; empty before the first one.
    start: Vec<f64>,
    /// The number of iterations of a stride, and the number that is left of the present one.
    length: u64,
    left: u64,
    /// While a combination is on trial: the values before it, and the width of T v - v there.
    trial: Option<(Vec<f64>, f64)>,
}

/// A stride: some iterations.
struct Stride {
    /// The values after the stride.
    end: Vec<f64>,
    /// The change of the values during the stride. If only differences matter, its mean is
    /// subtracted.
    change: Vec<f64>,
}

impl Acceleration {
    /// Makes the acceleration for this many values of which only the differences matter.
    pub(crate) fn of_differences(states: usize) -> Self {
        let depth = (MEMORY / size_of::<[f64; 2]>() / states.max(1)).min(MAX);
        Self {
            is_relative: true,
            depth: if depth < FEWEST { 0 } else { depth },
            strides: Vec::new(),
            start: Vec::new(),
            length: FIRST_STRIDE,
            left: UNAIDED,
            trial: None,
        }
    }

    /// Makes the acceleration for this many values that matter themselves.
    pub(crate) fn of_values(states: usize) -> Self {
        Self {
            is_relative: false,
            length: FIRST_SHORT_STRIDE,
            left: FIRST_SHORT_STRIDE,
            ..Self::of_differences(states)
        }
    }

    /// Must be called after each iteration, which has led from `before` to `values`. It may replace
    /// `values` by better ones. Returns the width of `values` - `before` if it was computed and no
    /// combination is on trial. A task has at least `grain` values.
    pub(crate) fn advance(
        &mut self,
        values: &mut Vec<f64>,
        before: &[f64],
        grain: usize,
    ) -> Option<f64> {
        self.left -= 1;
        if self.left > 0 || self.depth == 0 {
            self.left = self.left.max(1);
            return None;
        }
        self.left = self.length;
        if self.start.is_empty() {
            self.start.clone_from(values);
            return None;
        }
        let width = match self.is_relative {
            true => width(values, before, grain),
            false => furthest(values, before, grain),
        };
        if let Some((unaided, width_before)) = self.trial.take()
            && (width >= width_before || width.is_nan())
        {
            *values = unaided;
            self.start.clone_from(values);
            self.length = (2 * self.length).min(LAST_STRIDE);
            self.left = self.length;
            return None;
        }
        let end = values.clone();
        let change = difference(&end, &self.start, grain);
        let change = match self.is_relative {
            true => centred(change, grain),
            false => change,
        };
        self.strides.push(Stride { end, change });
        if self.strides.len() == self.depth {
            let combined = combine(&self.strides, grain);
            self.trial = Some((std::mem::replace(values, combined), width));
            self.strides.clear();
        }
        self.start.clone_from(values);
        self.trial.is_none().then_some(width)
    }
}

/// Combines the ends of strides, with the weights of sum 1 for which the sum of the changes is
/// shortest.
fn combine(strides: &[Stride], grain: usize) -> Vec<f64> {
    let Some((last, others)) = strides.split_last() else {
        return Vec::new();
    };
    // If another stride has weight w, the sum of the changes is reduced by w times its difference
    // to the last change.
    let columns: Vec<Vec<f64>> = others
        .par_iter()
        .with_min_len(grain.div_ceil(last.end.len().max(1)))
        .map(|other| difference(&last.change, &other.change, grain))
        .collect();
    let products = |column: &Vec<f64>| {
        columns
            .iter()
            .map(|other| dot(column, other, grain))
            .collect()
    };
    let matrix: Vec<Vec<f64>> = columns.iter().map(products).collect();
    let right = columns
        .iter()
        .map(|column| dot(column, &last.change, grain));
    let weights = solve(matrix, right.collect());
    let value = |state: usize| {
        let end = last.end[state];
        let shifts = others.iter().zip(&weights);
        end - shifts
            .map(|(other, weight)| weight * (end - other.end[state]))
            .sum::<f64>()
    };
    let states = (0..last.end.len()).into_par_iter().with_min_len(grain);
    states.map(value).collect()
}

/// Solves equations with a positive semidefinite symmetric matrix, by Cholesky's method. If a row
/// depends on those before it, up to rounding, its unknown is 0.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    const SMALL: f64 = 1e-13;
    let size = right.len();
    let divide = |sum: f64, pivot: f64| if pivot > 0.0 { sum / pivot } else { 0.0 };
    for row in 0..size {
        for column in 0..=row {
            let known: f64 = (0..column)
                .map(|k| matrix[row][k] * matrix[column][k])
                .sum();
            let rest = matrix[row][column] - known;
            matrix[row][column] = match row == column {
                true if rest > SMALL * matrix[row][row] => rest.sqrt(),
                true => 0.0,
                false => divide(rest, matrix[column][column]),
            };
        }
    }
    for row in 0..size {
        let known: f64 = (0..row).map(|k| matrix[row][k] * right[k]).sum();
        right[row] = divide(right[row] - known, matrix[row][row]);
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|k| matrix[k][row] * right[k]).sum();
        right[row] = divide(right[row] - known, matrix[row][row]);
    }
    right
}

/// Returns the greatest distance between corresponding numbers. A task has at least `grain` of
/// them.
pub(crate) fn furthest(a: &[f64], b: &[f64], grain: usize) -> f64 {
    let distances = a
        .par_iter()
        .zip(b)
        .with_min_len(grain)
        .map(|(a, b)| (a - b).abs());
    distances.reduce(|| 0.0, f64::max)
}

/// Returns the greatest difference of corresponding numbers, minus the least difference.
fn width(a: &[f64], b: &[f64], grain: usize) -> f64 {
    let differences = a
        .par_iter()
        .zip(b)
        .with_min_len(grain)
        .map(|(a, b)| (a - b, a - b));
    let (least, greatest) = differences.reduce(
        || (f64::INFINITY, f64::NEG_INFINITY),
        |a, b| (a.0.min(b.0), a.1.max(b.1)),
    );
    greatest - least
}

fn difference(a: &[f64], b: &[f64], grain: usize) -> Vec<f64> {
    let both = a.par_iter().zip(b).with_min_len(grain);
    both.map(|(a, b)| a - b).collect()
}

fn centred(mut numbers: Vec<f64>, grain: usize) -> Vec<f64> {
    let mean = sum(numbers.len(), grain, |i| numbers[i]) / numbers.len() as f64;
    let each = numbers.par_iter_mut().with_min_len(grain);
    each.for_each(|number| *number -= mean);
    numbers
}

fn dot(a: &[f64], b: &[f64], grain: usize) -> f64 {
    sum(a.len(), grain, |i| a[i] * b[i])
}

/// Returns the sum of this many terms, computed block by block.
fn sum(terms: usize, grain: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let of_block = |start: usize| (start..terms.min(start + BLOCK)).map(&term).sum::<f64>();
    let starts = (0..terms).into_par_iter().step_by(BLOCK);
    let starts = starts.with_min_len(grain.div_ceil(BLOCK));
    starts.map(of_block).collect::<Vec<f64>>().into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::{Acceleration, Stride, combine, solve};

    #[test]
    fn equations_are_solved_and_dependent_rows_get_zero() {
        let matrix = vec![
            vec![4.0, 2.0, 4.0],
            vec![2.0, 5.0, 2.0],
            vec![4.0, 2.0, 4.0],
        ];
        assert_eq!(solve(matrix, vec![8.0, 8.0, 8.0]), [1.5, 1.0, 0.0]);
        assert_eq!(solve(vec![vec![0.0]], vec![3.0]), [0.0]);
        assert_eq!(solve(Vec::new(), Vec::new()), [0.0; 0]);
    }

    /// For a linear iteration in two dimensions, three strides determine the fixed point.
    #[test]
    fn a_linear_iteration_is_solved_at_once() {
        let step = |[x, y]: [f64; 2]| [0.9 * x + 0.05 * y + 1.0, 0.1 * x + 0.8 * y - 2.0];
        let mut values = [0.0, 0.0];
        let mut strides = Vec::new();
        for _ in 0..3 {
            let end = step(values);
            let change = vec![end[0] - values[0], end[1] - values[1]];
            strides.push(Stride {
                end: end.to_vec(),
                change,
            });
            values = end;
        }
        let found = combine(&strides, 1);
        let [x, y] = step([found[0], found[1]]);
        assert!(
            (x - found[0]).abs() < 1e-9 && (y - found[1]).abs() < 1e-9,
            "{found:?}"
        );
    }

    /// All strides are equal, so a combination does not help.
    #[test]
    fn steps_that_do_not_help_are_undone() {
        let mut acceleration = Acceleration::of_differences(2);
        let mut values = vec![0.0, 1e6];
        for _ in 0..100_000 {
            let before = values.clone();
            values[1] -= 1.0;
            acceleration.advance(&mut values, &before, 1);
        }
        assert_eq!(acceleration.length, super::LAST_STRIDE);
        // Each trial costs a stride: at first a shorter one, and then one of the greatest length.
        let lost = 1e6 - 100_000.0;
        assert!((lost..=lost + 20_000.0).contains(&values[1]), "{values:?}");
    }

    #[test]
    fn huge_components_are_not_extrapolated() {
        assert_eq!(Acceleration::of_differences(100_000_000).depth, 0);
        assert_eq!(Acceleration::of_differences(1000).depth, super::MAX);
    }
}
