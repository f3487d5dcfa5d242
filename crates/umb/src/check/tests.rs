//! Tests that errors are found in all pieces of an array, and that it is always the first one.

use super::*;
use crate::write::Indices;
use proptest::prelude::*;

#[test]
fn bounds_may_be_crossed_by_rounding() {
    let (lower, upper) = ([0.5, 0.25, 0.3], [0.5 - 1e-16, 0.75, 0.3]);
    intervals("entry", &lower, &upper).expect("intervals");
    assert!(intervals("entry", &[0.5], &[0.5 - 1e-9]).is_err());
}

/// So many elements are several pieces.
const COUNT: usize = 2 * PIECE + 100;

/// Returns places in an array of `COUNT` elements, often near the borders of pieces.
fn places() -> impl Strategy<Value = Vec<usize>> {
    let border = (0..4 * PIECE, 0..3usize)
        .prop_map(|(near, off)| (near / PIECE * PIECE + off).saturating_sub(1) % COUNT);
    prop::collection::vec(prop_oneof![0..COUNT, border], 0..3)
}

fn place_of(checked: Result<(), Error>) -> Option<usize> {
    let place = checked.err().and_then(|error| error.element());
    place.map(|place| place as usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_first_number_out_of_range_is_found(places in places()) {
        let mut numbers = vec![2u32; COUNT];
        places.iter().for_each(|&place| numbers[place] = 3);
        let checked = below("entry", &numbers, 3, "a state");
        prop_assert_eq!(place_of(checked), places.iter().copied().min());
    }

    #[test]
    fn the_first_decrease_is_found(places in places()) {
        let mut numbers: Vec<u64> = (0..COUNT as u64).map(|i| 10 * i).collect();
        let places: Vec<usize> = places.into_iter().filter(|&place| place > 0).collect();
        places.iter().for_each(|&place| numbers[place] = numbers[place - 1].saturating_sub(1));
        let naive = (1..COUNT).find(|&place| numbers[place - 1] > numbers[place]);
        let end = numbers[COUNT - 1];
        prop_assert_eq!(place_of(offsets("entry", &numbers, end, "choices")), naive);
    }

    #[test]
    fn the_first_row_of_a_wrong_size_is_found(places in places(), bound in 0..3u64) {
        let size = |row| if places.contains(&row) { bound } else { 1 };
        let mut numbers = vec![0];
        numbers.extend((0..COUNT).scan(0, |end, row| {
            *end += size(row);
            Some(*end)
        }));
        let rows = Indices::U64(&numbers);
        let expected = |wrong: bool| places.iter().min().filter(|_| wrong).map(|place| place + 1);
        let entries = ["choices", "branches"];
        let one_each: Vec<u64> = (0..=COUNT as u64).collect();
        let one_each = Indices::U64(&one_each);
        let chain = shape(ModelType::Dtmc, &rows, &one_each, entries);
        prop_assert_eq!(place_of(chain), expected(bound > 1));
        let mdp = shape(ModelType::Mdp, &one_each, &rows, entries);
        prop_assert_eq!(place_of(mdp), expected(bound == 0));
        let lts = shape(ModelType::Lts, &one_each, &rows, entries);
        prop_assert_eq!(place_of(lts), expected(bound != 1));
    }

    /// One pass over pieces says the same as both passes over everything.
    #[test]
    fn probabilities_are_right_if_rates_and_sums_are(
        places in places(),
        wrong in prop::sample::select(&[0.0, -0.0, -0.25, 0.25, 1.0, f64::INFINITY, f64::NAN][..]),
        width in 1..3usize,
        sums: bool,
    ) {
        let count = COUNT / width;
        let (choices, branches): (Vec<u64>, Vec<u64>) =
            (0..=count as u64).map(|row| (row, row * width as u64)).unzip();
        let mut values = vec![1.0 / width as f64; count * width];
        places.iter().for_each(|&place| values[place % (count * width)] = wrong);
        let zeros = values.iter().filter(|&&value| value == 0.0).count() as u64;
        let values = Numbers::Doubles(values.into());
        let (choices, branches) = (Indices::U64(&choices), Indices::U64(&branches));
        let expected = rates("entry", &values)
            .and_then(|()| distributions("entry", &choices, &branches, &values, sums));
        let found = probabilities("entry", &choices, &branches, &values, sums);
        let messages = |error: Error| error.to_string();
        prop_assert_eq!(found.map_err(messages), expected.map(|()| zeros).map_err(messages));
    }
}
