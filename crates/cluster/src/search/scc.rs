//! Strongly connected components over all workers.

mod colour;
mod reach;
mod trim;

use super::condensation::{Condensation, End};
use super::gather::{self, Nodes, Rows};
use super::live::Live;
use super::local::NONE;
use super::room::{EarlyEnd, Room, has_memory};
use super::smallest::{keep_smaller, smallest};
use super::sweeps::Swept;
use super::undecided::undecided;
use crate::answer::ComponentLabels;
use crate::error::{Error, agree};
use crate::net::Net;
use crate::part::Part;
use mdp_graph::{BitSet, ComponentKind};
use reach::component_of_pivot;
use std::collections::HashMap;
use trim::Trim;

/// The number of supersteps of trimming after which it is checked whether one worker can decompose
/// the rest.
const FEW: usize = 4;

/// Finds the strongly connected components of the model that the workers hold together.
///
/// # Errors
/// [`Error::Decompose`] if a worker cannot decompose its part. In this case, all workers end.
pub fn scc(part: &Part, net: &mut Net<'_>) -> Result<ComponentLabels, Error> {
    let room = Room::new(part, net);
    let swept = Swept::new(part, ComponentKind::Scc, net);
    let is_done = swept.is_done();
    let (live, mut labels) = (Live::but(part, &swept.closed), swept.labels);
    if is_done {
        return Ok(labels);
    }
    let open = Sccs::new(part, &live, &room, net)?;
    let names = open.names(part, net);
    for (state, node) in open.condensation.states() {
        labels.set(state, open.name(node, &names));
    }
    Ok(labels)
}

/// The SCCs of the undecided states.
pub(super) struct Sccs {
    pub(super) condensation: Condensation,
    /// For each node, the number of a state of its SCC, which is the same for all nodes of the SCC.
    pub(super) of_nodes: Vec<u64>,
    /// The nodes for which this may not be the smallest state.
    unnamed: BitSet,
}

impl Sccs {
    /// Finds the SCCs. First, nodes are trimmed. Once the rest fits on one worker, this worker
    /// finds its SCCs. Otherwise, nodes are trimmed to a fixpoint, then the SCC of a pivot is
    /// found, which is often by far the largest one, and then the remaining nodes are coloured,
    /// round by round.
    pub(super) fn new(
        part: &Part,
        live: &Live,
        room: &Room,
        net: &mut Net<'_>,
    ) -> Result<Self, Error> {
        let entries = live.entries(part, net);
        let condensation = Condensation::new(part, live, &entries, net);
        let condensation = agree(net, condensation)?;
        let own = |node| part.global(condensation.smallest(node));
        let mut of_nodes: Vec<u64> = (0..condensation.len()).map(own).collect();
        let mut unnamed = BitSet::new(condensation.len() as usize);
        let mut trim = Trim::new(part, &condensation, &entries, net);
        drop(entries);
        trim.settle(net, |supersteps, _| supersteps == FEW);
        let mut has_pivot = false;
        while undecided(trim.num_left(), net) > 0 {
            let size = net.sum(trim.size());
            let fits = size <= room.limit(net);
            if fits && gathered((part, &condensation), &trim, size, &mut of_nodes, net)? {
                break;
            }
            let mut early_end = EarlyEnd::new(room, size, net);
            if !trim.settle(net, |_, net| early_end.is_due(net)) {
                continue;
            }
            let found = match has_pivot {
                true => colour::components(part, &condensation, &trim, &mut early_end, net),
                false => component_of_pivot(part, &condensation, &trim, &mut early_end, net),
            };
            let Some(found) = found else {
                continue;
            };
            has_pivot = true;
            for (node, component) in found {
                of_nodes[node as usize] = component;
                unnamed.insert(node as usize);
                trim.remove(node, net);
            }
            trim.settle(net, |_, net| early_end.is_due(net));
        }
        Ok(Self {
            condensation,
            of_nodes,
            unnamed,
        })
    }

    /// Returns the smallest state of each SCC of which this worker has states, if it is not known
    /// yet.
    pub(super) fn names(&self, part: &Part, net: &mut Net<'_>) -> HashMap<u64, u64> {
        let mut own = HashMap::new();
        for (node, &component) in self.of_nodes.iter().enumerate() {
            if self.unnamed.contains(node) {
                let state = part.global(self.condensation.smallest(node as u32));
                keep_smaller(&mut own, component, state);
            }
        }
        smallest(part, &own, net)
    }

    /// Returns the smallest state of the SCC of a node.
    pub(super) fn name(&self, node: u32, names: &HashMap<u64, u64>) -> u64 {
        let component = self.of_nodes[node as usize];
        names.get(&component).copied().unwrap_or(component)
    }
}

/// Lets one worker find the SCCs of the remaining nodes, which have this size, if it has enough
/// memory. Returns whether it did.
fn gathered(
    (part, condensation): (&Part, &Condensation),
    trim: &Trim<'_>,
    size: u64,
    of_nodes: &mut [u64],
    net: &mut Net<'_>,
) -> Result<bool, Error> {
    if net.sum((net.me() == 0 && !has_memory(size)).into()) > 0 {
        return Ok(false);
    }
    let Some(nodes) = Nodes::number(trim.num_left(), net) else {
        return Ok(false);
    };
    let left = || (0..condensation.len()).filter(|&node| trim.is_left(node));
    let mut numbers = vec![NONE; condensation.len() as usize];
    let mut outbox = net.outbox();
    for (node, number) in left().zip(nodes.first..) {
        numbers[node as usize] = number;
        for &[worker, ghost] in condensation.copies(node) {
            outbox.push(net, worker as usize, [ghost, number]);
        }
    }
    let mut of_ghosts = vec![NONE; part.num_ghosts()];
    for (_, [ghost, number]) in net.exchange::<[u32; 2]>(outbox) {
        of_ghosts[ghost as usize] = number;
    }
    let mut rows = Rows::default();
    for node in left() {
        let number = |end| match end {
            End::Node(target) => numbers[target as usize],
            End::Ghost(ghost) => of_ghosts[ghost as usize],
        };
        let mut targets: Vec<u32> = condensation.out(node).map(number).collect();
        targets.retain(|&number| number != NONE);
        rows.push(part.global(condensation.smallest(node)), &targets);
    }
    let names = gather::decompose(rows, &nodes, ComponentKind::Scc, net)?;
    for (node, name) in left().zip(names) {
        of_nodes[node as usize] = name;
    }
    Ok(true)
}
