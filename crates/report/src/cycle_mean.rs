//! Optimal cycle means and ratios, with critical cycles: as text, JSON and drawings.

mod dot;
mod json;

pub use dot::write_cycle_means_dot;
pub use json::write_cycle_means_json;

use crate::table;
use crate::{ChoiceDetails, Constant, Phase, Valuations};
use mdp_graph::{BranchId, ChoiceId, MdpGraph, StateId};
use mdp_graph::{counted, grouped};
use std::io::{self, Write};

/// The number of steps of a cycle that are printed as text.
const STEPS: usize = 30;

/// The optimal value of a component.
#[derive(Clone, Debug)]
pub struct ComponentMean<'a> {
    /// The smallest state of the component.
    pub component: StateId,
    /// The number of its states.
    pub states: u32,
    /// The value as a fraction.
    pub fraction: String,
    /// The value as a decimal.
    pub decimal: String,
    /// A cycle that has this value: its branches in order, at least one.
    pub cycle: &'a [BranchId],
    /// The number of times that the search improved its candidate.
    pub iterations: u32,
}

/// The optimal values of the cycles of a model, and further information.
#[derive(Clone, Copy)]
pub struct CycleMeans<'a> {
    /// The version of the program.
    pub version: &'a str,
    /// The source of the model.
    pub model: &'a str,
    /// The constants that were given values for this run.
    pub constants: &'a [Constant<'a>],
    /// The graph.
    pub graph: &'a MdpGraph,
    /// Whether the greatest values are sought, and not the least.
    pub greatest: bool,
    /// The name of the weights.
    pub weights: &'a str,
    /// The name of the times, if values are ratios.
    pub times: Option<&'a str>,
    /// The name of the algorithm.
    pub search: &'a str,
    /// The device that computed the values.
    pub device: &'a str,
    /// The counters of the GPU, by name.
    pub counts: &'a [(&'static str, u64)],
    /// The index of the optimal component, if there is one.
    pub optimal: Option<usize>,
    /// All components that have cycles.
    pub components: &'a [ComponentMean<'a>],
    /// Whether to print all components.
    pub each: bool,
    /// The weight of a branch.
    pub weight: &'a dyn Fn(BranchId) -> String,
    /// The time of a branch, which is used for ratios only.
    pub time: &'a dyn Fn(BranchId) -> String,
    /// The values of variables, if they are known.
    pub valuations: Option<&'a Valuations<'a>>,
    /// The information about choices, if there is any.
    pub details: Option<&'a ChoiceDetails<'a>>,
    /// Whether a certificate was checked.
    pub certified: bool,
    /// The phases of the run, with their times.
    pub phases: &'a [Phase<'a>],
}

/// A step along a cycle.
struct Step<'a> {
    state: StateId,
    branch: BranchId,
    action: &'a str,
}

impl<'a> CycleMeans<'a> {
    fn kind(&self) -> &'static str {
        if self.times.is_some() {
            "ratio"
        } else {
            "mean"
        }
    }

    fn goal(&self) -> &'static str {
        if self.greatest { "max" } else { "min" }
    }

    fn best(&self) -> Option<&'a ComponentMean<'a>> {
        self.optimal.and_then(|best| self.components.get(best))
    }

    /// Returns the steps of a cycle. The source of each branch is the target of the one before.
    fn steps(&self, cycle: &'a [BranchId]) -> impl Iterator<Item = Step<'a>> {
        let Self { graph, details, .. } = *self;
        let before = cycle.iter().cycle().skip(cycle.len().saturating_sub(1));
        cycle.iter().zip(before).map(move |(&branch, before)| {
            let state = graph.all_targets()[before.index()];
            let ends = graph
                .choice_range(state)
                .map(|choice| graph.branch_offsets()[choice + 1]);
            let nth = ends.take_while(|&end| end <= branch.0).count();
            let choice = ChoiceId::from_index(graph.choice_range(state).start + nth);
            Step {
                state,
                branch,
                action: details.map_or("", |details| details.action(choice)),
            }
        })
    }
}

