//! Selects the commands whose guards have to be tested in a state. The alternative commands of a
//! module in a step form a group. A group is indexed by the value of one variable, which is chosen
//! so that the fewest commands have to be tested. Conditions on this variable alone need no test,
//! because the index decides them.
//!
//! Usually, the index is a table with a row for each value. If the variable has too many values for
//! that, `intervals` finds the commands by bisection.

use std::collections::HashMap;

use crate::code::{Compiler, Domain};
use crate::commands::{Command, Guard};
use crate::error::Checked;
use crate::initial::permitted;
use crate::intervals::Intervals;
use crate::ir::{Id, Slot};

/// Alternative commands.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// The commands whose guard may hold in some state, in order.
    pub(crate) commands: Vec<u32>,
    pub(crate) index: Index,
    /// Variables of which every guard permits an interval only, and the values that at least one
    /// permits.
    pub(crate) within: Vec<(Slot, Domain)>,
}

/// Finds the commands whose guard may hold.
#[derive(Debug, Clone)]
pub(crate) enum Index {
    /// No variable reduces the number of tests.
    None,
    Table(Table),
    /// By the value of a variable with many values. It decides no condition: all are tested.
    Bisection(Slot, Intervals),
}

/// Commands by the value of a variable, which decides all conditions on it alone.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) slot: Slot,
    /// The least value of the variable.
    low: i64,
    /// The index of the first command for each value, followed by the number of commands.
    starts: Vec<u32>,
    /// The indices of commands, for each value in their order.
    commands: Vec<u32>,
}

impl Group {
    /// Returns the commands whose guard may hold in a state.
    #[inline]
    pub(crate) fn candidates(&self, state: &[i64]) -> &[u32] {
        match &self.index {
            Index::None => &self.commands,
            Index::Table(table) => table.row((state[usize::from(table.slot)] - table.low) as usize),
            Index::Bisection(slot, intervals) => intervals.of(state[usize::from(*slot)]),
        }
    }

    /// Calls a function with each set of commands that are candidates in some state.
    pub(crate) fn for_each_row<'g>(&'g self, mut visit: impl FnMut(&'g [u32])) {
        match &self.index {
            Index::None => visit(&self.commands),
            Index::Table(table) => table.rows().for_each(visit),
            Index::Bisection(_, intervals) => intervals.rows().for_each(visit),
        }
    }

