//! Decomposes the undecided states of all workers on one of them: the others send it their
//! undecided states, and get the answer. This takes a few supersteps, whatever the shape of the
//! graph. In contrast, searches over all workers may take one superstep for each edge between two
//! workers.

use crate::error::{Error, agree};
use crate::net::Net;
use mdp_graph::{ComponentKind, MdpGraph, StateId};

/// No number.
pub(super) const NONE: u64 = u64::MAX;

/// The numbers of the nodes of all workers, worker by worker.
pub(super) struct Nodes {
    /// The number of the first node of this worker.
    pub(super) first: u32,
    /// The number of nodes of each worker.
    counts: Vec<u64>,
}

impl Nodes {
    /// Numbers the nodes, of which this worker has `own`. `None` if there are too many for 32 bits.
    pub(super) fn number(own: u64, net: &mut Net<'_>) -> Option<Self> {
        let counts = net.gather(own);
        let first = counts[..net.me()].iter().sum::<u64>();
        let nodes = Self {
            first: first as u32,
            counts,
        };
        (nodes.count() < u64::from(u32::MAX)).then_some(nodes)
    }

    /// Returns the number of nodes of all workers.
    pub(super) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the worker of each node.
    fn owners(&self) -> impl Iterator<Item = usize> {
        let of_worker = |(worker, &count)| std::iter::repeat_n(worker, count as usize);
        self.counts.iter().enumerate().flat_map(of_worker)
    }
}

/// The data of a worker's nodes that it sends.
#[derive(Default)]
pub(super) struct Rows {
    /// For each node, the number of its choices; for each choice, the number of its targets, and
    /// the targets as numbers among the nodes of all workers.
    pub(super) words: Vec<u32>,
    /// The smallest state of each node, as a number in the whole model; in ascending order.
    pub(super) smallest: Vec<u64>,
}

impl Rows {
    /// Adds a node, with its smallest state and the targets of its edges.
    pub(super) fn push(&mut self, smallest: u64, targets: &[u32]) {
        self.smallest.push(smallest);
        self.words.push(u32::from(!targets.is_empty()));
        if !targets.is_empty() {
            self.words.push(targets.len() as u32);
            self.words.extend(targets);
        }
    }
}

/// Returns the component of each node of this worker, named by its smallest state, or [`NONE`].
pub(super) fn decompose(
    rows: Rows,
    nodes: &Nodes,
    kind: ComponentKind,
    net: &mut Net<'_>,
) -> Result<Vec<u64>, Error> {
    let mut outbox = net.outbox();
    for &state in &rows.smallest {
        outbox.push(net, 0, state);
    }
    let smallest = net.exchange(outbox).into_iter();
    let smallest: Vec<u64> = smallest.map(|(_, state)| state).collect();
    let mut outbox = net.outbox();
    outbox.push_all(net, 0, &rows.words);
    drop(rows);
    let words = net.exchange(outbox).into_iter().map(|(_, word)| word);
    let graph = graph(words);
    let found = match net.me() {
        0 => net.compute.decompose_for_all(&graph, kind).map(Some),
        _ => Ok(None),
    };
    drop(graph);
    let found = agree(net, found.map_err(Error::from))?;
    let mut outbox = net.outbox();
    if let Some(found) = found {
        for (node, owner) in nodes.owners().enumerate() {
            let first = found.smallest_of(StateId::from_index(node));
            let name = first.map_or(NONE, |node| smallest[node.index()]);
            outbox.push(net, owner, name);
        }
    }
    let names = net.exchange(outbox).into_iter();
    Ok(names.map(|(_, name)| name).collect())
}

/// Returns the graph of the nodes. Workers other than worker 0 receive no words.
fn graph(mut words: impl Iterator<Item = u32>) -> MdpGraph {
    let (mut choice_offsets, mut branch_offsets) = (vec![0], vec![0]);
    let mut targets = Vec::new();
    while let Some(choices) = words.next() {
        for _ in 0..choices {
            let count = words.next().unwrap_or(0);
            targets.extend(words.by_ref().take(count as usize).map(StateId));
            branch_offsets.push(targets.len() as u32);
        }
        choice_offsets.push(branch_offsets.len() as u32 - 1);
    }
    MdpGraph::from_parts(choice_offsets, branch_offsets, targets)
        .expect("each choice has targets, which are nodes")
}
