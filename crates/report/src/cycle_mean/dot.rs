//! `dot`: a small graph with its critical cycle, for Graphviz; for a large graph, only the cycle.

use super::{CycleMeans, Step, shown};
use crate::dot::{CONDENSE_OVER, escaped, values_below};
use mdp_graph::{BranchId, StateId};
use std::io::{self, Write};

/// Draws the graph with its critical cycle in bold red; of a large graph, only the cycle.
///
/// # Errors
/// Errors of `out`.
pub fn write_cycle_means_dot(out: &mut dyn Write, of: &CycleMeans<'_>) -> io::Result<()> {
    let cycle = of.best().map_or(&[][..], |best| best.cycle);
    let whole = of.graph.num_states() <= CONDENSE_OVER;
    let steps: Vec<Step<'_>> = of.steps(cycle).collect();
    writeln!(out, "digraph cycle {{")?;
    if let Some(best) = of.best() {
        let title = format!("{} {}: {}", of.goal(), of.kind(), shown(best));
        writeln!(out, "  label=\"{}\";", escaped(&title))?;
    }
    let mut critical: Vec<BranchId> = cycle.to_vec();
    critical.sort_unstable();
    let node = |out: &mut dyn Write, state: StateId, is_critical: bool| {
        let values = values_below(of.valuations, state);
        let colour = if is_critical {
            ", color=red, penwidth=2"
        } else {
            ""
        };
        writeln!(out, "  {state} [label=\"{state}{values}\"{colour}];")
    };
    if !whole {
        for step in &steps {
            node(out, step.state, true)?;
        }
        for step in &steps {
            edge(out, of, step.state, step.branch, true)?;
        }
        return writeln!(out, "}}");
    }
    let mut on_cycle: Vec<StateId> = steps.iter().map(|step| step.state).collect();
    on_cycle.sort_unstable();
    for state in of.graph.states() {
        node(out, state, on_cycle.binary_search(&state).is_ok())?;
    }
    for state in of.graph.states() {
        for branch in of.graph.branch_range(state).map(BranchId::from_index) {
            edge(
                out,
                of,
                state,
                branch,
                critical.binary_search(&branch).is_ok(),
            )?;
        }
    }
    writeln!(out, "}}")
}

fn edge(
    out: &mut dyn Write,
    of: &CycleMeans<'_>,
    state: StateId,
    branch: BranchId,
    is_critical: bool,
) -> io::Result<()> {
    let target = of.graph.all_targets()[branch.index()];
    let weight = (of.weight)(branch);
    let label = match of.times {
        Some(_) => format!("{weight} / {}", (of.time)(branch)),
        None => weight,
    };
    let colour = if is_critical {
        ", color=red, penwidth=2"
    } else {
        ""
    };
    writeln!(out, "  {state} -> {target} [label=\"{label}\"{colour}];")
}
