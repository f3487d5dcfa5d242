//! Translates edges to commands. A single edge is the special case of one participant.

use super::build::{self, and, chain, leaf};
use super::context::Context;
use super::instances::Instance;
use crate::error::{Checked, ErrorKind, Fault};
use crate::model::{self, Edge};
use prism_language::ast::{
    self, Assignment, BinaryOp, Command, Expr, Ident, NodeKind, Span, Update,
};
use std::collections::HashMap;

/// An edge of an element of the system.
#[derive(Clone, Copy)]
pub(super) struct Party<'p> {
    pub(super) instance: &'p Instance<'p>,
    pub(super) edge: &'p Edge,
}

/// The rewards of a step: for each transient variable its expected value after the step.
pub(super) type Earned = Vec<(String, Expr)>;

/// The values that were assigned so far, by variable.
type Assigned = HashMap<String, (Expr, Span)>;

impl Context<'_> {
    /// Returns the command of edges that are taken together, without an action, and its rewards.
    pub(super) fn command(&self, parties: &[Party<'_>]) -> Checked<(Command, Earned)> {
        let span = parties[0].edge.span;
        let mut guards = Vec::new();
        for party in parties {
            guards.extend(party.instance.is_at(party.edge.location, party.edge.span));
            if let Some(guard) = &party.edge.guard {
                guards.push(self.in_state(guard, &party.instance.scope)?);
            }
        }
        let mut updates = Vec::new();
        let mut branches = Vec::new();
        let mut taken = vec![0; parties.len()];
        loop {
            let (update, transient) = self.update(parties, &taken)?;
            branches.push((self.probability(parties, &taken)?, transient));
            updates.push(update);
            if !next(&mut taken, |party| parties[party].edge.destinations.len()) {
                break;
            }
        }
        let command = Command {
            is_markovian: false,
            action: None,
            guard: and(guards, span),
            updates,
            span: build::spanned((), span),
        };
        Ok((command, self.earned(&branches, span)?))
    }

    fn update(&self, parties: &[Party<'_>], taken: &[usize]) -> Checked<(Update, Assigned)> {
        let mut assigned = self.assigned(parties, taken)?;
        let mut assignments = Vec::new();
        let mut transient = Assigned::new();
        for (key, (value, span)) in assigned.drain() {
            match self.transients.initial(&key) {
                Some(_) => drop(transient.insert(key, (value, span))),
                None => assignments.push(Assignment {
                    variable: Ident { value: key, span },
                    value,
                }),
            }
        }
        assignments.sort_by(|a: &Assignment, b| {
            let key = |assignment: &Assignment| assignment.variable.span.start();
            key(a)
                .cmp(&key(b))
                .then_with(|| a.variable.value.cmp(&b.variable.value))
        });
        for (party, &branch) in parties.iter().zip(taken) {
            let location = party.edge.destinations[branch].location;
            if location != party.edge.location {
                assignments.extend(party.instance.going_to(location, party.edge.span));
            }
        }
        let mut factors = Vec::new();
        for party in parties {
            if let Some(rate) = &party.edge.rate {
                factors.push(self.in_state(rate, &party.instance.scope)?);
            }
        }
        factors.extend(self.probability(parties, taken)?);
        let span = factors.first().map_or(Span::default(), Expr::span);
        let update = Update {
            weight: chain(factors, BinaryOp::Times, span),
            upper: None,
            assignments,
        };
        Ok((update, transient))
    }

    /// Returns the probability of a branch; `None` if it is 1.
    fn probability(&self, parties: &[Party<'_>], taken: &[usize]) -> Checked<Option<Expr>> {
        let mut factors = Vec::new();
        for (party, &branch) in parties.iter().zip(taken) {
            if let Some(probability) = &party.edge.destinations[branch].probability {
                factors.push(self.in_state(probability, &party.instance.scope)?);
            }
        }
        let span = factors.first().map_or(Span::default(), Expr::span);
        Ok(chain(factors, BinaryOp::Times, span))
    }

    /// Returns the values of all variables that are assigned to, as expressions over the values
    /// before the step.
    fn assigned(&self, parties: &[Party<'_>], taken: &[usize]) -> Checked<Assigned> {
        let mut all = Vec::new();
        for (number, (party, &branch)) in parties.iter().zip(taken).enumerate() {
            let own = &party.edge.destinations[branch].assignments;
            let assignments = party.edge.assignments.iter().chain(own);
            all.extend(assignments.map(|assignment| (number, assignment)));
        }
        all.sort_by_key(|(_, assignment)| assignment.index);
        let mut assigned = Assigned::new();
        for at_once in all.chunk_by(|(_, a), (_, b)| a.index == b.index) {
            let mut new: HashMap<String, (Expr, Span)> = HashMap::new();
            let mut writers: HashMap<String, usize> = HashMap::new();
            for &(number, assignment) in at_once {
                let scope = &parties[number].instance.scope;
                let key = scope.key(&assignment.variable)?;
                let span = assignment.variable.span;
                if let Some(writer) = writers.insert(key.clone(), number) {
                    let name = assignment.variable.value.clone();
                    let kind = match writer == number {
                        true => ErrorKind::AssignedTwice { name },
                        false => ErrorKind::AssignedTogether { name },
                    };
                    return Err(Fault::new(span, kind).note_at(new[&key].1, "first here"));
                }
                let value = scope.resolve(&assignment.value, &self.budget)?;
                let before = |name: &str| {
                    let now = assigned.get(name).map(|(value, _)| value);
                    now.or_else(|| self.transients.initial(name))
                };
                let value = build::substituted(&value, before, &self.budget)?;
                new.insert(key, (value, span));
            }
            assigned.extend(new);
        }
        Ok(assigned)
    }

    /// Returns the expected values of the numeric transient variables that are assigned to.
    fn earned(&self, branches: &[(Option<Expr>, Assigned)], span: Span) -> Checked<Earned> {
        let mut earned = Earned::new();
        for transient in self
            .transients
            .all()
            .iter()
            .filter(|transient| !transient.is_bool)
        {
            let value = |assigned: &Assigned| assigned.get(&transient.key).map(|v| v.0.clone());
            let values: Vec<Option<Expr>> = branches.iter().map(|(_, a)| value(a)).collect();
            if values.iter().all(Option::is_none) {
                continue;
            }
            let whole = match &values[0] {
                Some(first) if values.iter().all(|value| value.as_ref() == Some(first)) => {
                    first.clone()
                }
                _ => {
                    let mut sum = Vec::new();
                    for ((probability, _), value) in branches.iter().zip(values) {
                        let factors = probability.iter().cloned().chain(value.clone());
                        if value.is_some() {
                            sum.extend(chain(factors.collect(), BinaryOp::Times, span));
                        }
                    }
                    let zero = leaf(NodeKind::Int(0), span);
                    chain(sum, BinaryOp::Plus, span).unwrap_or(zero)
                }
            };
            self.budget.take(whole.nodes().len(), span)?;
            earned.push((transient.key.clone(), whole));
        }
        Ok(earned)
    }
}

/// Advances to the next combination, in which the last party changes fastest. Returns whether there
/// is one.
pub(super) fn next(taken: &mut [usize], count: impl Fn(usize) -> usize) -> bool {
    for party in (0..taken.len()).rev() {
        taken[party] += 1;
        if taken[party] < count(party) {
            return true;
        }
        taken[party] = 0;
    }
    false
}

/// Returns the variables that the assignments of an edge write, and those that they read, by their
/// names in the program, each with an index.
pub(super) fn touched(
    context: &Context<'_>,
    instance: &Instance<'_>,
    assignments: &[model::Assignment],
    mut writes: impl FnMut(String, i64),
    mut reads: impl FnMut(&str, i64),
) -> Checked<()> {
    for assignment in assignments {
        writes(instance.scope.key(&assignment.variable)?, assignment.index);
        let value = instance.scope.resolve(&assignment.value, &context.budget)?;
        value
            .names()
            .for_each(|(name, _): (&str, ast::Span)| reads(name, assignment.index));
    }
    Ok(())
}
