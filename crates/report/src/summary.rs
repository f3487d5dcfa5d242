//! `summary`: a short table for people.

use crate::limit::limit;
use crate::number::grouped;
use crate::table::{self, Row, states};
use crate::{Decomposition, Run};
use mdp_graph::ComponentKind;
use std::io::{self, Write};
use std::time::Duration;

/// Writes the counts of a model and its components, the time of each phase, and which of them limits the run.
///
/// # Errors
/// Those of `out`.
pub fn write_summary(
    out: &mut dyn Write,
    decomposition: &Decomposition<'_>,
    run: &Run<'_>,
) -> io::Result<()> {
    let mut rows = model_rows(decomposition, run);
    rows.extend(component_rows(decomposition));
    rows.push(("device", run.device.to_owned()));
    rows.push(("search", run.search.to_owned()));
    if run.certified {
        rows.push(("certificate", "accepted".to_owned()));
    }
    rows.extend(run.phases.iter().map(|p| (p.name, seconds(p.time))));
    rows.push(("total", seconds(run.phases.iter().map(|p| p.time).sum())));
    rows.extend(limit(run.phases).map(|limit| ("limit", limit)));
    table::write(out, &rows)
}

fn model_rows<'a>(decomposition: &Decomposition<'_>, run: &Run<'_>) -> Vec<Row<'a>> {
    let graph = decomposition.graph;
    let deadlocks = match (run.deadlocks, run.deadlock_policy) {
        (0, _) => "0".to_owned(),
        (count, "self-loop") => format!("{}, given a self-loop each", grouped(count)),
        (count, _) => format!("{}, kept", grouped(count)),
    };
    vec![
        ("model", run.model.to_owned()),
        ("type", run.model_type.to_uppercase()),
        ("states", grouped(graph.num_states() as u64)),
        ("choices", grouped(graph.num_choices() as u64)),
        ("branches", grouped(graph.num_branches() as u64)),
        ("deadlocks", deadlocks),
    ]
}

fn component_rows<'a>(decomposition: &Decomposition<'_>) -> Vec<Row<'a>> {
    let components = decomposition.components;
    let largest = components.largest_size().unwrap_or(0);
    let (name, trivial) = match components.kind() {
        ComponentKind::Scc => ("SCCs", "one state without a self-loop"),
        ComponentKind::Mec => ("MECs", "one state"),
    };
    let num_trivial = grouped(components.num_trivial() as u64);
    let mut rows = vec![
        (name, grouped(components.len() as u64)),
        ("trivial", format!("{num_trivial} ({trivial})")),
        ("largest", states(u64::from(largest))),
    ];
    if components.kind() == ComponentKind::Mec {
        let smallest = components.smallest_size().unwrap_or(0);
        rows.insert(2, ("smallest", states(u64::from(smallest))));
        let members = components.num_member_states() as u64;
        let share = percent(members, components.num_states() as u64);
        rows.push(("in a MEC", format!("{} ({share})", states(members))));
    }
    rows
}

/// The share of `part` in `whole`; nothing is none of nothing.
fn percent(part: u64, whole: u64) -> String {
    let share = 100.0 * part as f64 / whole.max(1) as f64;
    format!("{share:.2} %")
}

/// A time to the microsecond, as that is what small models take.
fn seconds(time: Duration) -> String {
    format!("{:.6} s", time.as_secs_f64())
}
