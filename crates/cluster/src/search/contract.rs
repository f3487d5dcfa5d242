//! [`Contracted`]: the undecided states of a part, in which each end component of the part alone is
//! one node, in a form that can be sent to one worker.
//!
//! If choices that stay in a set of states connect it strongly, the set is within one MEC of the
//! model. So contracting it to one node merges no two MECs. The choices that stay become one choice
//! that leads back to the node. From other choices, the targets in the node are left out, because
//! every MEC that contains a state of the node contains the whole node.

use super::gather::{self, Nodes, Rows};
use super::live::Live;
use super::local::{NONE, nodes};
use super::room::has_memory;
use crate::answer::ComponentLabels;
use crate::error::{Error, agree};
use crate::net::Net;
use crate::part::Part;
use mdp_graph::{ComponentKind, MdpGraph, StateId};
use std::collections::HashSet;

/// The undecided states of a part and their nodes.
pub(super) struct Contracted<'a> {
    part: &'a Part,
    live: &'a Live,
    /// The undecided own states, node by node, and the end of the states of each node.
    states: Vec<u32>,
    ends: Vec<u32>,
    /// The node of each own state, or [`NONE`].
    node: Vec<u32>,
    /// Whether each node is an end component, of one or more states.
    is_component: Vec<bool>,
}

impl<'a> Contracted<'a> {
    /// Finds the end components of the undecided states of the part alone.
    pub(super) fn new(part: &'a Part, live: &'a Live, net: &mut Net<'_>) -> Result<Self, Error> {
        let states: Vec<u32> = live.states(part).collect();
        let mut node = nodes(part, &states);
        let inner = inner_graph(part, live, &states, &node);
        let found = net.compute.decompose(&inner, ComponentKind::Mec);
        drop(inner);
        let found = agree(net, found.map_err(Error::from))?;
        // Nodes are in the order of their smallest states.
        let mut of_component = vec![NONE; found.len()];
        let mut is_component = Vec::new();
        for (place, &state) in states.iter().enumerate() {
            let component = found.component(StateId::from_index(place));
            let known = component.map_or(NONE, |component| of_component[component.index()]);
            if known == NONE {
                let new = is_component.len() as u32;
                is_component.push(component.is_some());
                component
                    .into_iter()
                    .for_each(|component| of_component[component.index()] = new);
                node[state as usize] = new;
            } else {
                node[state as usize] = known;
            }
        }
        let (states, ends) = by_nodes(&states, &node, is_component.len());
        Ok(Self {
            part,
            live,
            states,
            ends,
            node,
            is_component,
        })
    }

    fn len(&self) -> usize {
        self.is_component.len()
    }

