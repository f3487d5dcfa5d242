//! [`close_acyclic`]: closes the states that are on no cycle.

use super::depth_first::SccSearch;
use super::prefetch::UNVISITED;
use super::traversal::Traversal;
use crate::Error;
use crate::cpu::edges::AllEdges;
use crate::cpu::ticker::Ticker;
use mdp_graph::{Components, MdpGraph, StateRows, Table};
use rayon::prelude::*;

/// Marks each unvisited state that is on no cycle with [`Components::NONE`]: it is the only state
/// of its component, and has no self-loop. All other unvisited states stay unvisited. The marks
/// above `lone` belong to `closed` states and stay, too. Returns the number of states marked.
pub(in crate::cpu) fn close_acyclic(
    graph: &MdpGraph,
    rows: &StateRows<'_>,
    index: &mut Table<u32>,
    (lone, closed): (u32, usize),
    ticker: &mut Ticker<'_>,
) -> Result<usize, Error> {
    let n = graph.num_states();
    let edges = AllEdges::new(graph, rows);
    let traversal = Traversal::of(edges);
    let (mut path, mut open) = (Table::any(n), Table::any(n));
    let search = SccSearch {
        lone: Some(lone),
        closed,
        ..SccSearch::new(edges, traversal, (index, lone - 1), &mut open)
    };
    let traversal = Traversal {
        has_runs: false,
        ..traversal
    };
    search.all(traversal, None, 0, &mut path, ticker)?;
    let settle = |(state, mark): (usize, &mut u32)| {
        let row = rows[state] as usize..rows[state + 1] as usize;
        let is_acyclic = *mark == lone && !edges.targets[row].contains(&(state as u32));
        match *mark {
            _ if is_acyclic => *mark = Components::NONE,
            searched if searched <= lone => *mark = UNVISITED,
            _ => {}
        }
        usize::from(is_acyclic)
    };
    Ok(index.par_iter_mut().enumerate().map(settle).sum())
}
