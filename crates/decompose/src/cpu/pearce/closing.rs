//! [`close_sccs`]: closes the states whose maximal end components follow from the strongly
//! connected components (SCCs).
//!
//! A state on no cycle is in no end component. An SCC of several states is a maximal end component
//! unless a choice splits it ([`regions`]).

use super::depth_first::SccSearch;
use super::prefetch::UNVISITED;
use super::traversal::Traversal;
use crate::Error;
use crate::cpu::edges::GraphRows;
use crate::cpu::regions;
use crate::cpu::ticker::Ticker;
use mdp_graph::{Components, MdpGraph, SharedBits, StateId, Table};
use rayon::prelude::*;
use std::ops::Range;

/// The number of consecutive states that a thread handles at a time.
const PIECE: usize = 1 << 12;

/// What [`close_sccs`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) struct Closed {
    /// The number of states that were closed.
    pub(in crate::cpu) num: usize,
    /// The largest free mark. The marks of all closed states are above it.
    pub(in crate::cpu) next_mec: u32,
}

/// Closes unvisited states whose maximal end component follows from the SCCs of the unvisited
/// states: those on no cycle get the mark [`Components::NONE`], and each SCC that no choice splits
/// gets a mark of its own, below `lone`. All other unvisited states stay unvisited. The marks above
/// `lone` belong to `num_closed` states and stay, too.
pub(in crate::cpu) fn close_sccs(
    rows: GraphRows<'_>,
    index: &mut Table<u32>,
    lone: u32,
    num_closed: usize,
    ticker: &mut Ticker<'_>,
) -> Result<Closed, Error> {
    let edges = rows.edges();
    let n = edges.num_states();
    let traversal = Traversal::of(edges);
    let (mut path, mut open) = (Table::any(n), Table::any(n));
    let search = SccSearch {
        lone: Some(lone),
        closed: num_closed,
        all: n,
        ..SccSearch::new(edges, traversal, (index, lone - 1), &mut open)
    };
    let traversal = Traversal {
        has_runs: false,
        ..traversal
    };
    let search = search.all(traversal, None, 0, &mut path, ticker)?;
    let next_mec = search.next_component;
    let several = next_mec + 1..lone;
    // A search that ends early because all states are one SCC leaves indices in place of marks.
    if num_closed == 0 && index.first().is_some_and(|&mark| mark <= next_mec) {
        index.fill(several.start);
        return Ok(Closed { num: n, next_mec });
    }
    ticker.check()?;
    let split = split_sccs(rows.graph, index, &several);
    let settle = |(state, mark): (usize, &mut u32)| {
        let state = state as u32;
        let is_acyclic = *mark == lone && !edges.of(state).contains(&state);
        match *mark {
            _ if is_acyclic => *mark = Components::NONE,
            ref whole if several.contains(whole) && !split.contains(*whole - several.start) => {}
            searched if searched <= lone => *mark = UNVISITED,
            _ => return 0,
        }
        usize::from(*mark != UNVISITED)
    };
    let num = index.par_iter_mut().enumerate().map(settle).sum();
    tracing::debug!(num, sccs = several.len(), split = split.len(), "closed");
    Ok(Closed { num, next_mec })
}

/// Returns the numbers, within the range of their marks, of the SCCs that a choice splits.
fn split_sccs(graph: &MdpGraph, marks: &[u32], range: &Range<u32>) -> SharedBits {
    let split = SharedBits::new(range.len());
    let note = |state: usize, own: u32| {
        if !range.contains(&own) || split.contains(own - range.start) {
            return;
        }
        let stays = |to: StateId| marks[to.index()] == own;
        let splits = |choice| regions::only_some_have(graph.targets(choice), stays);
        if graph.choices(StateId::from_index(state)).any(splits) {
            split.insert(own - range.start);
        }
    };
    let pieces = marks.par_chunks(PIECE).enumerate();
    pieces.for_each(|(i, piece)| {
        // Most models have long stretches of states that are components by themselves.
        let is_any = |any, own| any | range.contains(own);
        if piece.iter().fold(false, is_any) {
            (i * PIECE..)
                .zip(piece)
                .for_each(|(state, &own)| note(state, own));
        }
    });
    split
}