    /// Returns the states of a node, in ascending order.
    fn states(&self, node: usize) -> &[u32] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.states[start as usize..self.ends[node] as usize]
    }

    /// Decides all states on one worker, if the size of the rest is at most `room`. Returns whether
    /// it did.
    pub(super) fn decide(
        &self,
        room: u64,
        labels: &mut ComponentLabels,
        net: &mut Net<'_>,
    ) -> Result<bool, Error> {
        let nodes = Nodes::number(self.len() as u64, net);
        let Some(nodes) = nodes.filter(|nodes| nodes.count() <= room) else {
            return Ok(false);
        };
        let of_ghosts = self.of_ghosts(&nodes, net);
        let rows = self.rows(&of_ghosts, &nodes, room);
        let size = rows
            .as_ref()
            .map_or(room + 1, |rows| rows.words.len() as u64);
        // Each worker's size is limited to a share of the room, so the sum cannot overflow.
        let sum = net.sum(size);
        let fits = sum <= room;
        let Some(rows) = rows.filter(|_| fits) else {
            return Ok(false);
        };
        if net.sum((net.me() == 0 && !has_memory(sum)).into()) > 0 {
            return Ok(false);
        }
        let names = gather::decompose(rows, &nodes, ComponentKind::Mec, net)?;
        for (node, name) in names.into_iter().enumerate() {
            if name != gather::NONE {
                for &state in self.states(node) {
                    labels.set(state, name);
                }
            }
        }
        Ok(true)
    }

    /// Returns the node of each ghost, as a number among the nodes of all workers, or [`NONE`] if
    /// the ghost is decided.
    fn of_ghosts(&self, nodes: &Nodes, net: &mut Net<'_>) -> Vec<u32> {
        let mut outbox = net.outbox();
        for (own, copies) in self.part.all_copies() {
            let node = self.node[own as usize];
            if node != NONE {
                for &[worker, ghost] in copies {
                    outbox.push(net, worker as usize, [ghost, nodes.first + node]);
                }
            }
        }
        let mut of_ghosts = vec![NONE; self.part.num_ghosts()];
        for (_, [ghost, node]) in net.exchange::<[u32; 2]>(outbox) {
            of_ghosts[ghost as usize] = node;
        }
        of_ghosts
    }

    /// Returns the nodes in the form in which they are sent; `None` if their size is more than
    /// `room`.
    fn rows(&self, of_ghosts: &[u32], nodes: &Nodes, room: u64) -> Option<Rows> {
        let mut rows = Rows::default();
        let mut seen: HashSet<Vec<u32>> = HashSet::new();
        for node in 0..self.len() {
            let states = self.states(node);
            rows.smallest.push(self.part.global(states[0]));
            let own = nodes.first + node as u32;
            let count = rows.words.len();
            rows.words.push(0);
            if self.is_component[node] {
                rows.words[count] = 1;
                rows.words.extend([1, own]);
            }
            seen.clear();
            for &state in states {
                for choice in self.live.choices(self.part, state) {
                    let targets = self.part.graph().targets(choice);
                    let Some(targets) = self.targets(targets, own, of_ghosts, nodes) else {
                        continue;
                    };
                    if targets.is_empty() || seen.contains(&targets) {
                        continue;
                    }
                    rows.words[count] += 1;
                    rows.words.push(targets.len() as u32);
                    rows.words.extend(&targets);
                    if states.len() > 1 {
                        seen.insert(targets);
                    }
                }
                if rows.words.len() as u64 > room {
                    return None;
                }
            }
        }
        Some(rows)
    }

    /// Returns the targets of a choice of a node, as nodes, without that node itself; `None` if the
    /// choice may lead to a decided state.
    fn targets(
        &self,
        targets: &[StateId],
        own: u32,
        of_ghosts: &[u32],
        nodes: &Nodes,
    ) -> Option<Vec<u32>> {
        let mut found = Vec::with_capacity(targets.len());
        for &target in targets {
            let node = match self.part.ghost(target) {
                Some(ghost) => of_ghosts[ghost as usize],
                None => match self.node[target.index()] {
                    NONE => NONE,
                    node => nodes.first + node,
                },
            };
            match node {
                NONE => return None,
                node if node != own => found.push(node),
                _ => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }
}

/// Sorts states by their nodes, of which there are `nodes`. Returns the states, and the end of
/// those of each node.
fn by_nodes(states: &[u32], node: &[u32], nodes: usize) -> (Vec<u32>, Vec<u32>) {
    let mut places = vec![0u32; nodes];
    for &state in states {
        places[node[state as usize] as usize] += 1;
    }
    let mut start = 0;
    for place in &mut places {
        start += std::mem::replace(place, start);
    }
    let mut sorted = vec![0; states.len()];
    for &state in states {
        let place = &mut places[node[state as usize] as usize];
        sorted[*place as usize] = state;
        *place += 1;
    }
    (sorted, places)
}

/// Returns the choices of undecided states that stay among these.
fn inner_graph(part: &Part, live: &Live, states: &[u32], place: &[u32]) -> MdpGraph {
    let (mut choice_offsets, mut branch_offsets) = (vec![0], vec![0]);
    let mut targets = Vec::new();
    for &state in states {
        for choice in live.choices(part, state) {
            let own = part.graph().targets(choice);
            let is_in =
                |target: &StateId| part.ghost(*target).is_none() && place[target.index()] != NONE;
            if own.iter().all(is_in) {
                targets.extend(own.iter().map(|target| StateId(place[target.index()])));
                branch_offsets.push(targets.len() as u32);
            }
        }
        choice_offsets.push(branch_offsets.len() as u32 - 1);
    }
    MdpGraph::from_parts(choice_offsets, branch_offsets, targets)
        .expect("each choice has targets, which are states")
}
