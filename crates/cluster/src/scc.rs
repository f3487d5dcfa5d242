//! Strongly connected components over all workers.

use crate::Labels;
use crate::colour;
use crate::error::{Error, agree};
use crate::live::Live;
use crate::names::{keep_smaller, smallest};
use crate::net::Net;
use crate::outline::{Outline, Verdict};
use crate::part::Part;
use crate::peel::Peel;
use crate::progress::Progress;
use crate::reach::component_of_pivot;
use crate::skeleton::Skeleton;
use mdp_graph::ComponentKind;
use std::collections::HashMap;

/// The strongly connected components of the model that the workers hold together.
///
/// # Errors
/// [`Error::Decompose`] if a worker cannot decompose its part; all workers end then.
pub fn scc(part: &Part, net: &mut Net<'_>) -> Result<Labels, Error> {
    let mut labels = Labels::none(part);
    let mut live = Live::all(part);
    let entries = live.entries(part, net);
    let outline = Outline::new(part, &live, &entries, ComponentKind::Scc, net);
    drop(entries);
    for (state, verdict) in agree(net, outline)?.verdicts() {
        if let Verdict::In(smallest) = verdict {
            labels.set(state, part.global(smallest));
            live.states.remove(state as usize);
        }
    }
    let open = Sccs::new(part, &live, net)?;
    let names = open.names(part, net);
    for (state, node) in open.skeleton.states() {
        labels.set(state, names[&open.of_nodes[node as usize]]);
    }
    Ok(labels)
}

/// How much is undecided, of all workers, if this one has so much. Whoever observes is told.
pub(crate) fn undecided(own: u64, net: &mut Net<'_>) -> u64 {
    let sums = net.sums(&[own, net.bytes_sent()]);
    net.tell(&Progress::Decomposing {
        undecided: sums[0],
        bytes_sent: sums[1],
    });
    sums[0]
}

/// The SCCs of the undecided states.
pub(crate) struct Sccs {
    pub(crate) skeleton: Skeleton,
    /// For each node the number of a state of its SCC, the same for all nodes of an SCC.
    pub(crate) of_nodes: Vec<u64>,
}

impl Sccs {
    /// Finds them: peels to a fixpoint, finds the SCC of a pivot, which is often by far the
    /// largest, and colours what is left, round by round.
    pub(crate) fn new(part: &Part, live: &Live, net: &mut Net<'_>) -> Result<Self, Error> {
        let entries = live.entries(part, net);
        let skeleton = Skeleton::new(part, live, &entries, net);
        let skeleton = agree(net, skeleton)?;
        let own = |node| part.global(skeleton.smallest(node));
        let mut of_nodes: Vec<u64> = (0..skeleton.len()).map(own).collect();
        let mut peel = Peel::new(part, &skeleton, &entries, net);
        drop(entries);
        peel.settle(net);
        if let Some((pivot, nodes)) = component_of_pivot(part, &skeleton, &peel, net) {
            for node in nodes {
                of_nodes[node as usize] = pivot;
                peel.remove(node, net);
            }
            peel.settle(net);
        }
        while undecided(peel.num_left(), net) > 0 {
            for (node, component) in colour::components(part, &skeleton, &peel, net) {
                of_nodes[node as usize] = component;
                peel.remove(node, net);
            }
            peel.settle(net);
        }
        Ok(Self { skeleton, of_nodes })
    }

    /// The smallest state of each SCC that this worker has states of.
    pub(crate) fn names(&self, part: &Part, net: &mut Net<'_>) -> HashMap<u64, u64> {
        let mut own = HashMap::new();
        for (node, &component) in self.of_nodes.iter().enumerate() {
            let state = part.global(self.skeleton.smallest(node as u32));
            keep_smaller(&mut own, component, state);
        }
        smallest(part, &own, net)
    }
}
