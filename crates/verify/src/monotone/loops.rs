//! Loops, and the values of variables where several control-flow paths meet.
//!
//! The body of a loop is walked, for an arbitrary iteration, until two things are known: which
//! variables change, and in which direction; and what leaves the loop early.

use std::collections::{HashMap, HashSet};

use naga::{Block, Span};

use super::event::{Leaves, Skip, is_open, sign_of};
use super::value::{Root, Value};
use super::walk::{Expr, Frame, Locals, Walk};

/// The number of rounds after which it is assumed that a loop may do anything.
const MAX_ROUNDS: usize = 30;

impl<'a> Walk<'a> {
    /// Returns the variables at the places where some scopes are left.
    pub(super) fn left(&mut self, is_meant: impl Fn(Leaves) -> bool) -> Vec<Locals> {
        let all = std::mem::take(&mut self.leaving);
        let (left, kept): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| is_meant(one.0));
        self.leaving = kept;
        left.into_iter().map(|(_, locals)| locals).collect()
    }

    pub(super) fn drop_skips(&mut self, from: usize, is_over: impl Fn(Leaves) -> bool) {
        let own = self.skips.split_off(from);
        let kept = own.into_iter().filter(|skip| !is_over(skip.leaves));
        self.skips.extend(kept);
    }

    /// Joins the variables of several control-flow paths. Returns whether there is any path.
    pub(super) fn merge(&mut self, mut ends: Vec<Locals>, is_tainted: bool) -> bool {
        let Some(mut merged) = ends.pop() else {
            return false;
        };
        for end in ends {
            for (root, value) in &mut merged {
                let Some(other) = end.get(root) else { continue };
                if value != other {
                    *value = value.either(other, &mut self.terms);
                    if is_tainted {
                        *value = value.tainted(&mut self.terms);
                    }
                }
            }
        }
        self.locals = merged;
        true
    }

    pub(super) fn repeat(
        &mut self,
        frame: &mut Frame<'a>,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Expr>,
        span: Span,
    ) {
        let (events, skips) = (self.events.len(), self.skips.len());
        let mut head = self.locals.clone();
        let mut carried: Vec<Skip> = Vec::new();
        let mut changing: HashSet<Root> = HashSet::new();
        for round in 0..MAX_ROUNDS {
            self.events.truncate(events);
            self.skips.truncate(skips);
            self.skips.extend(carried.iter().cloned());
            self.locals.clone_from(&head);
            let scope = self.number();
            frame.scopes.push((scope, true));
            let goes_on = self.iteration(frame, [body, continuing], break_if, span);
            frame.scopes.pop();
            let left = self.left(|leaves| leaves == Leaves::Scope(scope));
            let new: Vec<Skip> = self.skips.split_off(skips);
            let own = &new[carried.len()..];
            let known = changing.len();
            let next = match goes_on {
                true => self.joined(&head, &mut changing),
                false => head.clone(),
            };
            let is_settled = known == changing.len() && same_signs(&head, &next);
            if round > 0 && is_settled && is_known(&carried, own) {
                let ends_call = |skip: &&Skip| matches!(skip.leaves, Leaves::Call(_));
                self.skips.extend(own.iter().filter(ends_call).cloned());
                self.merge(left, false);
                let is_exit = |skip: &Skip| skip.leaves == Leaves::Scope(scope);
                if own.iter().any(|skip| is_exit(skip) && is_open(skip)) {
                    self.taint(changing.into_iter().collect());
                }
                return;
            }
            head = next;
            carried = own.to_vec();
        }
        self.note_anywhere(span);
    }

    /// Walks an iteration of a loop. Returns whether there may be a next one.
    fn iteration(
        &mut self,
        frame: &mut Frame<'a>,
        [body, continuing]: [&'a Block; 2],
        break_if: Option<Expr>,
        span: Span,
    ) -> bool {
        let Some(&(scope, _)) = frame.scopes.last() else {
            return false;
        };
        let skips = self.skips.len();
        let mut ends = Vec::new();
        if self.block(frame, body) {
            ends.push(self.locals.clone());
        }
        let over = Leaves::Iteration(scope);
        ends.extend(self.left(|leaves| leaves == over));
        let own = self.skips[skips..].iter();
        let is_tainted = own.filter(|skip| skip.leaves == over).any(is_open);
        self.drop_skips(skips, |leaves| leaves == over);
        if !self.merge(ends, is_tainted) {
            return false;
        }
        self.block(frame, continuing);
        if let Some(condition) = break_if {
            let condition = self.value(frame, condition).scalar(&mut self.terms);
            self.guards.push(condition);
            self.leave(Leaves::Scope(scope), frame, span);
            self.guards.pop();
        }
        true
    }

    /// Returns the variables at the beginning of an arbitrary iteration: those that change get new
    /// values.
    fn joined(&mut self, head: &Locals, changing: &mut HashSet<Root>) -> Locals {
        let mut all = HashMap::new();
        for (root, value) in head {
            let value = match self.locals.get(root) {
                Some(other) if other != value => {
                    changing.insert(*root);
                    let either = value.either(other, &mut self.terms);
                    either.renewed(&mut self.terms)
                }
                _ => value.clone(),
            };
            all.insert(*root, value);
        }
        all
    }
}

/// Returns whether a walk found no relevant skips except those with which it began.
fn is_known(carried: &[Skip], own: &[Skip]) -> bool {
    own.iter().filter(|skip| is_open(skip)).all(|skip| {
        let is_it = |one: &Skip| one.span == skip.span && sign_of(one) == sign_of(skip);
        carried.iter().any(is_it)
    })
}

fn same_signs(one: &Locals, other: &Locals) -> bool {
    one.iter().all(|(root, value)| {
        let other = other.get(root);
        other.is_some_and(|other| same_sign(value, other))
    })
}

fn same_sign(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
            a.iter().zip(b).all(|(a, b)| same_sign(a, b))
        }
        (Value::Parts(_), _) | (_, Value::Parts(_)) => false,
        (a, b) => a.sign() == b.sign(),
    }
}
