//! [`close_acyclic`]: closes the states that are on no cycle.

use super::depth_first::SccSearch;
use super::prefetch::UNVISITED;
use super::traversal::Traversal;
use crate::Error;
use crate::cpu::edges::GraphRows;
use crate::cpu::ticker::Ticker;
use mdp_graph::{Components, Table};
use rayon::prelude::*;

/// Marks each unvisited state that is on no cycle with [`Components::NONE`]: it is the only state
/// of its component, and has no self-loop. All other unvisited states stay unvisited. The marks
/// above `lone` belong to `num_closed` states and stay, too. Returns the number of states marked.
pub(in crate::cpu) fn close_acyclic(
    rows: GraphRows<'_>,
    index: &mut Table<u32>,
    lone: u32,
    num_closed: usize,
    ticker: &mut Ticker<'_>,
) -> Result<usize, Error> {
    let edges = rows.edges();
    let n = edges.num_states();
    let traversal = Traversal::of(edges);
    let (mut path, mut open) = (Table::any(n), Table::any(n));
    let search = SccSearch {
        lone: Some(lone),
        closed: num_closed,
        ..SccSearch::new(edges, traversal, (index, lone - 1), &mut open)
    };
    let traversal = Traversal {
        has_runs: false,
        ..traversal
    };
    search.all(traversal, None, 0, &mut path, ticker)?;
    let settle = |(state, mark): (usize, &mut u32)| {
        let state = state as u32;
        let is_acyclic = *mark == lone && !edges.of(state).contains(&state);
        match *mark {
            _ if is_acyclic => *mark = Components::NONE,
            searched if searched <= lone => *mark = UNVISITED,
            _ => {}
        }
        usize::from(is_acyclic)
    };
    Ok(index.par_iter_mut().enumerate().map(settle).sum())
}
