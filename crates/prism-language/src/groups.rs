//! Selects the commands whose guards have to be tested in a state. The alternative commands of a
//! module in a step form a group. A group is indexed by the value of one variable, which is chosen
//! so that the fewest commands have to be tested. Conditions on this variable alone need no test,
//! because the index decides them.

use std::collections::HashMap;

use crate::code::{Compiler, Domain};
use crate::commands::{Command, Guard};
use crate::error::Checked;
use crate::ir::{Id, Slot};

/// Commands by the value of a variable.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// The variable and its least value; `None` if no variable reduces the number of tests.
    pub(crate) index: Option<(Slot, i64)>,
    /// The index of the first command for each value, followed by the number of commands.
    starts: Vec<u32>,
    /// The indices of commands, for each value in their order.
    pub(crate) commands: Vec<u32>,
}

impl Group {
    /// Returns the commands whose guard may hold in a state.
    #[inline]
    pub(crate) fn candidates(&self, state: &[i64]) -> &[u32] {
        let row = match self.index {
            Some((slot, low)) => (state[usize::from(slot)] - low) as usize,
            None => 0,
        };
        self.row(row)
    }

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

/// The largest number of values of a variable that serves as an index. Each command takes up to
/// four bytes for each value.
const MAX_ROWS: u64 = 256;

/// The restriction of one variable by the guard of one command.
struct Selection {
    /// Whether the guard may hold, for each value.
    may: Vec<bool>,
    /// The conjuncts that depend on this variable alone.
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
    let mut selections = Vec::with_capacity(members.len());
    for &member in members {
        selections.push(select(&guards[member as usize], compiler)?);
    }
    let index = best(&selections, domains);
    for (&member, selection) in members.iter().zip(&selections) {
        let guard = &guards[member as usize];
        let answered = index.and_then(|slot| selection.get(&slot));
        let rest = remaining(guard, answered.map_or(&[], |s| &s.conjuncts));
        commands[member as usize].guard = match rest.is_empty() {
            true => None,
            false => Some(compiler.condition(&guard.expr, &rest)?),
        };
    }
    let Some(slot) = index else {
        return Ok(Group {
            index: None,
            starts: vec![0, members.len() as u32],
            commands: members.to_vec(),
        });
    };
    let domain = domains[usize::from(slot)];
    let rows = domain.values(MAX_ROWS).map_or(0, |values| values.len());
    let mut starts = vec![0];
    let mut listed = Vec::new();
    for row in 0..rows {
        let may = |selection: &HashMap<Slot, Selection>| {
            selection
                .get(&slot)
                .is_none_or(|selection| selection.may[row])
        };
        let rows = members.iter().zip(&selections);
        listed.extend(
            rows.filter(|(_, selection)| may(selection))
                .map(|(&member, _)| member),
        );
        starts.push(listed.len() as u32);
    }
    Ok(Group {
        index: Some((slot, domain.low)),
        starts,
        commands: listed,
    })
}

/// Returns the restrictions of all variables on which the guard has conjuncts.
fn select(guard: &Guard, compiler: &mut Compiler<'_>) -> Checked<HashMap<Slot, Selection>> {
    let mut selections: HashMap<Slot, Selection> = HashMap::new();
    for &id in guard.movable() {
        let Some(slot) = guard.expr.only_slot(id) else {
            continue;
        };
        let Some(holds) = compiler.results(&guard.expr, id, slot, MAX_ROWS)? else {
            continue;
        };
        let selection = selections.entry(slot).or_insert_with(|| Selection {
            may: vec![true; holds.len()],
            conjuncts: Vec::new(),
        });
        selection.conjuncts.push(id);
        for (may, holds) in selection.may.iter_mut().zip(holds) {
            *may &= holds != 0;
        }
    }
    Ok(selections)
}

/// Returns the variable that leaves the fewest commands to test, on average over its values; `None`
/// if no variable leaves fewer than all.
fn best(selections: &[HashMap<Slot, Selection>], domains: &[Domain]) -> Option<Slot> {
    let mut sums: HashMap<Slot, (usize, usize)> = HashMap::new();
    for selection in selections.iter().flatten() {
        let (listed, with) = sums.entry(*selection.0).or_default();
        *listed += selection.1.may.iter().filter(|&&may| may).count();
        *with += 1;
    }
    let average = |slot: Slot| {
        let (listed, with) = sums[&slot];
        let rows = domains[usize::from(slot)]
            .values(MAX_ROWS)
            .map_or(1, |v| v.len());
        listed as f64 / rows as f64 + (selections.len() - with) as f64
    };
    let mut slots: Vec<Slot> = sums.keys().copied().collect();
    slots.sort_unstable();
    let best = slots
        .into_iter()
        .min_by(|&a, &b| average(a).total_cmp(&average(b)))?;
    (average(best) < selections.len() as f64).then_some(best)
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