/// Writes a table for users: the optimal value, and a cycle that has it; of a long cycle, only its
/// beginning.
///
/// # Errors
/// Errors of `out`.
pub fn write_cycle_means(out: &mut dyn Write, of: &CycleMeans<'_>) -> io::Result<()> {
    let name = match (of.greatest, of.times) {
        (false, None) => "minimum mean",
        (true, None) => "maximum mean",
        (false, Some(_)) => "minimum ratio",
        (true, Some(_)) => "maximum ratio",
    };
    let mut rows = vec![
        ("model", of.model.to_owned()),
        ("states", grouped(of.graph.num_states() as u64)),
        ("edges", grouped(of.graph.num_branches() as u64)),
        ("weights", of.weights.to_owned()),
    ];
    rows.extend(of.times.map(|times| ("times", times.to_owned())));
    rows.push(("device", of.device.to_owned()));
    if !of.counts.is_empty() {
        let each = of.counts.iter();
        let each = each.map(|(what, count)| format!("{what}: {}", grouped(*count)));
        rows.push(("work", each.collect::<Vec<_>>().join(", ")));
    }
    let Some(best) = of.best() else {
        rows.push((name, "none: there is no cycle".to_owned()));
        return table::write(out, &rows);
    };
    rows.push((name, shown(best)));
    let size = counted(best.states.into(), "state", "states");
    rows.push((
        "component",
        format!("that of state {}, {size}", best.component),
    ));
    rows.push((
        "critical cycle",
        counted(best.cycle.len() as u64, "step", "steps"),
    ));
    if of.certified {
        rows.push(("certificate", "accepted".to_owned()));
    }
    table::write(out, &rows)?;
    writeln!(out)?;
    write_steps(out, of, best)?;
    if of.each {
        writeln!(out)?;
        write_each(out, of)?;
    }
    Ok(())
}

/// Returns the value as text: `7/2 = 3.5`, or `3`.
fn shown(mean: &ComponentMean<'_>) -> String {
    match mean.fraction.contains('/') {
        true => format!("{} = {}", mean.fraction, mean.decimal),
        false => mean.fraction.clone(),
    }
}

fn write_steps(
    out: &mut dyn Write,
    of: &CycleMeans<'_>,
    best: &ComponentMean<'_>,
) -> io::Result<()> {
    let has_actions = of.details.is_some_and(ChoiceDetails::has_names);
    let titles = [
        ("state", true),
        ("action", has_actions),
        ("weight", true),
        ("time", of.times.is_some()),
        ("values", of.valuations.is_some()),
    ];
    let line = |cells: [String; 5]| -> Vec<String> {
        let kept = cells.into_iter().zip(titles);
        kept.filter(|(_, (_, is_shown))| *is_shown)
            .map(|(cell, _)| cell)
            .collect()
    };
    let mut rows = vec![line(titles.map(|(title, _)| title.to_owned()))];
    for step in of.steps(best.cycle).take(STEPS) {
        rows.push(line([
            step.state.to_string(),
            step.action.to_owned(),
            (of.weight)(step.branch),
            of.times
                .map_or_else(String::new, |_| (of.time)(step.branch)),
            of.valuations
                .map_or_else(String::new, |valuations| valuations.text(step.state)),
        ]));
    }
    table::write_columns(out, &rows)?;
    match best.cycle.len().saturating_sub(STEPS) {
        0 => Ok(()),
        more => {
            let more = counted(more as u64, "step", "steps");
            writeln!(out, "and {more} more, which --format json prints")
        }
    }
}

fn write_each(out: &mut dyn Write, of: &CycleMeans<'_>) -> io::Result<()> {
    let titles = ["component of", "states", "value", "decimal", "steps"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    rows.extend(of.components.iter().map(|mean| {
        vec![
            mean.component.to_string(),
            grouped(mean.states.into()),
            mean.fraction.clone(),
            mean.decimal.clone(),
            grouped(mean.cycle.len() as u64),
        ]
    }));
    table::write_columns(out, &rows)
}
