//! `prism`: the output of PRISM with `-exportmecs`, `-exportsccs` and `-exportbsccs`.
//!
//! PRISM lists components in the order in which its search finds them; here they are in the order
//! of their smallest states. As in PRISM, strongly connected components that are trivial (one state
//! without a self-loop) are left out.

use crate::Decomposition;
use crate::number::push_decimal;
use mdp_graph::{ComponentId, ComponentKind, StateId};
use std::io::{self, Write};

/// Writes the states of each component, with the values of their variables.
///
/// Without valuations, there is one variable `x`, whose value is the index of the state. With
/// [`choices`](Decomposition::choices), the line of a state ends with the local indices of the
/// choices that its maximal end component retains, ` [0,2]`, which PRISM does not print. If the
/// names of their actions are known, they are added: ` [0:send,2]`.
///
/// # Errors
/// Errors of `out`.
pub fn write_prism(out: &mut dyn Write, decomposition: &Decomposition<'_>) -> io::Result<()> {
    let components = decomposition.components;
    let heading = decomposition.kind_name();
    let hide_trivial = components.kind() == ComponentKind::Scc;
    let shown = |id: &ComponentId| !(hide_trivial && components.is_trivial(*id));
    let variables = decomposition.valuations.map(|v| v.variables.join(","));
    writeln!(out, "Variables: ({})", variables.as_deref().unwrap_or("x"))?;

    let total = components.ids().filter(shown).count();
    let members = components.members();
    let mut line = Vec::new();
    for (i, id) in components.ids().filter(shown).enumerate() {
        write!(out, "\n{heading} {}/{total}:\n", i + 1)?;
        for &state in members.states(id) {
            line.clear();
            push_state(&mut line, decomposition, state)?;
            out.write_all(&line)?;
        }
    }
    Ok(())
}

/// Appends the line of `state`.
fn push_state(line: &mut Vec<u8>, of: &Decomposition<'_>, state: StateId) -> io::Result<()> {
    push_decimal(line, state.0);
    line.extend_from_slice(b":(");
    match of.valuations {
        None => push_decimal(line, state.0),
        Some(valuations) => {
            for (i, value) in (valuations.row)(state).into_iter().enumerate() {
                push_comma(line, i);
                write!(line, "{value}")?;
            }
        }
    }
    line.push(b')');
    if of.choices {
        line.extend_from_slice(b" [");
        for (i, choice) in of.retained(state).enumerate() {
            push_comma(line, i);
            push_decimal(line, choice);
            let action = of.action(state, choice);
            if !action.is_empty() {
                write!(line, ":{action}")?;
            }
        }
        line.push(b']');
    }
    line.push(b'\n');
    Ok(())
}

/// Appends the comma before the item at position `i` of a list.
fn push_comma(line: &mut Vec<u8>, i: usize) {
    if i > 0 {
        line.push(b',');
    }
}
