//! The graph from which a worker decides states alone: its undecided states, and one state for
//! everything outside.
//!
//! The outside may move to any state of the part to which other states lead. Every MEC of the model
//! that has states of the part is then within a MEC of this graph, and a MEC of this graph that
//! does not contain the outside is a MEC of the model. So a worker decides all of its states except
//! those in the component of the outside.

use super::live::Live;
use crate::Error;
use crate::net::Net;
use crate::part::Part;
use mdp_graph::{ComponentKind, Components, MdpGraph, StateId};

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// The result of a worker's decomposition of its part alone.
pub(super) struct LocalResult {
    /// The own states that were undecided, in ascending order.
    states: Vec<u32>,
    components: Components,
}

/// The result for a state.
pub(super) enum Verdict {
    /// The state is in a component whose smallest state is this own state.
    In(u32),
    /// The state is in no component.
    Dead,
    /// The state is in the component of the outside, or is not decided.
    Open,
}

impl LocalResult {
    /// Decomposes the undecided states of a part. Other workers have edges to `entries`, which are
    /// sorted.
    pub(super) fn new(
        part: &Part,
        live: &Live,
        entries: &[[u32; 3]],
        net: &mut Net<'_>,
    ) -> Result<Self, Error> {
        let states: Vec<u32> = live.states(part).collect();
        let mut entries: Vec<u32> = entries.iter().map(|entry| entry[0]).collect();
        entries.dedup();
        let graph = match live.is_all() {
            true => whole_graph(part, &entries),
            false => graph(part, live, &states, &entries),
        };
        Ok(Self {
            components: net.compute.decompose(&graph, ComponentKind::Mec)?,
            states,
        })
    }

    /// Returns all states that were undecided, with their results.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = (u32, Verdict)> {
        let component = |node: usize| self.components.component(StateId::from_index(node));
        let outside = component(self.states.len());
        self.states.iter().enumerate().map(move |(node, &state)| {
            let verdict = match component(node) {
                None => Verdict::Dead,
                own if own == outside => Verdict::Open,
                Some(own) => {
                    // Nodes are in the order of their states, and the outside is the last one.
                    let smallest = self.components.smallest(own);
                    Verdict::In(self.states[smallest.index()])
                }
            };
            (state, verdict)
        })
    }
}

/// Returns the graph of the undecided states, followed by the outside.
fn graph(part: &Part, live: &Live, states: &[u32], entries: &[u32]) -> MdpGraph {
    let nodes = nodes(part, states);
    let outside = StateId::from_index(states.len());
    let (mut choice_offsets, mut branch_offsets) = (vec![0], vec![0]);
    let mut targets = Vec::new();
    for &state in states {
        for choice in live.choices(part, state) {
            let begin = targets.len();
            let mut leaves = false;
            for &target in part.graph().targets(choice) {
                match part.ghost(target) {
                    Some(_) => leaves = true,
                    None => match nodes[target.index()] {
                        // Edges to states that are decided are left out: no path returns from an
                        // SCC that is known.
                        NONE => {}
                        node => targets.push(StateId(node)),
                    },
                }
            }
            if leaves {
                targets.push(outside);
            }
            if targets.len() > begin {
                branch_offsets.push(targets.len() as u32);
            }
        }
        choice_offsets.push(branch_offsets.len() as u32 - 1);
    }
    for &entry in entries
        .iter()
        .filter(|&&entry| nodes[entry as usize] != NONE)
    {
        targets.push(StateId(nodes[entry as usize]));
        branch_offsets.push(targets.len() as u32);
    }
    choice_offsets.push(branch_offsets.len() as u32 - 1);
    MdpGraph::from_parts(choice_offsets, branch_offsets, targets)
        .expect("each choice has targets, which are nodes")
}

/// Returns the same graph if all states are undecided and have all of their choices.
fn whole_graph(part: &Part, entries: &[u32]) -> MdpGraph {
    let (own, whole) = (part.num_own(), part.graph());
    let mut choice_offsets = whole.choice_offsets()[..=own].to_vec();
    let mut branch_offsets = Vec::with_capacity(whole.num_choices() + entries.len() + 1);
    branch_offsets.extend(whole.branch_offsets());
    let mut targets = Vec::with_capacity(whole.num_branches() + entries.len());
    let outside = StateId::from_index(own);
    targets.extend(
        whole
            .all_targets()
            .iter()
            .map(|&target| target.min(outside)),
    );
    for &entry in entries {
        targets.push(StateId(entry));
        branch_offsets.push(targets.len() as u32);
    }
    choice_offsets.push(branch_offsets.len() as u32 - 1);
    MdpGraph::from_parts(choice_offsets, branch_offsets, targets)
        .expect("each choice has targets, which are states or the outside")
}

/// Returns the index of each own state in `states`, or [`NONE`].
pub(super) fn nodes(part: &Part, states: &[u32]) -> Vec<u32> {
    let mut nodes = vec![NONE; part.num_own()];
    for (node, &state) in states.iter().enumerate() {
        nodes[state as usize] = node as u32;
    }
    nodes
}
