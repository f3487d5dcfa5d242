//! Strongly connected components by Tarjan's textbook algorithm, without recursion: visit indices,
//! low links and a stack with a membership test ("Tar" in the papers' tables). It searches any
//! subgraph, which the basic MEC algorithm needs.
//!
//! It shares no code with [`super::pearce`], so that tests can compare the two.

use super::ticker::Ticker;
use crate::Error;
use mdp_graph::{BitSet, ChoiceId, Components, MdpGraph, OutOfMemory, StateId};

/// Some states and choices of a graph.
pub(crate) trait Subgraph {
    fn has_state(&self, state: StateId) -> bool;
    fn has_choice(&self, choice: ChoiceId) -> bool;
}

/// All of a graph.
pub(crate) struct Everything;

impl Subgraph for Everything {
    fn has_state(&self, _: StateId) -> bool {
        true
    }

    fn has_choice(&self, _: ChoiceId) -> bool {
        true
    }
}

const UNVISITED: u32 = u32::MAX;

/// Returns, for each state of `subgraph`, the smallest visit index in its component, and for all
/// other states [`Components::NONE`]. Edges to states outside of it are ignored.
pub(crate) fn sccs<S: Subgraph>(
    graph: &MdpGraph,
    subgraph: &S,
    ticker: &mut Ticker<'_>,
) -> Result<Vec<u32>, Error> {
    let n = graph.num_states();
    let mut search = Tarjan {
        index: vec![UNVISITED; n],
        low_link: vec![0; n],
        on_stack: vec![false; n],
        stack: Vec::with_capacity(n),
        next_index: 0,
        component: vec![Components::NONE; n],
    };
    let mut path = Path(Vec::new());
    for root in graph.states().filter(|&state| subgraph.has_state(state)) {
        if search.index[root.index()] != UNVISITED {
            continue;
        }
        search.enter(root);
        path.push(root, successors(graph, subgraph, root))?;
        while let Some((state, targets)) = path.0.last_mut() {
            let state = *state;
            let Some(target) = targets.next() else {
                ticker.tick(|| search.next_index as usize)?;
                search.leave(state);
                path.0.pop();
                if let Some((parent, _)) = path.0.last() {
                    search.lower(*parent, search.low_link[state.index()]);
                }
                continue;
            };
            if search.index[target.index()] == UNVISITED {
                search.enter(target);
                path.push(target, successors(graph, subgraph, target))?;
            } else if search.on_stack[target.index()] {
                search.lower(state, search.index[target.index()]);
            }
        }
    }
    Ok(search.component)
}

/// The states whose visits have begun, with their remaining targets.
struct Path<T>(Vec<(StateId, T)>);

impl<T> Path<T> {
    fn push(&mut self, state: StateId, targets: T) -> Result<(), Error> {
        // A path may be as long as the graph, and the vector doubles its capacity.
        self.0.try_reserve(1).map_err(|_| OutOfMemory {
            bytes: 2 * size_of_val(&*self.0) as u64,
            what: "the path of the search",
        })?;
        self.0.push((state, targets));
        Ok(())
    }
}

/// Returns the targets in `subgraph` of the choices in `subgraph` of `state`.
fn successors<'a, S: Subgraph>(
    graph: &'a MdpGraph,
    subgraph: &'a S,
    state: StateId,
) -> impl Iterator<Item = StateId> + use<'a, S> {
    let choices = graph
        .choices(state)
        .filter(|&choice| subgraph.has_choice(choice));
    let targets = choices.flat_map(|choice| graph.targets(choice).iter().copied());
    targets.filter(|&target| subgraph.has_state(target))
}

struct Tarjan {
    index: Vec<u32>,
    low_link: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<StateId>,
    next_index: u32,
    component: Vec<u32>,
}

impl Tarjan {
    fn enter(&mut self, state: StateId) {
        self.index[state.index()] = self.next_index;
        self.low_link[state.index()] = self.next_index;
        self.next_index += 1;
        self.stack.push(state);
        self.on_stack[state.index()] = true;
    }

    fn lower(&mut self, state: StateId, low: u32) {
        let low_link = &mut self.low_link[state.index()];
        *low_link = low.min(*low_link);
    }

    /// Pops the component from the stack, if `state` is its first state.
    fn leave(&mut self, state: StateId) {
        let index = self.index[state.index()];
        if self.low_link[state.index()] != index {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.on_stack[member.index()] = false;
            self.component[member.index()] = index;
            if member == state {
                break;
            }
        }
    }
}

/// The live states and choices of a graph, as the sets of those that were removed.
pub(crate) struct Live {
    pub(crate) removed_states: BitSet,
    pub(crate) removed_choices: BitSet,
}

impl Subgraph for Live {
    fn has_state(&self, state: StateId) -> bool {
        !self.removed_states.contains(state.index())
    }

    fn has_choice(&self, choice: ChoiceId) -> bool {
        !self.removed_choices.contains(choice.index())
    }
}
