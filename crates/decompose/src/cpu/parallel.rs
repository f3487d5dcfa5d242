//! Strongly connected components on all threads. Rounds of [`super::cells`] are repeated as long as
//! they are worthwhile, each on the [`super::quotient`] of the previous round. Then
//! [`super::pearce`] searches the rest.

use super::cells::{self, Outcome};
use super::decided::Decided;
use super::edges::AllEdges;
use super::giant::Giant;
use super::giants;
use super::marks::Marks;
use super::pearce;
use super::quotient::Nodes;
use super::strategy::Plan;
use super::ticker::{Ticker, Watch};
use super::trim_sources;
use crate::Error;
use mdp_graph::{Partition, SharedBits, Table, descending};

/// If fewer than one in this many states are outside the core of a giant, one thread searches the
/// rest faster than several threads.
const SMALL_REST: usize = 16;

/// Returns the most memory in bytes that a search takes in addition to a search by one thread: for
/// the marks and the giants, for the paths of all threads, and for the edges of the quotient, which
/// are first stored as pairs.
pub(super) fn room(num_states: usize, num_edges: usize) -> [usize; 3] {
    let quotient = 4 * num_states + (8 + 4) * num_edges;
    [
        (Marks::BYTES + giants::MOST / 8) * num_states,
        cells::PATH_BYTES * num_states,
        quotient,
    ]
}

/// A graph that was searched in cells, and the result.
struct Level {
    /// Offsets and targets of its edges, unless it is the graph itself.
    edges: Option<(Table<u32>, Table<u32>)>,
    marks: Marks,
    nodes: Nodes,
}

impl Level {
    fn new(edges: Option<(Table<u32>, Table<u32>)>, marks: Marks, nodes: Nodes) -> Self {
        Self {
            edges,
            marks,
            nodes,
        }
    }
}

/// What is known of a graph before the first round.
#[derive(Clone, Copy)]
struct Known<'a> {
    /// A giant component, of which only a part may be known.
    giant: Option<&'a Giant>,
    decided: Option<&'a Decided>,
    /// The decided states that are not components by themselves: these sets are.
    wholes: &'a [SharedBits],
}

/// Returns the components. Each state of `decided` is a component by itself.
pub(super) fn sccs(
    graph: AllEdges<'_>,
    giant: Option<&Giant>,
    decided: Option<&Decided>,
    plan: &Plan,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    if giant.is_some_and(is_nearly_all) || plan.rounds.is_none() && decided.is_none() {
        return pearce::sccs(graph, giant, ticker);
    }
    let known = Known {
        giant,
        decided,
        wholes: &[],
    };
    sccs_of_rest(graph, known, true, plan, ticker)
}

/// Returns the components: the giants that are decided, and those of the other states.
pub(super) fn sccs_of_others(
    graph: AllEdges<'_>,
    decided: &Decided,
    plan: &Plan,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    let known = Known {
        giant: None,
        decided: Some(decided),
        wholes: &decided.giants,
    };
    let in_giants: usize = decided.giants.iter().map(SharedBits::len).sum();
    let n = graph.num_states();
    let suits_one = SMALL_REST * (n - in_giants) < n;
    sccs_of_rest(graph, known, !suits_one, plan, ticker)
}

/// Returns the components, in rounds as long as each of them at least halves the graph.
fn sccs_of_rest(
    graph: AllEdges<'_>,
    known: Known<'_>,
    mut pays: bool,
    plan: &Plan,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    let Known {
        mut giant,
        decided,
        wholes,
    } = known;
    let are_few_left = decided.is_some_and(Decided::are_few_left);
    pays &= !are_few_left;
    let (mut levels, mut owned) = (Vec::<Level>::new(), None::<(Table<u32>, Table<u32>)>);
    let sources = match giant {
        None if plan.trims_sources && pays => decide_sources(graph, decided, ticker)?,
        _ => None,
    };
    let mut decided = sources.as_ref().or(decided);
    let watch = Watch::new(ticker, decided.map_or(0, |decided| decided.num_states));
    let mut answers = loop {
        let edges = owned.as_ref().map_or(graph, as_edges);
        if edges.num_states() <= 1 {
            break Table::new(edges.num_states());
        }
        let round = pays.then(|| plan.round(edges)).flatten();
        if round.is_none() && decided.is_none() {
            break pearce::sccs(edges, giant, ticker)?.into_marks();
        }
        let mut marks = first_marks(edges.num_states(), decided.take(), wholes);
        let outcome = match round {
            Some(round) => {
                giant.iter().for_each(|giant| open_core(giant, &mut marks));
                cells::search(edges, marks.shared(), round, &watch)?
            }
            None => Outcome::Crowded,
        };
        if outcome == Outcome::Crowded {
            let rest = pearce::sccs_of_rest(edges, marks.decided_only(), giant, ticker)?;
            break marks.with_decided(rest);
        }
        giant = None;
        let (nodes, next) = quotient(edges, &mut marks);
        pays = 2 * size(as_edges(&next)) < size(edges);
        let edges = owned.replace(next);
        levels.push(Level::new(edges, marks, nodes));
    };
    if !levels.is_empty() {
        name_by_states(&mut answers);
    }
    while let Some(level) = levels.pop() {
        let edges = level.edges.as_ref().map_or(graph, as_edges);
        answers = level.nodes.answer(edges, level.marks, &answers, &watch)?;
    }
    Ok(answers.into())
}

/// Returns the marks when a search begins: those of the decided states, of which these sets are
/// components.
fn first_marks(num_states: usize, decided: Option<&Decided>, wholes: &[SharedBits]) -> Marks {
    let mut marks = Marks::new(num_states);
    if let Some(decided) = decided {
        marks.decide(&decided.states);
        wholes.iter().for_each(|core| marks.decide_as_one(core));
    }
    marks
}

fn size(edges: AllEdges<'_>) -> usize {
    edges.num_states() + edges.targets.len()
}

/// Returns whether the core of a giant contains nearly all states.
fn is_nearly_all(giant: &Giant) -> bool {
    let n = giant.core.bound();
    SMALL_REST * (n - giant.num_core) < n
}

/// Decides states without predecessors ([`trim_sources`]), in addition to those in `decided`,
/// if there are such states.
fn decide_sources(
    graph: AllEdges<'_>,
    decided: Option<&Decided>,
    ticker: &Ticker<'_>,
) -> Result<Option<Decided>, Error> {
    let mut all = Decided::copy(decided, graph.num_states());
    let found = trim_sources::trim(graph, &all.states, ticker)?;
    all.num_states += found;
    tracing::debug!(found, "states without predecessors are decided");
    Ok((found > 0).then_some(all))
}

/// Returns the nodes that a round left, and the offsets and targets of the edges between them.
fn quotient(edges: AllEdges<'_>, marks: &mut Marks) -> (Nodes, (Table<u32>, Table<u32>)) {
    let n = edges.num_states();
    let nodes = Nodes::new(marks.shared(), n);
    let next = match nodes.len() {
        0 | 1 => (Table::new(nodes.len() + 1), Table::new(0)),
        _ => nodes.edges(edges, marks.shared()),
    };
    tracing::debug!(
        states = n,
        edges = edges.targets.len(),
        nodes = nodes.len(),
        "a round"
    );
    (nodes, next)
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

fn as_edges((rows, targets): &(Table<u32>, Table<u32>)) -> AllEdges<'_> {
    AllEdges { rows, targets }
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
