//! Recognises in advance that no initial state has certain values of the first variables: some
//! condition is false for all values of the other variables.
//!
//! The bounds on the values of expressions are kept up to date while variables are chosen one after
//! the other. Choosing a value computes again only the expressions that depend on the variable, and
//! records the bounds that they had before, so that the choice can be undone.

use std::collections::HashMap;
use std::ops::Range;

use super::interval::{Outcome, outcome};
use crate::ast::Type;
use crate::code::Domain;
use crate::commands::Guard;
use crate::ir::{Id, Op, Slot};

/// The largest number of expressions that are computed again, for all variables. Conditions beyond
/// it are not bounded.
const MAX_DEPENDENTS: usize = 1 << 20;

/// Conditions with the data to bound them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bounded {
    /// The expressions; operands come first, and are indices into this list.
    nodes: Vec<(Op, Type)>,
    /// The nodes of the conditions.
    conditions: Vec<Id>,
    /// The number of conditions, at the beginning, that cannot fail. The others are tested in
    /// order.
    movable: usize,
    /// For each variable, the conditions to bound when its value is chosen, and the expressions to
    /// be computed, as a range of `dependents`.
    steps: Vec<Vec<(usize, Range<usize>)>>,
    dependents: Vec<Id>,
}

impl Bounded {
    /// Collects the conditions that can be bounded.
    pub(super) fn new(guard: &Guard, variables: usize) -> Self {
        let mut bounded = Self {
            steps: vec![Vec::new(); variables],
            ..Self::default()
        };
        let movable = guard.movable().len();
        for &id in guard.movable() {
            // The condition itself is tested when its last variable is chosen.
            let slots = guard.expr.node(id).slots;
            if let Some((_, end)) = slots.filter(|(first, last)| first < last)
                && bounded.add(guard, id, usize::from(end)).is_none()
            {
                break;
            }
        }
        bounded.movable = bounded.conditions.len();
        for &id in &guard.conjuncts[movable..] {
            if bounded
                .add(guard, id, variables.saturating_sub(1))
                .is_none()
            {
                break;
            }
        }
        bounded
    }

    /// Adds a condition, to be bounded when a variable before `end` is chosen. `None` if it is too
    /// large.
    fn add(&mut self, guard: &Guard, root: Id, end: usize) -> Option<()> {
        let room = MAX_DEPENDENTS.saturating_sub(self.dependents.len());
        let first = self.nodes.len();
        let ids = below(guard, root, MAX_DEPENDENTS.saturating_sub(first))?;
        let index: HashMap<Id, Id> = ids.iter().copied().zip(first as Id..).collect();
        let mut parents = vec![None; ids.len()];
        for (parent, &id) in (first..).zip(&ids) {
            for operand in guard.expr.node(id).op.operands() {
                parents[index[&operand] as usize - first] = Some(parent);
            }
        }
        let mut pairs: Vec<(Slot, Id)> = Vec::new();
        for (leaf, &id) in (first..).zip(&ids) {
            let Op::Variable(slot) = guard.expr.node(id).op else {
                continue;
            };
            let mut next = Some(leaf).filter(|_| usize::from(slot) < end);
            while let Some(node) = next {
                pairs.push((slot, node as Id));
                next = parents[node - first];
            }
            if pairs.len() > room {
                return None;
            }
        }
        let nodes = ids.iter().map(|&id| guard.expr.node(id));
        self.nodes
            .extend(nodes.map(|node| (node.op.with_operands(|id| index[&id]), node.of)));
        pairs.sort_unstable();
        pairs.dedup();
        for of_slot in pairs.chunk_by(|a, b| a.0 == b.0) {
            let start = self.dependents.len();
            self.dependents
                .extend(of_slot.iter().map(|&(_, node)| node));
            let step = (self.conditions.len(), start..self.dependents.len());
            self.steps[usize::from(of_slot[0].0)].push(step);
        }
        self.conditions.push(index[&root]);
        Some(())
    }
}

/// Returns the nodes of an expression in ascending order, so that operands come first; `None` if
/// there are more than `most`.
fn below(guard: &Guard, root: Id, most: usize) -> Option<Vec<Id>> {
    let mut ids = vec![root];
    let mut next = 0;
    while let Some(&id) = ids.get(next) {
        next += 1;
        ids.extend(guard.expr.node(id).op.operands());
        if ids.len() > most {
            return None;
        }
    }
    ids.sort_unstable();
    ids.dedup();
    Some(ids)
}

/// The bounds on conditions for the values that have been chosen so far.
pub(super) struct Pruner<'b> {
    bounded: &'b Bounded,
    /// For each node of the conditions.
    outcomes: Vec<Outcome>,
    /// The bounds that were replaced, the last ones last.
    replaced: Vec<(Id, Outcome)>,
    /// For each variable that has been chosen, the length of `replaced` before that.
    marks: Vec<usize>,
}

impl<'b> Pruner<'b> {
    /// Begins with no variable chosen. No domain may be empty.
    pub(super) fn new(bounded: &'b Bounded, domains: &[Domain]) -> Self {
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(bounded.nodes.len());
        for &(op, of) in &bounded.nodes {
            outcomes.push(match op {
                Op::Variable(slot) => {
                    let domain = domains[usize::from(slot)];
                    Outcome::ints(domain.low, domain.high)
                }
                _ => outcome(op, of, |id| outcomes[id as usize]),
            });
        }
        Self {
            bounded,
            outcomes,
            replaced: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Chooses the value of a variable; all variables before it have been chosen. Undoes earlier
    /// choices of this variable and of those after it. Returns `false` if no initial state has
    /// these values, and no condition fails before this is known.
    pub(super) fn choose(&mut self, slot: usize, value: i64) -> bool {
        if let Some(&mark) = self.marks.get(slot) {
            for (id, outcome) in self.replaced.drain(mark..).rev() {
                self.outcomes[id as usize] = outcome;
            }
            self.marks.truncate(slot);
        }
        self.marks.push(self.replaced.len());
        let bounded = self.bounded;
        let mut in_order = false;
        for (condition, dependents) in &bounded.steps[slot] {
            let root = bounded.conditions[*condition] as usize;
            if self.outcomes[root].is_true() {
                continue;
            }
            for &id in &bounded.dependents[dependents.clone()] {
                self.compute(id, value);
            }
            match *condition < bounded.movable {
                true if self.outcomes[root].is_false() => return false,
                true => {}
                false => in_order = true,
            }
        }
        !in_order || self.may_hold_in_order()
    }

    fn compute(&mut self, id: Id, value: i64) {
        let (op, of) = self.bounded.nodes[id as usize];
        let new = match op {
            // Only the variable that is chosen depends on it.
            Op::Variable(_) => Outcome::ints(value, value),
            _ => outcome(op, of, |id| self.outcomes[id as usize]),
        };
        let old = std::mem::replace(&mut self.outcomes[id as usize], new);
        if old != new {
            self.replaced.push((id, old));
        }
    }

    /// Returns whether the conditions that are tested in order may hold, or may fail.
    fn may_hold_in_order(&self) -> bool {
        for &condition in &self.bounded.conditions[self.bounded.movable..] {
            let outcome = self.outcomes[condition as usize];
            if outcome.may_fail {
                return true;
            }
            if outcome.is_false() {
                return false;
            }
        }
        true
    }
}
