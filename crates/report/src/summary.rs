//! `summary`: a short table for users.

use crate::limit::limit;
use crate::table::{self, Row, states};
use crate::{DeadlockStates, Decomposition, GraphOrigin, Heading, InitialFrom, Run, Statistics};
use mdp_graph::grouped;
use mdp_graph::{ComponentKind, Components, SizeClass};
use std::io::{self, Write};
use std::time::Duration;

/// The data of a summary. It does not need the graph, which may be elsewhere.
#[derive(Clone, Copy)]
pub struct Summary<'a> {
    /// The number of states.
    pub states: u64,
    /// The number of choices.
    pub choices: u64,
    /// The number of branches.
    pub branches: u64,
    /// The components.
    pub components: &'a Components,
    /// How the graph was made of the model.
    pub origin: GraphOrigin<'a>,
    /// The properties of components that need a pass over all edges, if they are to be printed.
    pub statistics: Option<&'a Statistics<'a>>,
}

impl<'a> From<&Decomposition<'a>> for Summary<'a> {
    fn from(decomposition: &Decomposition<'a>) -> Self {
        let graph = decomposition.graph;
        Self {
            states: graph.num_states() as u64,
            choices: graph.num_choices() as u64,
            branches: graph.num_branches() as u64,
            components: decomposition.components,
            origin: decomposition.origin,
            statistics: decomposition.statistics,
        }
    }
}

/// Writes the counts of a model and its components, the time of each phase, and the phase that
/// limits the speed of the run.
///
/// # Errors
/// Errors of `out`.
pub fn write_summary(out: &mut dyn Write, summary: &Summary<'_>, run: &Run<'_>) -> io::Result<()> {
    let origin = &summary.origin;
    let size = (summary.states, summary.choices, summary.branches);
    let mut rows = model_rows(&run.heading, size, origin.deadlocks);
    if !origin.coalition.is_empty() {
        rows.push(("coalition", origin.coalition.join(",")));
    }
    if let Some(edges) = origin.interval_edges {
        rows.push(("edges", edges.to_owned()));
    }
    rows.extend(component_rows(summary));
    rows.push(("device", run.device.to_owned()));
    rows.push(("search", run.search.to_owned()));
    if run.certified {
        rows.push(("certificate", "accepted".to_owned()));
    }
    rows.extend(time_rows(run));
    table::write(out, &rows)
}

/// Returns the time of each phase, the total time, and the phase that limits the speed of the run.
pub(crate) fn time_rows<'a>(run: &Run<'a>) -> Vec<Row<'a>> {
    let phases = run.phases.iter();
    let mut rows: Vec<Row<'a>> = phases.map(|p| (p.name, seconds(p.time))).collect();
    rows.push(("total", seconds(run.phases.iter().map(|p| p.time).sum())));
    rows.extend(limit(run.phases).map(|limit| ("limit", limit)));
    rows
}

/// Returns the rows about the model, which has this many states, choices and branches.
pub(crate) fn model_rows<'a>(
    heading: &Heading<'_>,
    (num_states, choices, branches): (u64, u64, u64),
    deadlocks: DeadlockStates<'_>,
) -> Vec<Row<'a>> {
    let deadlocks = match (deadlocks.count, deadlocks.policy) {
        (0, _) => "0".to_owned(),
        (count, "self-loop") => format!("{}, given a self-loop each", grouped(count)),
        (count, _) => format!("{}, kept", grouped(count)),
    };
    let mut rows = vec![
        ("model", heading.model.to_owned()),
        ("type", heading.model_type.to_uppercase()),
        ("states", grouped(num_states)),
        ("choices", grouped(choices)),
        ("branches", grouped(branches)),
        ("deadlocks", deadlocks),
    ];
    let constants = heading.constants.iter();
    let constants = constants.map(|constant| format!("{}={}", constant.name, constant.value));
    let constants: Vec<String> = constants.collect();
    if !constants.is_empty() {
        rows.insert(1, ("constants", constants.join(",")));
    }
    rows
}

