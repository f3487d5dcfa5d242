//! `dot`: the states level by level, for Graphviz; for a large model, only the sizes of the levels.

use super::{Bfs, NONE};
use crate::dot::{CONDENSE_OVER, values_below};
use crate::table::states;
use mdp_graph::StateId;
use std::io::{self, Write};

/// The number of levels of a large model that are drawn.
const LEVELS: usize = 100;

/// Draws a small graph with its states level by level: edges from parents are bold, the path to the
/// target is red, and states that were not reached are dashed. Of a large graph, it draws the sizes
/// of the first hundred levels.
///
/// # Errors
/// Errors of `out`.
pub fn write_bfs_dot(out: &mut dyn Write, of: &Bfs<'_>) -> io::Result<()> {
    writeln!(out, "digraph bfs {{")?;
    writeln!(out, "  node [fontname=\"sans-serif\"];")?;
    if of.graph.num_states() <= CONDENSE_OVER {
        write_whole(out, of)?;
    } else {
        write_levels(out, of.levels)?;
    }
    writeln!(out, "}}")
}

fn write_levels(out: &mut dyn Write, levels: &[u64]) -> io::Result<()> {
    for (level, &size) in levels.iter().enumerate().take(LEVELS) {
        let size = states(size);
        writeln!(
            out,
            "  level{level} [shape=box, label=\"distance {level}: {size}\"];"
        )?;
        if level > 0 {
            writeln!(out, "  level{} -> level{level};", level - 1)?;
        }
    }
    match levels.len().saturating_sub(LEVELS) {
        0 => Ok(()),
        more => {
            let size = states(levels[LEVELS..].iter().sum());
            let last = LEVELS - 1;
            writeln!(
                out,
                "  more [shape=box, label=\"{more} more levels: {size}\"];"
            )?;
            writeln!(out, "  level{last} -> more;")
        }
    }
}

fn write_whole(out: &mut dyn Write, of: &Bfs<'_>) -> io::Result<()> {
    let path = of.target.and_then(|target| target.path).unwrap_or_default();
    for state in of.graph.states() {
        let values = values_below(of.valuations, state);
        let style = match of.distances[state.index()] {
            NONE => ", style=dashed",
            _ if path.contains(&state) => ", color=red, penwidth=2",
            _ => "",
        };
        writeln!(out, "  {state} [label=\"{state}{values}\"{style}];")?;
    }
    for level in 0..of.levels.len() {
        let at = |state: &StateId| of.distances[state.index()] as usize == level;
        let names = of.graph.states().filter(at);
        let names: Vec<String> = names.map(|state| state.to_string()).collect();
        writeln!(out, "  {{rank=same; {};}}", names.join("; "))?;
    }
    for state in of.graph.states() {
        let mut targets = of.graph.successors(state).to_vec();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            let is_on_path = path.windows(2).any(|edge| edge == [state, target]);
            let style = match of.parents[target.index()] == state.0 {
                _ if is_on_path => " [color=red, penwidth=2]",
                true => " [penwidth=2]",
                false => " [color=gray, constraint=false]",
            };
            writeln!(out, "  {state} -> {target}{style};")?;
        }
    }
    Ok(())
}
