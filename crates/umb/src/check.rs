//! Checks of the arrays of a model, for reading and writing. Each check is a simple pass, in pieces
//! on all threads of the current rayon pool, that returns yes or no. The position of an error is
//! searched only if there is one.

use crate::error::{Error, ErrorKind};
use crate::numbers::Numbers;
use crate::rows::Rows;
use model_type::{ModelType, SUM_TOLERANCE};
use rayon::prelude::*;
use std::ops::{Range, RangeInclusive};

/// The number of elements that are checked at a time. They stay in the cache between two passes.
const PIECE: usize = 1 << 14;

/// The largest amount by which a lower bound may be above the upper one, because of rounding: PRISM
/// computes the bounds that it writes. Such bounds are treated as equal.
const ROUNDING: f64 = 1e-12;

/// Checks that offsets start at 0, do not decrease, and end at `end`, the number of elements.
/// `what` is the name of these elements.
pub(crate) fn offsets<T: Copy + Ord + Into<u64> + Sync>(
    entry: &str,
    offsets: &[T],
    end: u64,
    what: &'static str,
) -> Result<(), Error> {
    let first: u64 = offsets.first().map_or(0, |&offset| offset.into());
    let last: u64 = offsets.last().map_or(0, |&offset| offset.into());
    if last != end && last.swap_bytes() == end {
        return Err(Error::in_entry(entry, ErrorKind::BigEndian));
    }
    if first != 0 {
        let kind = ErrorKind::FirstOffset { found: first };
        return Err(Error::at(entry, 0, kind));
    }
    let ascends = |rows: Range<usize>| offsets[rows.start..=rows.end].is_sorted();
    if !pieces(offsets.len().saturating_sub(1)).all(ascends)
        && let Some(row) = offsets.windows(2).position(|pair| pair[0] > pair[1])
    {
        let (previous, found) = (offsets[row].into(), offsets[row + 1].into());
        let kind = ErrorKind::OffsetDecreases { previous, found };
        return Err(Error::at(entry, row + 1, kind));
    }
    if last != end {
        let kind = ErrorKind::LastOffset {
            found: last,
            expected: end,
            what,
        };
        return Err(Error::at(entry, offsets.len().saturating_sub(1), kind));
    }
    Ok(())
}

/// Checks that all numbers are below `limit`. `what` is the name of one of them.
pub(crate) fn below<T: Copy + Into<u64> + Sync>(
    entry: &str,
    numbers: &[T],
    limit: u64,
    what: &'static str,
) -> Result<(), Error> {
    // No early exit, so that the loop can use vector instructions.
    let fit = |piece: &[T]| {
        let numbers = piece.iter();
        numbers.fold(true, |fit, &number| fit & (number.into() < limit))
    };
    let fit = numbers.par_chunks(PIECE).all(fit);
    let bad = |&number: &T| number.into() >= limit;
    let Some(place) = (!fit).then(|| numbers.iter().position(bad)).flatten() else {
        return Ok(());
    };
    let value = numbers[place].into();
    // Small numbers in the wrong byte order are multiples of 2^32.
    if value as u32 == 0 && value.swap_bytes() < limit {
        return Err(Error::in_entry(entry, ErrorKind::BigEndian));
    }
    let kind = ErrorKind::OutOfRange { value, what, limit };
    Err(Error::at(entry, place, kind))
}

/// Checks that each choice has a branch, in an LTS exactly one, and that each state of a Markov
/// chain has at most one choice. `entries` are the entries of the choices and of the branches.
pub(crate) fn shape(
    model_type: ModelType,
    choices: &impl Rows,
    branches: &impl Rows,
    entries: [&str; 2],
) -> Result<(), Error> {
    if !model_type.is_nondeterministic()
        && let Some((state, choices)) = first_outside(choices, 0..=1)
    {
        let kind = ErrorKind::ChoicesOfChain {
            state,
            choices,
            model_type,
        };
        return Err(Error::at(entries[0], state as usize + 1, kind));
    }
    let most = match model_type {
        ModelType::Lts => 1,
        _ => u64::MAX,
    };
    let Some((choice, branches)) = first_outside(branches, 1..=most) else {
        return Ok(());
    };
    let kind = match branches {
        0 => ErrorKind::NoBranch,
        branches => ErrorKind::BranchesOfLts { choice, branches },
    };
    Err(Error::at(entries[1], choice as usize + 1, kind))
}

