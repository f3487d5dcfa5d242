//! Maximal end components, looking again only where something was removed.
//!
//! ```text
//! part := the whole graph
//! loop: split part into SCCs
//!       an SCC whose choices all stay in it          is a MEC
//!       an SCC of one state with a choice that stays is a MEC
//!       part := the other SCCs of several states, without the choices that leave
//!       drain: remove states without a choice, then the choices that may lead to them, …
//! until part is empty
//! ```
//!
//! A MEC lies inside one SCC with its choices staying, so nothing removed belonged to one. Every
//! round removes a choice from each SCC that goes into the next, and costs time in proportion to
//! the part it looks at. The worst case is that of the basic algorithm, O(n m): one state leaves
//! in each round.

use super::pearce;
use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{BitSet, ChoiceTranspose, Components, MdpGraph, StateId, Subgraph};

/// For each state the mark of its MEC, or [`Components::NONE`].
pub(crate) fn mecs(graph: &MdpGraph, ticker: &mut Ticker<'_>) -> Result<Vec<u32>, Error> {
    let mut marks = vec![Components::NONE; graph.num_states()];
    let mut next = {
        let sccs = Sccs::new(graph, ticker)?;
        sccs.mark_mecs(graph, |state, smallest| marks[state.index()] = smallest.0);
        sccs.rest(graph)
    };
    while let Some(part) = next {
        let Some(Subgraph { graph, origin }) = drain(part) else {
            break;
        };
        let origin = |state: StateId| origin[state.index()];
        ticker.report(marks.len() - graph.num_states())?;
        let sccs = Sccs::new(&graph, ticker)?;
        sccs.mark_mecs(&graph, |state, smallest| {
            marks[origin(state).index()] = origin(smallest).0;
        });
        next = sccs.rest(&graph).map(|rest| Subgraph {
            origin: rest.origin.iter().map(|&state| origin(state)).collect(),
            graph: rest.graph,
        });
    }
    Ok(marks)
}

/// The SCCs of a graph, and which of them are MECs.
struct Sccs {
    /// For each state its component.
    component: Vec<u32>,
    /// For each component its smallest state.
    smallest: Vec<StateId>,
    /// The components of several states.
    several: BitSet,
    /// The components that are MECs.
    mec: BitSet,
}

impl Sccs {
    fn new(graph: &MdpGraph, ticker: &mut Ticker<'_>) -> Result<Self, Error> {
        let mut component = pearce::sccs(graph, ticker)?;
        let lowest = component.iter().copied().min().unwrap_or(u32::MAX);
        let count = (u32::MAX - lowest) as usize;
        let mut sccs = Self {
            component: Vec::new(),
            smallest: vec![StateId(u32::MAX); count],
            several: BitSet::new(count),
            mec: BitSet::new(count),
        };
        for (state, component) in component.iter_mut().enumerate() {
            *component -= lowest;
            let smallest = &mut sccs.smallest[*component as usize];
            if *smallest == StateId(u32::MAX) {
                *smallest = StateId::from_index(state);
            } else {
                sccs.several.insert(*component as usize);
            }
        }
        sccs.component = component;
        sccs.find_mecs(graph);
        Ok(sccs)
    }

    /// A component of several states is a MEC if no choice leaves it; one of a single state if
    /// some choice stays.
    fn find_mecs(&mut self, graph: &MdpGraph) {
        let mut leaves = BitSet::new(self.smallest.len());
        for state in graph.states() {
            let component = self.component[state.index()] as usize;
            let stays = |choice| self.stays(graph, component, choice);
            if !self.several.contains(component) {
                if graph.choices(state).any(stays) {
                    self.mec.insert(component);
                }
            } else if !leaves.contains(component) && !graph.choices(state).all(stays) {
                leaves.insert(component);
            }
        }
        for component in 0..self.smallest.len() {
            if self.several.contains(component) && !leaves.contains(component) {
                self.mec.insert(component);
            }
        }
    }

    #[inline]
    fn stays(&self, graph: &MdpGraph, component: usize, choice: mdp_graph::ChoiceId) -> bool {
        let mut targets = graph.targets(choice).iter();
        targets.all(|target| self.component[target.index()] as usize == component)
    }

    /// Calls `mark` with each state that is in a MEC, and that MEC's smallest state.
    fn mark_mecs(&self, graph: &MdpGraph, mut mark: impl FnMut(StateId, StateId)) {
        for state in graph.states() {
            let component = self.component[state.index()] as usize;
            if self.mec.contains(component) {
                mark(state, self.smallest[component]);
            }
        }
    }

    /// The components that are to be looked at again, without the choices that leave them.
    fn rest(&self, graph: &MdpGraph) -> Option<Subgraph> {
        let open =
            |component: usize| self.several.contains(component) && !self.mec.contains(component);
        if !(0..self.smallest.len()).any(open) {
            return None;
        }
        let component = |state: StateId| self.component[state.index()] as usize;
        Some(Subgraph::new(
            graph,
            |state| open(component(state)),
            |state, choice| self.stays(graph, component(state), choice),
        ))
    }
}

/// Removes the states without a choice, the choices that may lead to them, the states that are
/// then without a choice, and so on. What is left, if anything.
fn drain(part: Subgraph) -> Option<Subgraph> {
    let graph = &part.graph;
    let mut dead: Vec<StateId> = graph.states().filter(|&s| graph.is_deadlock(s)).collect();
    if dead.is_empty() {
        return Some(part);
    }
    let incoming = ChoiceTranspose::new(graph);
    let mut live_choices: Vec<u32> = graph
        .states()
        .map(|s| graph.choices(s).len() as u32)
        .collect();
    let mut source = Vec::with_capacity(graph.num_choices());
    for state in graph.states() {
        source.extend(graph.choices(state).map(|_| state));
    }
    let mut killed = BitSet::new(graph.num_choices());
    let mut num_dead = 0;
    while let Some(state) = dead.pop() {
        num_dead += 1;
        for choice in incoming.choices_into(state) {
            if killed.insert(choice.index()) {
                let source = source[choice.index()];
                let live = &mut live_choices[source.index()];
                *live -= 1;
                if *live == 0 {
                    dead.push(source);
                }
            }
        }
    }
    if num_dead == graph.num_states() {
        return None;
    }
    let rest = Subgraph::new(
        graph,
        |state| live_choices[state.index()] > 0,
        |_, choice| !killed.contains(choice.index()),
    );
    Some(Subgraph {
        origin: rest
            .origin
            .iter()
            .map(|state| part.origin[state.index()])
            .collect(),
        graph: rest.graph,
    })
}