    /// Returns the table, if there is one.
    pub(crate) fn table(&self) -> Option<&Table> {
        match &self.index {
            Index::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl Table {
    /// Returns the commands for each value.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u32]> {
        (1..self.starts.len()).map(|end| self.row(end - 1))
    }

    /// Returns the commands whose guard may hold if the variable is its least value plus `row`.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[u32] {
        &self.commands[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// The largest number of values of a variable that serves as an index, whatever the conditions on
/// it. Each command takes up to four bytes for each value.
const MAX_ROWS: u64 = 256;

/// A variable with more values serves as an index if it has at most this many values for each
/// command, and each value or command is in the index at most this many times on average. Each
/// condition has to be an interval.
const MAX_SHARE: u64 = 16;

/// The values for which a guard may hold.
enum Values {
    /// Whether it may, for each value.
    Each(Vec<bool>),
    /// Those of an interval.
    Between(Domain),
}

impl Values {
    /// Calls a function with the place in the domain of each of the values.
    fn for_each_row(&self, domain: Domain, mut row: impl FnMut(usize)) {
        match self {
            Self::Each(may) => {
                let rows = may.iter().enumerate().filter(|(_, may)| **may);
                rows.for_each(|(place, _)| row(place));
            }
            Self::Between(interval) => {
                let own = domain.intersected(*interval);
                (own.low..=own.high).for_each(|value| row((value - domain.low) as usize));
            }
        }
    }

    /// Removes the values that `other`, which is of the same domain, does not have.
    fn restrict(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Each(may), Self::Each(other)) => {
                may.iter_mut()
                    .zip(other)
                    .for_each(|(may, other)| *may &= other);
            }
            (Self::Between(interval), Self::Between(other)) => {
                *interval = interval.intersected(other);
            }
            // The first restriction of a variable follows that to its domain.
            (_, other) => *self = other,
        }
    }

    /// Returns the least interval that has all of the values.
    fn hull(&self, domain: Domain) -> Domain {
        match self {
            Self::Between(interval) => domain.intersected(*interval),
            Self::Each(may) => {
                let value = |row: Option<usize>| row.map(|row| domain.low + row as i64);
                let first = value(may.iter().position(|&may| may));
                let last = value(may.iter().rposition(|&may| may));
                // `low` is above `high` if there are no values.
                Domain {
                    low: first.unwrap_or(domain.high),
                    high: last.unwrap_or(domain.low),
                }
            }
        }
    }

    /// Returns the number of the values.
    fn count(&self, domain: Domain) -> usize {
        match self {
            Self::Each(may) => may.iter().filter(|may| **may).count(),
            Self::Between(interval) => {
                let own = domain.intersected(*interval);
                own.values(u64::MAX)
                    .filter(|_| own.low <= own.high)
                    .map_or(0, |v| v.len())
            }
        }
    }
}

/// The restriction of one variable by the guard of one command.
struct Selection {
    /// The values for which the guard may hold.
    values: Values,
    /// The conjuncts that depend on this variable alone, and that are decided by its value.
    conjuncts: Vec<Id>,
}

/// Makes a group of commands, and compiles the remaining parts of their guards.
pub(crate) fn group(
    members: &[u32],
    commands: &mut [Command],
    guards: &[Guard],
    domains: &[Domain],
    compiler: &mut Compiler<'_>,
) -> Checked<Group> {
    let most = MAX_ROWS.max(MAX_SHARE * members.len() as u64);
    let mut selections = Vec::with_capacity(members.len());
    for &member in members {
        selections.push(select(&guards[member as usize], domains, compiler)?);
    }
    let index = index(members, &selections, domains, most);
    let mut group = Group {
        commands: Vec::with_capacity(members.len()),
        index,
        within: within(&selections, domains),
    };
    let decided = group.table().map(|table| table.slot);
    for (&member, selection) in members.iter().zip(&selections) {
        let guard = &guards[member as usize];
        let answered = decided.and_then(|slot| Some((slot, selection.get(&slot)?)));
        let rest = remaining(guard, answered.map_or(&[], |(_, of)| &of.conjuncts));
        commands[member as usize].guard = match rest.is_empty() {
            true => None,
            false => Some(compiler.condition(&guard.expr, &rest)?),
        };
        let count = |(slot, of): (Slot, &Selection)| of.values.count(domains[usize::from(slot)]);
        if answered.map(count) != Some(0) {
            group.commands.push(member);
        }
    }
    Ok(group)
}

/// Returns the variables that all selections restrict, and the least interval of all values.
fn within(selections: &[HashMap<Slot, Selection>], domains: &[Domain]) -> Vec<(Slot, Domain)> {
    let Some((first, others)) = selections.split_first() else {
        return Vec::new();
    };
    let all = first.iter().filter_map(|(&slot, selection)| {
        let domain = domains[usize::from(slot)];
        let start = selection.values.hull(domain);
        let others = others.iter().map(|selection| selection.get(&slot));
        others
            .map(|selection| Some(selection?.values.hull(domain)))
            .try_fold(start, |all, next| Some(all.united(next?)))
            .map(|all| (slot, all))
    });
    let mut all: Vec<(Slot, Domain)> = all.collect();
    all.sort_unstable_by_key(|&(slot, _)| slot);
    all
}

/// Returns the index that leaves the fewest commands to test.
fn index(
    members: &[u32],
    selections: &[HashMap<Slot, Selection>],
    domains: &[Domain],
    most: u64,
) -> Index {
    let best = best(selections, domains, most);
    let tested = best.map_or(members.len() as f64, |(_, average)| average);
    if let Some((slot, intervals)) = bisection(members, selections, domains, tested) {
        return Index::Bisection(slot, intervals);
    }
    let Some((slot, _)) = best else {
        return Index::None;
    };
    let of_slot = selections.iter().map(|selection| selection.get(&slot));
    let of_members = members.iter().copied().zip(of_slot);
    let domain = domains[usize::from(slot)];
    let (starts, commands) = rows(of_members, domain, most);
    Index::Table(Table {
        slot,
        low: domain.low,
        starts,
        commands,
    })
}

/// Returns the variable with many values that leaves far fewer commands to test than otherwise.
fn bisection(
    members: &[u32],
    selections: &[HashMap<Slot, Selection>],
    domains: &[Domain],
    tested: f64,
) -> Option<(Slot, Intervals)> {
    let interval = |(&slot, selection): (&Slot, &Selection)| {
        let domain = domains[usize::from(slot)];
        let has_many = domain.values(MAX_ROWS).is_none();
        has_many.then(|| (slot, selection.values.hull(domain)))
    };
    let intervals = |selection: &HashMap<_, _>| selection.iter().filter_map(interval).collect();
    let restricted = selections.iter().map(intervals);
    let things: Vec<(u32, Vec<_>)> = members.iter().copied().zip(restricted).collect();
    Intervals::best(&things, tested)
}

/// Returns the index of the first command for each value of a domain, and the commands.
fn rows<'s>(
    members: impl Iterator<Item = (u32, Option<&'s Selection>)> + Clone,
    domain: Domain,
    most: u64,
) -> (Vec<u32>, Vec<u32>) {
    let count = domain.values(most).map_or(0, |values| values.len());
    let each_row = |selection: Option<&Selection>, row: &mut dyn FnMut(usize)| match selection {
        Some(selection) => selection.values.for_each_row(domain, row),
        None => (0..count).for_each(row),
    };
    let mut starts = vec![0; count + 1];
    for (_, selection) in members.clone() {
        each_row(selection, &mut |row| starts[row + 1] += 1);
    }
    for row in 0..count {
        starts[row + 1] += starts[row];
    }
    let mut next = starts.clone();
    let mut commands = vec![0; starts[count] as usize];
    for (member, selection) in members {
        each_row(selection, &mut |row| {
            commands[next[row] as usize] = member;
            next[row] += 1;
        });
    }
    (starts, commands)
}

/// Returns the restrictions of all variables on which the guard has conjuncts; of variables with
/// many values, if these are intervals.
fn select(
    guard: &Guard,
    domains: &[Domain],
    compiler: &mut Compiler<'_>,
) -> Checked<HashMap<Slot, Selection>> {
    let mut selections: HashMap<Slot, Selection> = HashMap::new();
    for &id in guard.movable() {
        let Some(slot) = guard.expr.only_slot(id) else {
            continue;
        };
        let domain = domains[usize::from(slot)];
        let values = match domain.values(MAX_ROWS) {
            Some(_) => {
                let holds = compiler.results(&guard.expr, id, slot, MAX_ROWS)?;
                holds.map(|holds| Values::Each(holds.iter().map(|&holds| holds != 0).collect()))
            }
            None => permitted(&guard.expr, id).map(|(_, interval)| Values::Between(interval)),
        };
        let Some(values) = values else {
            continue;
        };
        let selection = selections.entry(slot).or_insert_with(|| Selection {
            values: Values::Between(domain),
            conjuncts: Vec::new(),
        });
        selection.conjuncts.push(id);
        selection.values.restrict(values);
    }
    Ok(selections)
}

/// Returns the variable of at most `most` values that leaves the fewest commands to test, on
/// average over its values, and this average; `None` if no variable leaves fewer than all.
fn best(
    selections: &[HashMap<Slot, Selection>],
    domains: &[Domain],
    most: u64,
) -> Option<(Slot, f64)> {
    let mut sums: HashMap<Slot, (usize, usize)> = HashMap::new();
    let few = |slot: Slot| domains[usize::from(slot)].values(most).is_some();
    for (slot, selection) in selections.iter().flatten().filter(|(slot, _)| few(**slot)) {
        let (listed, with) = sums.entry(*slot).or_default();
        *listed += selection.values.count(domains[usize::from(*slot)]);
        *with += 1;
    }
    let rows = |slot: Slot| {
        domains[usize::from(slot)]
            .values(most)
            .map_or(1, |v| v.len())
    };
    let average = |slot: Slot| {
        let (listed, with) = sums[&slot];
        listed as f64 / rows(slot) as f64 + (selections.len() - with) as f64
    };
    let fits = |slot: &Slot| {
        let (rows, share) = (rows(*slot), MAX_SHARE as usize);
        let is_small = rows as u64 <= MAX_ROWS;
        is_small || average(*slot) * rows as f64 <= (share * (rows + selections.len())) as f64
    };
    let mut slots: Vec<Slot> = sums.keys().copied().filter(fits).collect();
    slots.sort_unstable();
    let best = slots
        .into_iter()
        .min_by(|&a, &b| average(a).total_cmp(&average(b)))?;
    let average = average(best);
    (average < selections.len() as f64).then_some((best, average))
}

/// Returns the conjuncts that are not decided by the index. Those on one variable come first, as
/// far as they can be moved.
fn remaining(guard: &Guard, answered: &[Id]) -> Vec<Id> {
    let movable = guard.movable();
    let open = |id: &&Id| !answered.contains(id);
    let simple = |id: &&Id| guard.expr.only_slot(**id).is_some();
    let first = movable.iter().filter(open).filter(simple);
    let second = movable.iter().filter(open).filter(|id| !simple(id));
    let last = &guard.conjuncts[movable.len()..];
    let rest: Vec<Id> = first.chain(second).chain(last).copied().collect();
    match rest[..] {
        // The guard is `true`.
        [only] if guard.expr.constant(only) == Some(1) => Vec::new(),
        _ => rest,
    }
}
