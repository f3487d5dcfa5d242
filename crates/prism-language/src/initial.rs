//! The initial states: the one given by the initial values of variables, or all states that satisfy
//! `init ... endinit`.

mod interval;
mod pruning;

use std::ops::ControlFlow;

use crate::arith::{Comparison, to_int};
use crate::ast::{Expr, Type};
use crate::code::{Code, Compiler, Domain, Failure, Pc};
use crate::commands::Guard;
use crate::error::{Checked, ErrorKind, Fault};
use crate::ir::{self, Id, Op, Scope, Slot, Wanted, typed};
use crate::variables::Variable;
use pruning::{Bounded, Pruner};

/// The initial states of a model.
#[derive(Debug, Clone)]
pub(crate) enum Initial {
    /// A single state, packed.
    One(Vec<u64>),
    /// All states that satisfy the conditions.
    Satisfying {
        /// For each variable, the condition on it and the variables before it, so that a partial
        /// state is rejected as soon as one fails.
        conditions: Vec<Option<Pc>>,
        /// For each variable, the values that comparisons with constants permit.
        domains: Vec<Domain>,
        /// The conditions again, to reject a partial state before all of their variables have
        /// values.
        bounded: Bounded,
    },
}

/// Compiles `init ... endinit`.
pub(crate) fn satisfying(
    init: &Expr,
    scope: &Scope<'_>,
    variables: &[Variable],
    compiler: &mut Compiler<'_>,
) -> Checked<Initial> {
    let what = "`init ... endinit`";
    let expr = typed(init, scope, what, Wanted::Of(Type::Bool))?;
    let guard = Guard::from(expr);
    let domains = narrowed(&guard, init, variables)?;
    let movable = guard.movable().len();
    let mut at: Vec<Vec<Id>> = vec![Vec::new(); domains.len().max(1)];
    let last_variable = domains.len().saturating_sub(1);
    for (index, &id) in guard.conjuncts.iter().enumerate() {
        let last = guard
            .expr
            .node(id)
            .slots
            .map_or(0, |(_, last)| usize::from(last));
        // A condition that may fail is tested only if everything before it holds.
        at[if index < movable { last } else { last_variable }].push(id);
    }
    let mut conditions = Vec::new();
    for nodes in &at {
        conditions.push(match nodes.is_empty() {
            true => None,
            false => Some(compiler.condition(&guard.expr, nodes)?),
        });
    }
    let bounded = Bounded::new(&guard, domains.len());
    Ok(Initial::Satisfying {
        conditions,
        domains,
        bounded,
    })
}

/// Returns the values of variables that comparisons with constants permit.
fn narrowed(guard: &Guard, init: &Expr, variables: &[Variable]) -> Checked<Vec<Domain>> {
    let all = Domain {
        low: i64::MIN,
        high: i64::MAX,
    };
    let domain = |variable: &Variable| match variable.is_bounded() {
        true => variable.domain,
        false => all,
    };
    let mut domains: Vec<Domain> = variables.iter().map(domain).collect();
    for &id in guard.movable() {
        narrow(&guard.expr, id, &mut domains);
    }
    for (variable, domain) in variables.iter().zip(&domains) {
        let name = variable.name().to_owned();
        if variable.is_bounded() || domain.low > domain.high {
            continue;
        }
        if domain.low == all.low || domain.high == all.high {
            let fault = Fault::new(init.span(), ErrorKind::UnboundedInitial { name });
            return Err(fault.note(format!(
                "comparisons such as `{0}>=0 & {0}<=9` bound it, joined to the rest by `&`",
                variable.name()
            )));
        }
        let mut ends = [domain.low, domain.high].into_iter();
        if let Some(value) = ends.find(|&end| !variable.domain.has(end)) {
            let kind = ErrorKind::ValueTooWide {
                variable: name,
                value,
                bits: variable.bits(),
            };
            return Err(Fault::new(init.span(), kind));
        }
    }
    Ok(domains)
}

