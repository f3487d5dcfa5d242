//! Strongly connected components on all threads: rounds of [`super::cells`], each on the [`super::quotient`] of
//! the one before, for as long as that pays; then [`super::pearce`].

use super::cells::{self, Edges, Marks, Outcome};
use super::giant::Giant;
use super::pearce;
use super::quotient::Nodes;
use super::rows::Rows;
use super::starve::Closed;
use super::ticker::{PERIOD, Ticker, Watch};
use crate::Error;
use mdp_graph::{MdpGraph, StateId, Table, descending};

/// When several threads search a graph at once.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// The fewest threads: fewer are no faster than one, as they look at more.
    pub(super) threads: usize,
    /// The fewest states of a graph.
    pub(super) states: usize,
    /// How many states a thread visits before it looks whether threads hinder one another.
    pub(super) period: u32,
}

impl Limits {
    pub(super) const USUAL: Self = Self {
        threads: 4,
        states: 1 << 16,
        period: PERIOD / 4,
    };

    /// How many threads are to search a graph at once, if several are.
    pub(super) fn cells(self, num_states: usize) -> Option<usize> {
        let cells = rayon::current_num_threads().min(cells::most_cells(num_states));
        (cells >= self.threads && num_states >= self.states).then_some(cells)
    }
}

/// A graph that was searched in cells, and what was left of it.
struct Level {
    /// Offsets and targets of its edges, unless it is the graph itself.
    edges: Option<(Table<u32>, Table<u32>)>,
    marks: Marks,
    nodes: Nodes,
}

/// A number for each state, equal for two states iff they are in the same component. What is `closed` is a
/// component state by state.
pub(super) fn sccs(
    graph: Edges<'_>,
    giant: Option<&Giant>,
    closed: Option<&Closed>,
    limits: Limits,
    ticker: &mut Ticker<'_>,
) -> Result<Table<u32>, Error> {
    let mut levels: Vec<Level> = Vec::new();
    let mut owned: Option<(Table<u32>, Table<u32>)> = None;
    let (mut giant, mut closed) = (giant, closed);
    let mut pays = true;
    let watch = Watch::new(ticker, closed.map_or(0, |closed| closed.num_states));
    let mut answers = loop {
        let edges = owned.as_ref().map_or(graph, as_edges);
        let n = edges.num_states();
        if n <= 1 {
            break Table::new(n);
        }
        let cells = limits.cells(n).filter(|_| pays);
        if cells.is_none() && closed.is_none() {
            break pearce::sccs(edges, giant, ticker)?;
        }
        let mut marks = Marks::new(n);
        closed
            .take()
            .into_iter()
            .for_each(|closed| marks.close(&closed.states));
        let outcome = match cells {
            Some(cells) => {
                giant.iter().for_each(|giant| open_core(giant, &mut marks));
                cells::search(edges, marks.shared(), (cells, limits.period), &watch)?
            }
            None => Outcome::Crowded,
        };
        if outcome == Outcome::Crowded {
            let rest = marks.closed_only();
            break marks.with_closed(pearce::sccs_of_rest(edges, rest, giant, ticker)?);
        }
        giant = None;
        let nodes = Nodes::new(marks.shared(), n);
        tracing::debug!(
            states = n,
            edges = edges.targets.len(),
            nodes = nodes.len(),
            "a round"
        );
        let next = match nodes.len() {
            0 | 1 => (Table::new(nodes.len() + 1), Table::new(0)),
            _ => nodes.edges(edges, marks.shared()),
        };
        let size = |edges: Edges<'_>| edges.num_states() + edges.targets.len();
        pays = 2 * size(as_edges(&next)) < size(edges);
        levels.push(Level {
            edges: owned.take(),
            marks,
            nodes,
        });
        owned = Some(next);
    };
    if !levels.is_empty() {
        name_by_states(&mut answers);
    }
    while let Some(level) = levels.pop() {
        let edges = level.edges.as_ref().map_or(graph, as_edges);
        answers = level.nodes.answer(edges, level.marks, &answers, &watch)?;
    }
    Ok(answers)
}

/// Replaces the numbers of components, which are at most `2 n`, by their first states.
fn name_by_states(answers: &mut [u32]) {
    let n = answers.len();
    let mut first: Table<u32> = Table::new(2 * n + 1);
    for (state, answer) in answers.iter_mut().enumerate() {
        let first = &mut first[*answer as usize];
        if *first == 0 {
            *first = state as u32 + 1;
        }
        *answer = *first - 1;
    }
}

/// All edges of a graph.
pub(super) fn edges<'a>(graph: &'a MdpGraph, rows: &'a Rows<'_>) -> Edges<'a> {
    Edges {
        rows,
        targets: StateId::as_numbers(graph.all_targets()),
    }
}

fn as_edges((rows, targets): &(Table<u32>, Table<u32>)) -> Edges<'_> {
    Edges { rows, targets }
}

/// Makes a group of the core.
fn open_core(giant: &Giant, marks: &mut Marks) {
    let Some(name) = giant.core.descending().next() else {
        return;
    };
    let shared = marks.shared();
    for word in 0..giant.core.num_words() {
        for state in descending(word, giant.core.word(word)) {
            shared.put(state, name);
        }
    }
}
