//! The initial states of a model or an automaton.

use crate::error::Checked;
use crate::expr::Expr;
use crate::json::Object;

/// Reads `restrict-initial`. Returns `None` if it restricts nothing.
pub(super) fn restriction(object: &Object<'_>) -> Checked<Option<Expr>> {
    let Some(value) = object.get("restrict-initial") else {
        return Ok(None);
    };
    let expr = Expr::read_member(value, "a restriction of the initial states")?;
    Ok((!expr.is_bool(true)).then_some(expr))
}