/// Returns the name of components of this kind, and a description of the trivial ones.
pub(crate) fn kind_names(kind: ComponentKind) -> (&'static str, &'static str) {
    match kind {
        ComponentKind::Scc => ("SCCs", "one state without a self-loop"),
        ComponentKind::Bscc => ("BSCCs", "one state without a self-loop"),
        ComponentKind::Mec => ("MECs", "one state"),
    }
}

fn component_rows<'a>(summary: &Summary<'_>) -> Vec<Row<'a>> {
    let components = summary.components;
    let largest = components.largest_size().unwrap_or(0);
    let (name, trivial) = kind_names(components.kind());
    let num_trivial = grouped(components.num_trivial() as u64);
    let mut rows = vec![
        (name, grouped(components.len() as u64)),
        ("trivial", format!("{num_trivial} ({trivial})")),
        ("largest", states(u64::from(largest))),
    ];
    let in_some = match components.kind() {
        ComponentKind::Scc => None,
        ComponentKind::Mec => Some("in a MEC"),
        ComponentKind::Bscc => Some("in a BSCC"),
    };
    if let Some(in_some) = in_some {
        let smallest = components.smallest_size().unwrap_or(0);
        rows.insert(2, ("smallest", states(u64::from(smallest))));
        let members = components.num_member_states() as u64;
        let share = percent(members, components.num_states() as u64);
        rows.push((in_some, format!("{} ({share})", states(members))));
    }
    rows.extend(size_rows(&components.size_classes()));
    if let Some(statistics) = summary.statistics {
        rows.extend(statistics_rows(statistics, components.kind()));
    }
    rows
}

/// Returns the number of components in each class of sizes, with a few classes in each row; no rows
/// if there is only one class.
pub(crate) fn size_rows<'a>(classes: &[SizeClass]) -> Vec<Row<'a>> {
    /// This many fit into a line that is easy to read.
    const SIZES_IN_A_ROW: usize = 4;
    if classes.len() < 2 {
        return Vec::new();
    }
    let text = |class: &SizeClass| {
        let (count, from) = (grouped(class.components), u64::from(class.from));
        match class.from == class.to {
            true => format!("{count} of {}", states(from)),
            false => format!(
                "{count} of {} to {}",
                grouped(from),
                grouped(class.to.into())
            ),
        }
    };
    let rows = classes
        .chunks(SIZES_IN_A_ROW)
        .enumerate()
        .map(|(i, classes)| {
            let texts: Vec<String> = classes.iter().map(text).collect();
            (if i == 0 { "sizes" } else { "" }, texts.join(", "))
        });
    rows.collect()
}

/// Returns the number of components that no edge leaves, and the number of those that can be
/// reached.
fn statistics_rows<'a>(statistics: &Statistics<'_>, kind: ComponentKind) -> Vec<Row<'a>> {
    let bottom = grouped(statistics.num_bottom() as u64);
    let reachable = grouped(statistics.num_reachable() as u64);
    let initial = statistics.initial();
    let from = match (initial.from, initial.states) {
        (InitialFrom::Assumed, []) => "no state".to_owned(),
        (InitialFrom::Assumed, _) => "state 0; the model names no initial state".to_owned(),
        (_, [only]) => format!("the initial state, {only}"),
        (_, all) => format!("{} initial states", grouped(all.len() as u64)),
    };
    let mut rows = vec![("reachable", format!("{reachable} (from {from})"))];
    if kind != ComponentKind::Bscc {
        let them = if statistics.num_bottom() == 1 {
            "it"
        } else {
            "them"
        };
        rows.insert(0, ("bottom", format!("{bottom} (no edge leaves {them})")));
    }
    rows
}

/// Returns the share of `part` in `whole` in percent; 0 if `whole` is 0.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let share = 100.0 * part as f64 / whole.max(1) as f64;
    format!("{share:.2} %")
}

/// Returns a time in seconds, exact to the microsecond, because small models need only
/// microseconds.
fn seconds(time: Duration) -> String {
    format!("{:.6} s", time.as_secs_f64())
}
