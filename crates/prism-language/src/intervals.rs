//! Finds by bisection the items that concern a value of a variable, such as the commands whose
//! guards permit it, if each item concerns an interval of values. Time and memory depend on the
//! number of items, not on that of the values.

use std::collections::HashMap;

use crate::code::Domain;
use crate::ir::Slot;

/// Items are counted in rows this many times on average at most. If intervals overlap more than
/// that, some rows also have items that do not concern all of their values.
const MAX_SHARE: usize = 16;

/// The least number of items for which bisection is worthwhile.
const MIN_ITEMS: usize = 32;

/// Items, by rows of adjacent values.
#[derive(Debug, Clone)]
pub(crate) struct Intervals {
    /// The first value of each row but the first one.
    cuts: Vec<i64>,
    /// The index of the first item of each row, followed by the number of items.
    starts: Vec<u32>,
    /// The items of each row, in order.
    items: Vec<u32>,
}

impl Intervals {
    /// Returns the variable by whose values the fewest items are found, and the items by its
    /// values. Each item has the intervals of the variables that it depends on. `None` unless
    /// `others`, the number of items that are found otherwise, is large, and at least twice as
    /// large.
    pub(crate) fn best(items: &[(u32, Vec<(Slot, Domain)>)], others: f64) -> Option<(Slot, Self)> {
        if others < MIN_ITEMS as f64 {
            return None;
        }
        let mut by_slot: HashMap<Slot, Vec<(usize, Domain)>> = HashMap::new();
        for (index, (_, intervals)) in items.iter().enumerate() {
            for &(slot, of) in intervals {
                by_slot.entry(slot).or_default().push((index, of));
            }
        }
        // A item without an interval concerns all values.
        by_slot.retain(|_, restricted| 2 * restricted.len() >= items.len());
        let found = by_slot.into_iter().map(|(slot, restricted)| {
            let (low, high) = (i64::MIN, i64::MAX);
            let all = items.iter().map(|&(item, _)| (item, Domain { low, high }));
            let mut all: Vec<(u32, Domain)> = all.collect();
            restricted.iter().for_each(|&(index, of)| all[index].1 = of);
            (slot, Self::new(&all))
        });
        let order = |a: &(Slot, Self), b: &(Slot, Self)| {
            let averages = a.1.average().total_cmp(&b.1.average());
            averages.then(a.0.cmp(&b.0))
        };
        let least = found.min_by(order);
        least.filter(|(_, found)| 2.0 * found.average() <= others)
    }

    /// Makes rows for items with the intervals that they concern, which may be empty.
    fn new(items: &[(u32, Domain)]) -> Self {
        let concerned = || items.iter().filter(|(_, of)| of.low <= of.high);
        let ends = concerned().flat_map(|(_, of)| {
            [
                Some(of.low).filter(|&low| low > i64::MIN),
                of.high.checked_add(1),
            ]
        });
        let mut cuts: Vec<i64> = ends.flatten().collect();
        cuts.sort_unstable();
        cuts.dedup();
        let row = |value: i64| cuts.partition_point(|&cut| cut <= value);
        let mut rows: Vec<(u32, [usize; 2])> = concerned()
            .map(|&(item, of)| (item, [row(of.low), row(of.high)]))
            .collect();
        // Joins pairs of adjacent rows until the items in them are few enough.
        while rows.iter().map(|(_, [a, b])| b - a + 1).sum::<usize>() > MAX_SHARE * rows.len() {
            cuts = cuts.into_iter().skip(1).step_by(2).collect();
            for (_, ends) in &mut rows {
                *ends = ends.map(|row| row / 2);
            }
        }
        Self::with_rows(cuts, &rows)
    }

    /// Makes the lists of items between the cuts. Each item comes with its first and its last row.
    fn with_rows(cuts: Vec<i64>, of_items: &[(u32, [usize; 2])]) -> Self {
        let count = cuts.len() + 1;
        let mut starts = vec![0; count + 1];
        for &(_, [first, last]) in of_items {
            starts[first + 1..=last + 1]
                .iter_mut()
                .for_each(|s| *s += 1);
        }
        for row in 0..count {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[count] as usize];
        for &(item, [first, last]) in of_items {
            for next in &mut next[first..=last] {
                items[*next as usize] = item;
                *next += 1;
            }
        }
        Self {
            cuts,
            starts,
            items,
        }
    }

    /// Returns the items that concern a value, in order. There may be others among them.
    pub(crate) fn of(&self, value: i64) -> &[u32] {
        self.row(self.cuts.partition_point(|&cut| cut <= value))
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// Returns the items of each row.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u32]> {
        (1..self.starts.len()).map(|end| self.row(end - 1))
    }

    /// Returns the average number of items in a row.
    fn average(&self) -> f64 {
        self.items.len() as f64 / (self.starts.len() - 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::{Domain, Intervals};

    #[test]
    fn every_value_has_its_items() {
        for length in [0, 1, 4, 100, 2000, i64::MAX] {
            let of = |i: u32| Domain {
                low: i64::from(i) * 3 - 1000,
                high: (i64::from(i) * 3 - 1001).saturating_add(length),
            };
            let items: Vec<(u32, Domain)> = (0..1000).map(|i| (i, of(i))).collect();
            let found = Intervals::new(&items);
            assert!(found.items.len() <= 16_000);
            for value in (-1100..3000).chain([i64::MIN, i64::MAX]) {
                let row = found.of(value);
                assert!(row.is_sorted());
                let missing = |&(i, of): &(u32, Domain)| of.has(value) && !row.contains(&i);
                assert!(!items.iter().any(missing), "{length} {value}");
            }
            if length == 4 {
                assert!(found.average() <= 2.0);
            }
        }
    }
}
