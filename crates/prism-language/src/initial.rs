//! The initial states: one that the variables' initial values make, or all that satisfy
//! `init ... endinit`.

use std::ops::ControlFlow;

use crate::ast::{Expr, Type};
use crate::code::{Code, Compiler, Failure, Pc};
use crate::commands::Guard;
use crate::error::Checked;
use crate::ir::{Id, Scope, Wanted, typed};
use crate::variables::Variable;

/// Where a model starts.
#[derive(Debug, Clone)]
pub(crate) enum Initial {
    /// In this state, packed.
    One(Vec<u64>),
    /// In all states for which the conditions hold. Each condition stands at the last variable that it
    /// depends on, so that a partial state is given up as soon as one fails.
    Satisfying(Vec<Option<Pc>>),
}

/// Compiles `init ... endinit`.
pub(crate) fn satisfying(
    init: &Expr,
    scope: &Scope<'_>,
    variables: usize,
    compiler: &mut Compiler<'_>,
) -> Checked<Initial> {
    let what = "`init ... endinit`";
    let expr = typed(init, scope, what, Wanted::Of(Type::Bool))?;
    let guard = Guard::from(expr);
    let movable = guard.movable().len();
    let mut at: Vec<Vec<Id>> = vec![Vec::new(); variables.max(1)];
    let last_variable = variables.saturating_sub(1);
    for (index, &id) in guard.conjuncts.iter().enumerate() {
        let last = guard
            .expr
            .node(id)
            .slots
            .map_or(0, |(_, last)| usize::from(last));
        // What may fail is only asked where everything before it holds.
        at[if index < movable { last } else { last_variable }].push(id);
    }
    let mut conditions = Vec::new();
    for nodes in &at {
        conditions.push(match nodes.is_empty() {
            true => None,
            false => Some(compiler.condition(&guard.expr, nodes)?),
        });
    }
    Ok(Initial::Satisfying(conditions))
}

/// Visits states in lexicographic order of the variables, each packed, until `visit` breaks. Returns how
/// many were visited.
pub(crate) fn visit(
    initial: &Initial,
    code: &Code,
    variables: &[Variable],
    words: usize,
    visit: &mut dyn FnMut(&[u64]) -> ControlFlow<()>,
) -> Result<u64, Failure> {
    let conditions = match initial {
        Initial::One(state) => {
            // There is nothing left to break off.
            let _ = visit(state);
            return Ok(1);
        }
        Initial::Satisfying(conditions) => conditions,
    };
    let mut values: Vec<i64> = variables.iter().map(Variable::low).collect();
    let mut stack = code.stack();
    let mut state = vec![0; words];
    let mut visited = 0;
    // The variable whose value is to be judged; those before it are settled.
    let mut at = 0;
    loop {
        let holds = match conditions[at] {
            Some(condition) => code.run(condition, &values, &mut stack)? != 0,
            None => true,
        };
        if holds && at + 1 < variables.len() {
            at += 1;
            values[at] = variables[at].low();
            continue;
        }
        if holds {
            for (variable, &value) in variables.iter().zip(&values) {
                variable.set(&mut state, value);
            }
            visited += 1;
            if visit(&state).is_break() {
                return Ok(visited);
            }
        }
        // The next value of the last variable that has one.
        loop {
            match variables.get(at) {
                Some(variable) if values[at] < variable.high() => break,
                _ if at == 0 => return Ok(visited),
                _ => at -= 1,
            }
        }
        values[at] += 1;
    }
}
