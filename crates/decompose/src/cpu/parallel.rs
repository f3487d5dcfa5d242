//! Strongly connected components on all threads. Rounds of [`super::cells`] are repeated as long as
//! they are worthwhile, each on the [`super::quotient`] of the previous round. Then
//! [`super::pearce`] searches the rest.

use super::cells::{self, Outcome};
use super::closed::Closed;
use super::edges::All;
use super::giant::Giant;
use super::marks::{self, Marks};
use super::pearce;
use super::quotient::Nodes;
use super::sources;
use super::threads::{self, MIN_THREADS};
use super::ticker::{PERIOD, Ticker, Watch};
use crate::Error;
use crate::sample::EdgeSample;
use mdp_graph::{Index, Partition, Table, descending};

/// In a graph of fewer states than this, one thread is as fast as several.
const MIN_STATES: usize = 1 << 19;

/// If more than this share of the edges leads far away, too many lead from one range of states to
/// another.
const MAX_LONG_SHARE: f64 = 1.0 / 32.0;

/// The number of ranges for each thread. They take different times, so one is not enough.
pub(super) const RANGES_EACH: usize = 2;

/// If one range has more than this share of the states and edges, a search by ranges is hardly
/// faster than one by one thread, as it looks at the edges more often.
const MAX_RANGE_SHARE: f64 = 1.0 / 4.0;

/// If fewer than one in this many states are outside the core of a giant, one thread searches the
/// rest faster than several threads.
const SMALL_REST: usize = 16;

/// Returns whether this many cores search a graph of this size faster together than one core does,
/// provided that its edges lead far.
pub(crate) fn pays_to_search_together(cores: usize, num_states: usize, num_edges: usize) -> bool {
    cores >= MIN_THREADS && num_states >= MIN_STATES && !is_thin(num_states, num_edges)
}

/// Returns whether this many cores search ranges of a graph with this sample faster than one core
/// searches the whole graph.
pub(crate) fn pays_to_search_ranges(cores: usize, num_states: usize, sample: EdgeSample) -> bool {
    cores >= MIN_THREADS && num_states >= MIN_STATES && sample.is_in_order(MAX_LONG_SHARE)
}

/// The conditions under which several threads search a graph together.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// The least number of threads.
    pub(super) threads: usize,
    /// The least number of states.
    pub(super) states: usize,
    /// Whether thin graphs are searched by one thread.
    pub(super) dense: bool,
    /// The number of states that a thread visits before it checks whether the threads hinder one
    /// another.
    pub(super) period: u32,
    /// The share of scattered edges from which on states without predecessors are closed first. If
    /// fewer edges are scattered, states are numbered along the edges, and few states have no
    /// predecessors.
    pub(super) scattered: f64,
    /// The fewest threads that search ranges of states.
    pub(super) ranges: usize,
    /// They do if at most this share of the edges is long, or if all long edges have the same
    /// direction ([`EdgeSample::is_in_order`]).
    pub(super) long: f64,
    /// They do if no range has more than this share of all states and edges: all others wait for
    /// the thread that searches it.
    pub(super) heaviest: f64,
    /// They do if at most this share of the states is left to one thread (`ranges`).
    pub(super) nodes: f64,
}

impl Limits {
    /// Returns the usual limits. Several threads search graphs in which most states have an edge
    /// that leads far, because one thread would wait for memory there most of the time. In other
    /// graphs, one thread hardly waits, and several threads lose more time by their coordination.
    pub(super) fn usual(leads_far: bool) -> Self {
        Self {
            threads: if leads_far { MIN_THREADS } else { usize::MAX },
            states: MIN_STATES,
            dense: true,
            period: PERIOD / 4,
            scattered: 1.0 / 8.0,
            ranges: MIN_THREADS,
            long: MAX_LONG_SHARE,
            heaviest: MAX_RANGE_SHARE,
            nodes: 1.0 / 2.0,
        }
    }

    /// Returns whether there are so many threads, and so many states, that a pass by all threads
    /// over a graph takes much less time than one by one thread.
    pub(super) fn suits_all_threads(self, num_states: usize) -> bool {
        threads::useful() >= self.ranges && num_states >= self.states
    }

    /// Returns the number of threads that search ranges of states, or `None` if they do not.
    pub(super) fn threads_for_ranges<I: Index>(self, edges: All<'_, I>) -> Option<usize> {
        let threads = threads::useful();
        let suits_all = self.suits_all_threads(edges.num_states());
        let pays = || {
            edges.sample().is_in_order(self.long)
                && heaviest_range(edges, RANGES_EACH * threads) <= self.heaviest
        };
        (suits_all && pays()).then_some(threads)
    }

    /// Returns the number of threads that search a graph together, or `None` if one thread searches
    /// it.
    pub(super) fn threads_for_cells(self, edges: All<'_>) -> Option<usize> {
        self.threads_for_size(edges.num_states(), edges.targets.len())
    }

    /// Returns whether a giant can be closed as a whole: it is known to be a component, and there
    /// are many threads. (One thread is to search its states again, in one pass with all others.)
    pub(super) fn can_take_whole(self, giant: &Giant) -> bool {
        giant.is_complete && threads::useful() >= self.ranges
    }

    /// Like [`threads_for_cells`](Self::threads_for_cells), from the size of the graph.
    pub(super) fn threads_for_size(self, num_states: usize, num_edges: usize) -> Option<usize> {
        if self.dense && is_thin(num_states, num_edges) {
            return None;
        }
        let cells = threads::useful().min(marks::most_cells(num_states));
        (cells >= self.threads && num_states >= self.states).then_some(cells)
    }
}