/// Returns the first row whose number of elements is not one of these, and that number.
fn first_outside(rows: &impl Rows, sizes: RangeInclusive<u64>) -> Option<(u64, u64)> {
    let size = |row| {
        let range = rows.range(row as u64);
        range.end - range.start
    };
    let fit = |piece: Range<usize>| piece.fold(true, |fit, row| fit & sizes.contains(&size(row)));
    let count = rows.count() as usize;
    if pieces(count).all(fit) {
        return None;
    }
    let mut all = (0..count).map(|row| (row as u64, size(row)));
    all.find(|(_, size)| !sizes.contains(size))
}

/// Divides this many elements into pieces.
fn pieces(count: usize) -> impl ParallelIterator<Item = Range<usize>> {
    let starts = (0..count).into_par_iter().step_by(PIECE);
    starts.map(move |start| start..count.min(start + PIECE))
}

/// Checks that each of the Markovian states has at most one choice, as the format requires: no time
/// passes in states where other choices are enabled.
pub(crate) fn markovian(
    entry: &str,
    choices: &impl Rows,
    states: impl Iterator<Item = u64>,
) -> Result<(), Error> {
    for state in states {
        let range = choices.range(state);
        let choices = range.end - range.start;
        if choices > 1 {
            let kind = ErrorKind::ChoicesOfMarkovian { state, choices };
            return Err(Error::in_entry(entry, kind));
        }
    }
    Ok(())
}

/// Checks that numbers are finite and at least 0, and that no denominator is 0.
pub(crate) fn rates(entry: &str, numbers: &Numbers<'_>) -> Result<(), Error> {
    let is_rate = |value: f64| (0.0..f64::INFINITY).contains(&value);
    if let Numbers::Doubles(doubles) = numbers
        && doubles
            .iter()
            .fold(true, |good, &value| good & is_rate(value))
    {
        return Ok(());
    }
    for i in 0..numbers.len() {
        let value = numbers.get(i);
        let kind = match () {
            () if numbers.has_no_denominator(i) => ErrorKind::ZeroDenominator,
            () if is_rate(value) => continue,
            () => ErrorKind::BadValue { value },
        };
        return Err(Error::at(entry, i, kind));
    }
    Ok(())
}

/// Checks that bounds are finite and at least 0, and that no lower bound is above its upper bound
/// by more than rounding.
pub(crate) fn intervals(entry: &str, lower: &[f64], upper: &[f64]) -> Result<(), Error> {
    for (i, (&low, &high)) in lower.iter().zip(upper).enumerate() {
        let is_bound = |value: &f64| (0.0..f64::INFINITY).contains(value);
        let kind = match [low, high].into_iter().find(|bound| !is_bound(bound)) {
            Some(value) => ErrorKind::BadValue { value },
            None if low <= high + ROUNDING => continue,
            None => ErrorKind::EmptyInterval { low, high },
        };
        return Err(Error::at(entry, i, kind));
    }
    Ok(())
}

