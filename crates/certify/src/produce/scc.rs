//! Certificates for SCCs: one search of the whole graph finds the order within the classes, and
//! that of the classes.

use super::search::{self, Rows};
use crate::{Certificate, Violation};
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};

pub(super) fn produce(graph: &MdpGraph, components: &Components) -> Result<Certificate, Violation> {
    let rows = branch_rows(graph);
    let rows = Rows {
        offsets: &rows,
        targets: StateId::as_numbers(graph.all_targets()),
    };
    let groups = search::groups(rows, graph.states(), graph.num_states(), |_, group| {
        compare(components, group)
    })?;
    Ok(Certificate::from_parts(groups.order, groups.back))
}

/// Finds out whether a strongly connected group is a component of the answer.
#[inline]
fn compare(components: &Components, group: &[StateId]) -> Result<(), Violation> {
    let first = group[0];
    let own = components.component(first);
    let Some(id) = own else {
        return Err(Violation::NoComponent { state: first });
    };
    let is_other = |&&state: &&StateId| components.component(state) != own;
    if let Some(&other) = group.iter().find(is_other) {
        return Err(Violation::Separated {
            state: first.min(other),
            other: first.max(other),
        });
    }
    if group.len() < components.size(id) as usize {
        return Err(super::not_connected(ComponentKind::Scc, components, group));
    }
    Ok(())
}

/// `n + 1` offsets of states into the branches: both levels of the graph in one look-up.
fn branch_rows(graph: &MdpGraph) -> Vec<u32> {
    let branch_offsets = graph.branch_offsets();
    let choices = graph.choice_offsets().iter();
    choices
        .map(|&choice| branch_offsets[choice as usize])
        .collect()
}
