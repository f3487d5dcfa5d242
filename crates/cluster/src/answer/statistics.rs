//! [`Statistics`]: the number of components and their sizes, known to all workers.

use super::ComponentLabels;
use crate::net::Net;
use crate::net::words::{pair, wide};
use crate::part::Part;
use mdp_graph::{ComponentKind, StateId};
use std::collections::HashMap;

/// Statistics of a model and its components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of states.
    pub states: u64,
    /// The number of choices.
    pub choices: u64,
    /// The number of branches.
    pub branches: u64,
    /// The number of branches to states of another worker.
    pub crossing: u64,
    /// The number of states that had no choice, before self-loops were added.
    pub deadlocks: u64,
    /// The number of components.
    pub components: u64,
    /// The number of trivial components: those of one state and, for SCCs, without a self-loop.
    pub trivial: u64,
    /// The number of states of the smallest component; 0 if there is none.
    pub smallest: u64,
    /// The number of states of the largest component.
    pub largest: u64,
    /// The number of states that are in a component.
    pub members: u64,
    /// For each power of two, the number of components whose numbers of states are from this power
    /// to below the next, and the total number of their states.
    pub sizes: Vec<(u64, u64)>,
}

/// The number of powers of two.
const SIZES: usize = 64;

impl Statistics {
    /// Counts the components of all workers.
    pub fn new(
        part: &Part,
        labels: &ComponentLabels,
        kind: ComponentKind,
        net: &mut Net<'_>,
    ) -> Self {
        let sizes = sizes(part, labels, net);
        let graph = part.graph();
        let has_loop = |state: u32| graph.has_self_loop(StateId(state));
        let is_trivial = |(&state, &size): (&u32, &u64)| {
            size == 1 && (kind == ComponentKind::Mec || !has_loop(state))
        };
        let targets = graph.all_targets().iter();
        let crossing = targets.filter(|&&target| part.ghost(target).is_some());
        let mut counts = vec![
            part.num_own() as u64,
            graph.num_choices() as u64,
            graph.num_branches() as u64,
            crossing.count() as u64,
            part.deadlocks(),
            sizes.len() as u64,
            sizes.iter().filter(|&size| is_trivial(size)).count() as u64,
            sizes.values().sum(),
        ];
        let first = counts.len();
        counts.resize(first + 2 * SIZES, 0);
        for &size in sizes.values() {
            let place = first + 2 * size.ilog2() as usize;
            counts[place] += 1;
            counts[place + 1] += size;
        }
        let counts = net.sums(&counts);
        let least = sizes.values().copied().min().unwrap_or(u64::MAX);
        let smallest = net
            .gather(least)
            .into_iter()
            .min()
            .filter(|&size| size != u64::MAX);
        let largest = net
            .gather(sizes.values().copied().max().unwrap_or(0))
            .into_iter()
            .max();
        Self {
            states: counts[0],
            choices: counts[1],
            branches: counts[2],
            crossing: counts[3],
            deadlocks: counts[4],
            components: counts[5],
            trivial: counts[6],
            smallest: smallest.unwrap_or(0),
            largest: largest.unwrap_or(0),
            members: counts[7],
            sizes: counts[first..]
                .chunks(2)
                .map(|pair| (pair[0], pair[1]))
                .collect(),
        }
    }
}

/// Returns the sizes of the components whose labels are own states, by these states.
fn sizes(part: &Part, labels: &ComponentLabels, net: &mut Net<'_>) -> HashMap<u32, u64> {
    let mut own: HashMap<u64, u64> = HashMap::new();
    for label in labels.iter().flatten() {
        *own.entry(label).or_default() += 1;
    }
    let mut outbox = net.outbox();
    for (label, count) in own {
        let (owner, state) = part.ranges().place_of(label);
        outbox.push(net, owner, pair(state, count));
    }
    let mut sizes = HashMap::new();
    for (_, message) in net.exchange(outbox) {
        *sizes.entry(message[0]).or_default() += wide(message);
    }
    sizes
}
