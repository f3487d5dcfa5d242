//! The values of variables at a point of a function, and the join of control flow that reaches the
//! same point.

use super::values::{Taint, Value, join};

/// The values of variables at a point of a function.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) locals: Vec<Value>,
    /// The values of arguments or, if they are pointers, of their targets.
    pub(super) arguments: Vec<Value>,
}

impl State {
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let mut has_changed = false;
        for (a, b) in self.locals.iter_mut().zip(&other.locals) {
            has_changed |= a.join(b);
        }
        for (a, b) in self.arguments.iter_mut().zip(&other.arguments) {
            has_changed |= a.join(b);
        }
        has_changed
    }
}

/// Joins control flow with that which reached the same point before.
pub(super) fn arrive(at: &mut Option<(State, Taint)>, state: &State, control: Taint) {
    match at {
        Some((known, taint)) => {
            known.join(state);
            *taint = join(*taint, control);
        }
        None => *at = Some((state.clone(), control)),
    }
}

/// A loop or `switch` that is being analysed.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) is_loop: bool,
    pub(super) broken: Option<(State, Taint)>,
    pub(super) continued: Option<(State, Taint)>,
}
