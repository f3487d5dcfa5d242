//! The results of a breadth-first search, distances and a shortest path, as text, JSON and
//! drawings.

mod dot;
mod json;

pub use dot::write_bfs_dot;
pub use json::write_bfs_json;

use crate::labels::write_lines;
use crate::table::{self, Row, states};
use crate::{ChoiceDetails, Run, Valuations};
use mdp_graph::{ChoiceId, MdpGraph, StateId, counted, grouped};
use std::io::{self, Write};

/// The value for the distance of a state that was not reached, and for the parent of a state that
/// has none.
const NONE: u32 = u32::MAX;

/// The number of states of a path that are printed as text.
const SHOWN: usize = 30;

/// The result of a breadth-first search, and the information about its states.
#[derive(Clone, Copy)]
pub struct Bfs<'a> {
    /// The graph.
    pub graph: &'a MdpGraph,
    /// The states at which the search began, in ascending order.
    pub sources: &'a [StateId],
    /// For each state, the least number of edges from a source to it, or `u32::MAX` if it was not
    /// reached.
    pub distances: &'a [u32],
    /// For each state, the state before it on a shortest path, or `u32::MAX` if there is none.
    pub parents: &'a [u32],
    /// The number of states at distance 0, 1, 2, …
    pub levels: &'a [u64],
    /// The target of the search, if there is one.
    pub target: Option<Target<'a>>,
    /// The values of variables, if they are known.
    pub valuations: Option<&'a Valuations<'a>>,
    /// The information about choices, if there is any.
    pub details: Option<&'a ChoiceDetails<'a>>,
}

/// The target of a search.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The number of a state, or the name of a label.
    pub name: &'a str,
    /// A shortest path to it, including both ends; `None` if there is none.
    pub path: Option<&'a [StateId]>,
}

/// A state on a path.
struct Step<'a> {
    /// The action that leads to it from the state before; empty if it has no name.
    action: &'a str,
    state: StateId,
}

impl<'a> Bfs<'a> {
    fn num_reached(&self) -> u64 {
        self.levels.iter().sum()
    }

    /// Returns the states of a path, each with the action of the first choice that leads to it.
    fn steps(&self, path: &'a [StateId]) -> impl Iterator<Item = Step<'a>> {
        let Self { graph, details, .. } = *self;
        let leads = move |state, target| {
            let mut choices = graph.choices(state);
            choices.find(|&choice| graph.targets(choice).contains(&target))
        };
        let action = move |choice: ChoiceId| details.map_or("", |details| details.action(choice));
        path.iter().enumerate().map(move |(i, &state)| {
            let before = i.checked_sub(1).map(|before| path[before]);
            let choice = before.and_then(|before| leads(before, state));
            Step {
                action: choice.map_or("", action),
                state,
            }
        })
    }
}

/// Writes a table for users, and the path to the target; of a long path, only its beginning.
///
/// # Errors
/// Errors of `out`.
pub fn write_bfs_summary(out: &mut dyn Write, of: &Bfs<'_>, run: &Run<'_>) -> io::Result<()> {
    let mut rows = vec![
        ("model", run.heading.model.to_owned()),
        ("type", run.heading.model_type.to_uppercase()),
        ("states", grouped(of.graph.num_states() as u64)),
        ("branches", grouped(of.graph.num_branches() as u64)),
        ("sources", sources(of.sources)),
        ("reached", states(of.num_reached())),
    ];
    rows.extend(level_rows(of.levels));
    rows.extend(target_row(of.target));
    rows.push(("device", run.device.to_owned()));
    rows.push(("search", run.search.to_owned()));
    if run.certified {
        rows.push(("certificate", "accepted".to_owned()));
    }
    let times = run.phases.iter();
    rows.extend(times.map(|phase| (phase.name, format!("{:.3} s", phase.time.as_secs_f64()))));
    table::write(out, &rows)?;
    match of.target.and_then(|target| target.path) {
        Some(path) => {
            writeln!(out)?;
            write_path(out, of, path)
        }
        None => Ok(()),
    }
}

/// Describes the sources: `state 7`, or `12 states`.
fn sources(sources: &[StateId]) -> String {
    match sources {
        [state] => format!("state {state}"),
        _ => states(sources.len() as u64),
    }
}

fn level_rows<'a>(levels: &[u64]) -> Vec<Row<'a>> {
    let Some(last) = levels.len().checked_sub(1) else {
        return Vec::new();
    };
    // If several levels have the same width, the first one counts.
    let widest = (0..levels.len()).rev().max_by_key(|&level| levels[level]);
    let widest = widest.unwrap_or(0);
    let size = states(levels[widest]);
    vec![
        ("greatest distance", grouped(last as u64)),
        (
            "widest level",
            format!("{size} at distance {}", grouped(widest as u64)),
        ),
    ]
}

fn target_row<'a>(target: Option<Target<'_>>) -> Option<Row<'a>> {
    let target = target?;
    let name = match target.name.parse::<u32>() {
        Ok(state) => format!("state {state}"),
        Err(_) => format!("label {}", target.name),
    };
    let said = match target.path {
        Some(path) => format!("{name}, at distance {}", grouped(path.len() as u64 - 1)),
        None => format!("{name}, which cannot be reached"),
    };
    Some(("target", said))
}

fn write_path(out: &mut dyn Write, of: &Bfs<'_>, path: &[StateId]) -> io::Result<()> {
    let has_actions = of.details.is_some_and(ChoiceDetails::has_names);
    let titles = [
        ("distance", true),
        ("action", has_actions),
        ("state", true),
        ("values", of.valuations.is_some()),
    ];
    let line = |cells: [String; 4]| -> Vec<String> {
        let kept = cells.into_iter().zip(titles);
        let kept = kept.filter(|(_, (_, is_shown))| *is_shown);
        kept.map(|(cell, _)| cell).collect()
    };
    let mut rows = vec![line(titles.map(|(title, _)| title.to_owned()))];
    for (distance, step) in of.steps(path).enumerate().take(SHOWN) {
        rows.push(line([
            distance.to_string(),
            step.action.to_owned(),
            step.state.to_string(),
            of.valuations
                .map_or_else(String::new, |valuations| valuations.text(step.state)),
        ]));
    }
    table::write_columns(out, &rows)?;
    match path.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => {
            let more = counted(more as u64, "state", "states");
            writeln!(out, "and {more} more, which --format json prints")
        }
    }
}

/// Writes a line for each state: its distance, or -1 if it was not reached.
///
/// # Errors
/// Errors of `out`.
pub fn write_bfs_labels(out: &mut dyn Write, distances: &[u32]) -> io::Result<()> {
    let distance = |state: usize| Some(distances[state]).filter(|&distance| distance != NONE);
    write_lines(out, distances.len(), distance)
}