/// Returns the greatest share of all states and edges that one of this many ranges has.
fn heaviest_range<I: Index>(edges: All<'_, I>, ranges: usize) -> f64 {
    let (n, m) = (edges.num_states(), edges.targets.len());
    let sizes = (0..n).step_by(n.div_ceil(ranges).max(1)).map(|start| {
        let end = n.min(start + n.div_ceil(ranges));
        end - start + edges.rows[end].place() - edges.rows[start].place()
    });
    sizes.max().unwrap_or(0) as f64 / (n + m).max(1) as f64
}

/// Returns whether most states have at most one edge. Then paths are long, and cells of several
/// threads divide the same paths. One thread is as fast there.
pub(super) fn is_thin(num_states: usize, num_edges: usize) -> bool {
    4 * num_edges <= 5 * num_states
}

/// Returns the most memory in bytes that a search takes in addition to a search by one thread: for
/// the marks, for the paths of all threads, and for the edges of the quotient, which are first
/// stored as pairs.
pub(super) fn room(num_states: usize, num_edges: usize) -> [usize; 3] {
    let quotient = 4 * num_states + (8 + 4) * num_edges;
    [
        Marks::BYTES * num_states,
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

/// Returns the components. Each state of `closed` is a component by itself, except for those of a
/// giant, if it is taken as a whole.
pub(super) fn sccs(
    graph: All<'_>,
    giant: Option<&Giant>,
    closed: Option<&Closed>,
    limits: Limits,
    ticker: &mut Ticker<'_>,
) -> Result<Partition, Error> {
    let whole = giant.filter(|giant| limits.can_take_whole(giant));
    let suits_one = giant.is_some_and(is_nearly_all)
        || limits.threads_for_cells(graph).is_none() && closed.is_none();
    if suits_one && whole.is_none() {
        return pearce::sccs(graph, giant, ticker);
    }
    let are_few_left = closed.is_some_and(Closed::are_few_left);
    let mut giant = giant.filter(|_| whole.is_none());
    let (mut levels, mut owned) = (Vec::<Level>::new(), None::<(Table<u32>, Table<u32>)>);
    let sources = match giant {
        None if !suits_one && !are_few_left => close_sources(graph, closed, limits, ticker)?,
        _ => None,
    };
    let (mut closed, mut pays) = (sources.as_ref().or(closed), !suits_one && !are_few_left);
    let watch = Watch::new(ticker, closed.map_or(0, |closed| closed.num_states));
    let mut answers = loop {
        let edges = owned.as_ref().map_or(graph, as_edges);
        if edges.num_states() <= 1 {
            break Table::new(edges.num_states());
        }
        let cells = limits.threads_for_cells(edges).filter(|_| pays);
        if cells.is_none() && closed.is_none() {
            break pearce::sccs(edges, giant, ticker)?.into_marks();
        }
        let mut marks = first_marks(edges.num_states(), closed.take(), whole);
        let outcome = match cells {
            Some(cells) => {
                giant.iter().for_each(|giant| open_core(giant, &mut marks));
                cells::search(edges, marks.shared(), (cells, limits.period), &watch)?
            }
            None => Outcome::Crowded,
        };
        if outcome == Outcome::Crowded {
            let rest = pearce::sccs_of_rest(edges, marks.closed_only(), giant, ticker)?;
            break marks.with_closed(rest);
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

/// Returns the marks when a search begins: those of the closed states, of which the giant is one
/// component.
fn first_marks(num_states: usize, closed: Option<&Closed>, whole: Option<&Giant>) -> Marks {
    let mut marks = Marks::new(num_states);
    if let Some(closed) = closed {
        marks.close(&closed.states);
        whole
            .into_iter()
            .for_each(|giant| marks.close_as_one(&giant.core));
    }
    marks
}

fn size(edges: All<'_>) -> usize {
    edges.num_states() + edges.targets.len()
}

/// Returns whether the core of a giant contains nearly all states.
fn is_nearly_all(giant: &Giant) -> bool {
    let n = giant.core.bound();
    SMALL_REST * (n - giant.num_core) < n
}

/// Closes states without predecessors ([`sources`]), in addition to those in `closed`, if all
/// threads search, and there are such states.
fn close_sources(
    graph: All<'_>,
    closed: Option<&Closed>,
    limits: Limits,
    ticker: &Ticker<'_>,
) -> Result<Option<Closed>, Error> {
    if limits.threads_for_cells(graph).is_none() || graph.sample().scattered() < limits.scattered {
        return Ok(None);
    }
    let mut all = Closed::none(graph.num_states());
    if let Some(closed) = closed {
        all.states.insert_all(&closed.states);
        all.num_states = closed.num_states;
    }
    let found = sources::close(graph, &all.states, ticker)?;
    all.num_states += found;
    tracing::debug!(found, "states without predecessors are closed");
    Ok((found > 0).then_some(all))
}

/// Returns the nodes that a round left, and the offsets and targets of the edges between them.
fn quotient(edges: All<'_>, marks: &mut Marks) -> (Nodes, (Table<u32>, Table<u32>)) {
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

fn as_edges((rows, targets): &(Table<u32>, Table<u32>)) -> All<'_> {
    All { rows, targets }
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