/// Checks that each choice has an upper bound above 0 and, if `sums`, that 1 lies between the sum
/// of its lower bounds and the sum of its upper bounds.
pub(crate) fn enclosures(
    entry: &str,
    choices: &impl Rows,
    branches: &impl Rows,
    [lower, upper]: [&[f64]; 2],
    sums: bool,
) -> Result<(), Error> {
    for choice in 0..branches.count() {
        let range = branches.range(choice);
        let own = range.start as usize..range.end as usize;
        let [low, high] = [lower, upper].map(|all| all[own.clone()].iter().sum::<f64>());
        let fits = low <= 1.0 + SUM_TOLERANCE && high >= 1.0 - SUM_TOLERANCE;
        let state = || choices.row_of(choice);
        let kind = match high == 0.0 {
            true => ErrorKind::AllZero {
                choice,
                state: state(),
            },
            false if fits || !sums => continue,
            false => ErrorKind::BadIntervals {
                choice,
                state: state(),
                low,
                high,
            },
        };
        return Err(Error::at(entry, own.start, kind));
    }
    Ok(())
}

/// Checks that probabilities or rates are finite and at least 0, that each choice has one above 0
/// and, if `sums`, that its probabilities sum to 1. Returns how many are 0.
pub(crate) fn probabilities(
    entry: &str,
    choices: &impl Rows,
    branches: &impl Rows,
    probabilities: &Numbers<'_>,
    sums: bool,
) -> Result<u64, Error> {
    if let Numbers::Doubles(doubles) = probabilities
        && let Some(zeros) = zeros_among_right(branches, doubles, sums)
    {
        return Ok(zeros);
    }
    rates(entry, probabilities)?;
    distributions(entry, choices, branches, probabilities, sums)?;
    let all = 0..probabilities.len();
    Ok(all.filter(|&i| probabilities.is_zero(i)).count() as u64)
}

/// Returns the number of zeros if all probabilities are right.
fn zeros_among_right(branches: &impl Rows, probabilities: &[f64], sums: bool) -> Option<u64> {
    let is_rate = |value: f64| (0.0..f64::INFINITY).contains(&value);
    // Rates have a sum above 0 if one of them is.
    let is_right = |sum: f64| sum > 0.0 && (!sums || (sum - 1.0).abs() <= SUM_TOLERANCE);
    let end = |choice: usize| branches.range(choice as u64).end as usize;
    let zeros_of = |choices: Range<usize>| {
        let mut start = branches.range(choices.start as u64).start as usize;
        let all = &probabilities[start..end(choices.end - 1)];
        if !all.iter().fold(true, |good, &value| good & is_rate(value)) {
            return None;
        }
        for choice in choices {
            let own = start..end(choice);
            start = own.end;
            if !is_right(probabilities[own].iter().sum()) {
                return None;
            }
        }
        Some(count_zeros(all))
    };
    let zeros = pieces(branches.count() as usize).map(zeros_of);
    zeros.try_reduce(|| 0, |some, others| Some(some + others))
}

/// Returns how many numbers are 0.
pub(crate) fn count_zeros(numbers: &[f64]) -> u64 {
    let are_zero = numbers.iter().map(|&number| u64::from(number == 0.0));
    are_zero.sum()
}

/// Checks that each choice has a probability above 0 and, if `sums`, that its probabilities sum to
/// 1.
fn distributions(
    entry: &str,
    choices: &impl Rows,
    branches: &impl Rows,
    probabilities: &Numbers<'_>,
    sums: bool,
) -> Result<(), Error> {
    for choice in 0..branches.count() {
        let range = branches.range(choice);
        let own = range.start as usize..range.end as usize;
        let sum: f64 = match probabilities {
            Numbers::Doubles(doubles) => doubles[own.clone()].iter().sum(),
            Numbers::Fractions(fractions) => own.clone().map(|i| fractions.get(i)).sum(),
        };
        // A sum above 0 has a summand above 0; the sum of fractions may be rounded to 0.
        let all_zero = sum == 0.0 && own.clone().all(|i| probabilities.is_zero(i));
        if !all_zero && (!sums || (sum - 1.0).abs() <= SUM_TOLERANCE) {
            continue;
        }
        let state = choices.row_of(choice);
        let kind = match all_zero {
            true => ErrorKind::AllZero { choice, state },
            false => ErrorKind::BadSum { choice, state, sum },
        };
        return Err(Error::at(entry, own.start, kind));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