/// Removes the values from a variable's domain that a comparison with a constant excludes.
fn narrow(expr: &ir::Expr, id: Id, domains: &mut [Domain]) {
    if let Some((slot, permitted)) = permitted(expr, id) {
        let domain = &mut domains[usize::from(slot)];
        *domain = domain.intersected(permitted);
    }
}

/// If a condition is that a variable lies in an interval, such as `x<=9` or `x=3`: the variable and
/// the interval.
pub(crate) fn permitted(expr: &ir::Expr, id: Id) -> Option<(Slot, Domain)> {
    let Op::CompareInt(op, left, right) = expr.node(id).op else {
        return None;
    };
    let (slot, op, bits) = match (expr.node(left).op, expr.node(right).op) {
        (Op::Variable(slot), Op::Constant(bits)) => (slot, op, bits),
        (Op::Constant(bits), Op::Variable(slot)) => (slot, op.swapped(), bits),
        _ => return None,
    };
    let value = to_int(bits);
    let (low, high) = match op {
        Comparison::Equal => (value, value),
        Comparison::NotEqual => return None,
        Comparison::Less => (i64::MIN, value.saturating_sub(1)),
        Comparison::LessEqual => (i64::MIN, value),
        Comparison::Greater => (value.saturating_add(1), i64::MAX),
        Comparison::GreaterEqual => (value, i64::MAX),
    };
    Some((slot, Domain { low, high }))
}

/// The number of valuations that are tried between two states before `visit` is asked whether to
/// continue.
const VALUATIONS_BETWEEN_ASKING: u32 = 256;

/// Visits states, packed, in lexicographic order of the variables, until `visit` breaks. From time
/// to time, it is called with no state. Returns the number of states that were visited, and whether
/// `visit` broke.
pub(crate) fn visit(
    initial: &Initial,
    code: &Code,
    variables: &[Variable],
    words: usize,
    visit: &mut dyn FnMut(Option<&[u64]>) -> ControlFlow<()>,
) -> Result<(u64, ControlFlow<()>), Failure> {
    let (conditions, domains, bounded) = match initial {
        Initial::One(state) => return Ok((1, visit(Some(state)))),
        Initial::Satisfying {
            conditions,
            domains,
            bounded,
        } => (conditions, domains, bounded),
    };
    if domains.iter().any(|domain| domain.low > domain.high) {
        return Ok((0, ControlFlow::Continue(())));
    }
    let mut pruner = Pruner::new(bounded, domains);
    let mut values: Vec<i64> = domains.iter().map(|domain| domain.low).collect();
    let mut stack = code.stack();
    let mut state = vec![0; words];
    let mut visited = 0;
    let mut patience = VALUATIONS_BETWEEN_ASKING;
    // The variable whose value is to be tested. The values of those before it have been chosen.
    let mut at = 0;
    loop {
        let holds = conditions[at].map_or(Ok(1), |pc| code.run(pc, &values, &mut stack))? != 0;
        let is_complete = at + 1 >= domains.len();
        let holds = holds && (is_complete || pruner.choose(at, values[at]));
        if holds && !is_complete {
            at += 1;
            values[at] = domains[at].low;
            continue;
        }
        if holds {
            for (variable, &value) in variables.iter().zip(&values) {
                variable.set(&mut state, value);
            }
            visited += 1;
            if visit(Some(&state)).is_break() {
                return Ok((visited, ControlFlow::Break(())));
            }
        }
        patience -= 1;
        if patience == 0 {
            patience = VALUATIONS_BETWEEN_ASKING;
            if visit(None).is_break() {
                return Ok((visited, ControlFlow::Break(())));
            }
        }
        // Advances the last variable that has a next value.
        let has_next = |at: &usize| domains.get(*at).is_some_and(|d| values[*at] < d.high);
        match (0..=at).rev().find(has_next) {
            Some(last) => at = last,
            None => return Ok((visited, ControlFlow::Continue(()))),
        }
        values[at] += 1;
    }
}
