//! Finds by bisection the things that concern a value, such as the commands whose guards permit it,
//! if each concerns an interval of values. Time and memory depend on the number of things, not on
//! that of the values.

use crate::code::Domain;

/// Things are counted in rows this many times on average at most. If intervals overlap more than
/// that, some rows also have things that do not concern all of their values.
const MAX_SHARE: usize = 16;

/// Things, by rows of adjacent values.
#[derive(Debug, Clone)]
pub(crate) struct Intervals {
    /// The first value of each row but the first one.
    cuts: Vec<i64>,
    /// The index of the first thing of each row, followed by the number of things.
    starts: Vec<u32>,
    /// The things of each row, in order.
    things: Vec<u32>,
}

impl Intervals {
    /// Makes rows for things with the intervals that they concern, which may be empty.
    pub(crate) fn new(things: &[(u32, Domain)]) -> Self {
        let concerned = || things.iter().filter(|(_, of)| of.low <= of.high);
        let ends = concerned().flat_map(|(_, of)| [Some(of.low), of.high.checked_add(1)]);
        let mut cuts: Vec<i64> = ends.flatten().collect();
        cuts.sort_unstable();
        cuts.dedup();
        let row = |value: i64| cuts.partition_point(|&cut| cut <= value);
        let mut rows: Vec<(u32, [usize; 2])> = concerned()
            .map(|&(thing, of)| (thing, [row(of.low), row(of.high)]))
            .collect();
        // Joins pairs of adjacent rows until the things in them are few enough.
        while rows.iter().map(|(_, [a, b])| b - a + 1).sum::<usize>() > MAX_SHARE * rows.len() {
            cuts = cuts.into_iter().skip(1).step_by(2).collect();
            for (_, ends) in &mut rows {
                *ends = ends.map(|row| row / 2);
            }
        }
        Self::with_rows(cuts, &rows)
    }

    fn with_rows(cuts: Vec<i64>, of_things: &[(u32, [usize; 2])]) -> Self {
        let count = cuts.len() + 1;
        let mut starts = vec![0; count + 1];
        for &(_, [first, last]) in of_things {
            starts[first + 1..=last + 1]
                .iter_mut()
                .for_each(|s| *s += 1);
        }
        for row in 0..count {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut things = vec![0; starts[count] as usize];
        for &(thing, [first, last]) in of_things {
            for next in &mut next[first..=last] {
                things[*next as usize] = thing;
                *next += 1;
            }
        }
        Self {
            cuts,
            starts,
            things,
        }
    }

    /// Returns the things that concern a value, in order. There may be others among them.
    pub(crate) fn of(&self, value: i64) -> &[u32] {
        self.row(self.cuts.partition_point(|&cut| cut <= value))
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.things[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// Returns the things of each row.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u32]> {
        (1..self.starts.len()).map(|end| self.row(end - 1))
    }

    /// Returns the average number of things in a row.
    pub(crate) fn average(&self) -> f64 {
        self.things.len() as f64 / (self.starts.len() - 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::{Domain, Intervals};

    #[test]
    fn every_value_has_its_things() {
        for length in [0, 1, 4, 100, 2000, i64::MAX] {
            let of = |i: u32| Domain {
                low: i64::from(i) * 3 - 1000,
                high: (i64::from(i) * 3 - 1001).saturating_add(length),
            };
            let things: Vec<(u32, Domain)> = (0..1000).map(|i| (i, of(i))).collect();
            let found = Intervals::new(&things);
            assert!(found.things.len() <= 16_000);
            for value in (-1100..3000).chain([i64::MIN, i64::MAX]) {
                let row = found.of(value);
                assert!(row.is_sorted());
                let missing = |&(i, of): &(u32, Domain)| of.has(value) && !row.contains(&i);
                assert!(!things.iter().any(missing), "{length} {value}");
            }
            if length == 4 {
                assert!(found.average() <= 2.0);
            }
        }
    }
}
