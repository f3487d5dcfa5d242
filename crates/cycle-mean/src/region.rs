//! The part of a graph that lies on cycles: the components that have cycles, one after another,
//! with only the edges inside them.

use crate::arc::{Arc, Narrow, Wide};
use crate::{Error, Problem};
use mdp_graph::{ComponentId, Components, Members, Objective, OutOfMemory, StateId, check_room};
use rayon::prelude::*;
use std::ops::Range;

/// The number of states that a thread copies at a time.
const BLOCK: usize = 1 << 13;

/// The components that have cycles.
pub(crate) struct Cyclic<'a> {
    pub(crate) components: Vec<Extent>,
    all: &'a Components,
    /// `None` if all states are in one component; then the place of a state is its number.
    order: Option<Order>,
}

/// The order of the states of each component.
struct Order {
    members: Members,
    /// The place of each state in its component.
    places: Vec<u32>,
}

impl Order {
    fn new(components: &Components, ids: &[ComponentId]) -> Result<Self, Error> {
        let states = components.num_states();
        check_room("the states inside components", &[4 * states, 4 * states])?;
        let members = components.members();
        let mut places = vec![0; states];
        for &id in ids {
            for (place, state) in members.states(id).iter().enumerate() {
                places[state.index()] = place as u32;
            }
        }
        Ok(Self { members, places })
    }
}

/// A component that has a cycle, and the sizes of its numbers.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) id: ComponentId,
    /// The number of states of the component.
    pub(crate) states: usize,
    /// The least and the greatest cost of an edge inside it.
    least: i128,
    greatest: i128,
    /// The longest time of an edge inside it.
    longest: u32,
}

impl Extent {
    /// Returns the number that is subtracted from each cost. It shifts means, but would not just
    /// shift ratios.
    pub(crate) fn shift(&self, problem: &Problem<'_>) -> i128 {
        match problem.times {
            None => self.least,
            Some(_) => 0,
        }
    }

    /// Returns the greatest difference of two costs. If costs cannot be shifted, it covers both
    /// signs of the greatest absolute cost.
    fn range(&self, problem: &Problem<'_>) -> u128 {
        match problem.times {
            None => self.greatest.abs_diff(self.least),
            Some(_) => 2 * self.greatest.unsigned_abs().max(self.least.unsigned_abs()),
        }
    }

    /// Checks that all numbers that are computed for this component fit 64 bits. If L is the sum of
    /// the times of a cycle, a scaled edge is at most L x range, L is at most states x longest, and
    /// no path has more edges than the component has states.
    fn check(&self, problem: &Problem<'_>) -> Result<(), Error> {
        let states = self.states as u128;
        let (range, longest) = (self.range(problem), u128::from(self.longest));
        let most = (states * states)
            .checked_mul(range)
            .and_then(|product| product.checked_mul(longest));
        match most {
            Some(most) if most < 1 << 63 => Ok(()),
            _ => Err(Error::Bound {
                states: self.states as u64,
                range,
                longest: problem.times.map(|_| self.longest),
            }),
        }
    }
}

impl<'a> Cyclic<'a> {
    /// Finds the components that have cycles, and checks the bound on their numbers.
    pub(crate) fn new(problem: &Problem<'_>, components: &'a Components) -> Result<Self, Error> {
        let ids: Vec<ComponentId> = components
            .ids()
            .filter(|&id| !components.is_trivial(id))
            .collect();
        let states = components.num_states();
        let order = match ids[..] {
            [id] if components.size(id) as usize == states => None,
            _ => Some(Order::new(components, &ids)?),
        };
        let extents = ids.into_par_iter().map(|id| {
            let extent = match &order {
                None => whole_extent(problem, id),
                Some(order) => extent(problem, components, id, order.members.states(id)),
            };
            extent.check(problem).map(|()| extent)
        });
        Ok(Self {
            components: extents.collect::<Result<_, _>>()?,
            all: components,
            order,
        })
    }

    /// Returns the state at a place of a component.
    pub(crate) fn state(&self, id: ComponentId, place: usize) -> StateId {
        match &self.order {
            None => StateId::from_index(place),
            Some(order) => order.members.states(id)[place],
        }
    }

    /// Returns a value for each state, from the values of the states of each component in the order
    /// of their places. States in no component that has a cycle get the default value.
    pub(crate) fn by_state<T: Copy + Default>(&self, mut by_place: Vec<Vec<T>>) -> Vec<T> {
        let Some(order) = &self.order else {
            return by_place.pop().unwrap_or_default();
        };
        let mut values = vec![T::default(); self.all.num_states()];
        for (extent, of_component) in self.components.iter().zip(by_place) {
            for (&state, value) in order.members.states(extent.id).iter().zip(of_component) {
                values[state.index()] = value;
            }
        }
        values
    }

    /// Returns all components, including those without a cycle.
    pub(crate) fn all(&self) -> &'a Components {
        self.all
    }

    /// Returns whether all numbers fit the narrow form of edges.
    pub(crate) fn is_narrow(&self, problem: &Problem<'_>) -> bool {
        let fits = |extent: &Extent| extent.range(problem) <= u128::from(u32::MAX);
        problem.times.is_none() && self.components.iter().all(fits)
    }

    /// Copies the edges inside the components.
    pub(crate) fn arcs<A: Copied>(&self, problem: &Problem<'_>) -> Result<Regions<A>, Error> {
        let graph = problem.graph;
        let states: usize = self.components.iter().map(|extent| extent.states).sum();
        let bytes = size_of::<A>() * graph.num_branches();
        check_room("the edges inside components", &[4 * (states + 1), bytes])?;
        let Some(order) = &self.order else {
            let whole = self.components.first();
            return Ok(whole.map_or_else(Regions::none, |whole| all_arcs(problem, whole)));
        };
        let mut regions = Regions::none();
        regions.offsets.reserve(states);
        for extent in &self.components {
            let shift = extent.shift(problem);
            let members = order.members.states(extent.id);
            let blocks: Vec<(Vec<u32>, Vec<A>)> = members
                .par_chunks(BLOCK)
                .map(|block| {
                    let (mut ends, mut arcs) = (Vec::with_capacity(block.len()), Vec::new());
                    for &state in block {
                        arcs.extend(inner(problem, self.all, extent.id, state).map(|branch| {
                            let target = graph.all_targets()[branch];
                            let cost = problem.cost(branch) - shift;
                            A::copied(order.places[target.index()], cost, problem.time(branch))
                        }));
                        ends.push(arcs.len() as u32);
                    }
                    (ends, arcs)
                })
                .collect();
            for (ends, arcs) in blocks {
                let base = regions.arcs.len() as u32;
                regions.offsets.extend(ends.iter().map(|end| base + end));
                regions.arcs.extend_from_slice(&arcs);
            }
            regions.starts.push(regions.offsets.len() - 1);
        }
        Ok(regions)
    }
}

/// Returns the edges of a graph that is one component: all branches, in their order.
fn all_arcs<A: Copied>(problem: &Problem<'_>, whole: &Extent) -> Regions<A> {
    let graph = problem.graph;
    let shift = whole.shift(problem);
    let copied = |(branch, &target): (usize, &StateId)| {
        A::copied(target.0, problem.cost(branch) - shift, problem.time(branch))
    };
    let first = |state: usize| graph.branch_range(StateId::from_index(state)).start as u32;
    let mut offsets: Vec<u32> = (0..whole.states).into_par_iter().map(first).collect();
    offsets.push(graph.num_branches() as u32);
    Regions {
        starts: vec![0, whole.states],
        offsets,
        arcs: graph
            .all_targets()
            .par_iter()
            .enumerate()
            .map(copied)
            .collect(),
    }
}

/// Returns the branches of `state` whose targets are in its component, by index.
pub(crate) fn inner<'a>(
    problem: &Problem<'a>,
    components: &'a Components,
    id: ComponentId,
    state: StateId,
) -> impl Iterator<Item = usize> + 'a {
    let graph = problem.graph;
    // If all states are in one component, targets need not be looked up.
    let is_whole = components.size(id) as usize == graph.num_states();
    let stays = move |&branch: &usize| {
        is_whole || components.component(graph.all_targets()[branch]) == Some(id)
    };
    graph.branch_range(state).filter(stays)
}

/// Computes the extent of a component.
fn extent(
    problem: &Problem<'_>,
    components: &Components,
    id: ComponentId,
    states: &[StateId],
) -> Extent {
    let empty = Extent {
        id,
        states: states.len(),
        least: i128::MAX,
        greatest: i128::MIN,
        longest: 0,
    };
    let add = |mut extent: Extent, &state: &StateId| {
        for branch in inner(problem, components, id, state) {
            let cost = problem.cost(branch);
            extent.least = extent.least.min(cost);
            extent.greatest = extent.greatest.max(cost);
            extent.longest = extent.longest.max(problem.time(branch));
        }
        extent
    };
    let join = |a: Extent, b: Extent| Extent {
        least: a.least.min(b.least),
        greatest: a.greatest.max(b.greatest),
        longest: a.longest.max(b.longest),
        ..a
    };
    match states.len() < BLOCK {
        true => states.iter().fold(empty, add),
        false => states
            .par_iter()
            .with_min_len(BLOCK)
            .fold(|| empty, add)
            .reduce(|| empty, join),
    }
}

/// Computes the extent of a component that is the whole graph. No target has to be looked up.
fn whole_extent(problem: &Problem<'_>, id: ComponentId) -> Extent {
    let weights = problem.weights.par_iter().with_min_len(BLOCK).copied();
    let ends = weights.map(|weight| (weight, weight));
    let (least, greatest) =
        ends.reduce(|| (i64::MAX, i64::MIN), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    let (least, greatest) = match problem.objective {
        Objective::Min => (i128::from(least), i128::from(greatest)),
        Objective::Max => (-i128::from(greatest), -i128::from(least)),
    };
    let times = problem.times.map(|times| times.par_iter().copied().max());
    Extent {
        id,
        states: problem.graph.num_states(),
        least,
        greatest,
        longest: times.map_or(1, Option::unwrap_or_default),
    }
}

/// An edge that can be made from numbers that are known to fit.
pub(crate) trait Copied: Arc {
    fn copied(target: u32, cost: i128, time: u32) -> Self;
}

impl Copied for Narrow {
    fn copied(target: u32, cost: i128, _: u32) -> Self {
        debug_assert!(u32::try_from(cost).is_ok());
        Self {
            target,
            weight: cost as u32,
        }
    }
}

impl Copied for Wide {
    fn copied(target: u32, cost: i128, time: u32) -> Self {
        debug_assert!(i64::try_from(cost).is_ok());
        Self {
            target,
            time,
            weight: cost as i64,
        }
    }
}

/// The edges inside all components that have cycles.
pub(crate) struct Regions<A> {
    /// The first state of each component, and the end of the last one.
    starts: Vec<usize>,
    /// The first edge of each state, and the end of the last one.
    offsets: Vec<u32>,
    arcs: Vec<A>,
}

impl<A> Regions<A> {
    /// Makes a collection without components.
    fn none() -> Self {
        Self {
            starts: vec![0],
            offsets: vec![0],
            arcs: Vec::new(),
        }
    }
}

impl<A: Arc> Regions<A> {
    /// Returns the number of components.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns a component with its edges.
    pub(crate) fn region(&self, component: usize) -> Region<'_, A> {
        let [start, end] = [0, 1].map(|i| self.starts[component + i]);
        Region {
            offsets: &self.offsets[start..=end],
            arcs: &self.arcs,
        }
    }
}

/// Access to all components at once, for devices.
#[cfg(feature = "gpu")]
impl<A: Arc> Regions<A> {
    /// Returns the number of the first state of a component, counted over all components.
    pub(crate) fn first(&self, component: usize) -> usize {
        self.starts[component]
    }

    /// Returns the numbers of the states of a component, counted over all components.
    pub(crate) fn states(&self, component: usize) -> Range<usize> {
        self.starts[component]..self.starts[component + 1]
    }

    /// Returns the first edge of each state, and the end of the last one.
    pub(crate) fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Returns the edges of all components.
    pub(crate) fn all_arcs(&self) -> &[A] {
        &self.arcs
    }
}

/// A strongly connected component that has a cycle, and the edges inside it. States are numbered
/// from 0 in the component, and edges over all components.
#[derive(Clone, Copy)]
pub(crate) struct Region<'a, A> {
    offsets: &'a [u32],
    arcs: &'a [A],
}

impl<A: Arc> Region<'_, A> {
    /// Returns the number of states.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the number of edges.
    pub(crate) fn num_arcs(&self) -> usize {
        self.all().len()
    }

    /// Returns all edges, by number.
    pub(crate) fn all(&self) -> Range<usize> {
        self.offsets[0] as usize..self.offsets[self.len()] as usize
    }

    /// Returns the edges that leave a state, by number.
    #[inline]
    pub(crate) fn row(&self, state: usize) -> Range<usize> {
        self.offsets[state] as usize..self.offsets[state + 1] as usize
    }

    /// Returns the edges that leave a state.
    #[inline]
    pub(crate) fn arcs(&self, state: usize) -> &[A] {
        &self.arcs[self.row(state)]
    }

    /// Returns an edge by its number.
    #[inline]
    pub(crate) fn arc(&self, arc: usize) -> A {
        self.arcs[arc]
    }

    /// Returns the longest time of an edge.
    pub(crate) fn longest(&self) -> i64 {
        self.all()
            .map(|arc| self.arc(arc).time())
            .max()
            .unwrap_or(1)
    }

    /// Groups the edges by their targets. `entry` makes the entry of an edge from its source and
    /// its number.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn transposed<T: Copy + Default>(
        &self,
        entry: impl Fn(u32, u32) -> T,
    ) -> Result<Transposed<T>, OutOfMemory> {
        let (states, edges) = (4 * (self.len() + 1), self.num_arcs() * size_of::<T>());
        check_room("the edges by their targets", &[states, states, edges])?;
        let mut offsets = vec![0u32; self.len() + 1];
        for arc in self.all() {
            offsets[self.arc(arc).target() + 1] += 1;
        }
        for state in 0..self.len() {
            offsets[state + 1] += offsets[state];
        }
        let mut next = offsets.clone();
        let mut entries = vec![T::default(); self.num_arcs()];
        for state in 0..self.len() {
            for arc in self.row(state) {
                let next = &mut next[self.arc(arc).target()];
                entries[*next as usize] = entry(state as u32, arc as u32);
                *next += 1;
            }
        }
        Ok(Transposed { offsets, entries })
    }
}

/// The edges of a component, grouped by their targets.
pub(crate) struct Transposed<T> {
    offsets: Vec<u32>,
    entries: Vec<T>,
}

impl<T> Transposed<T> {
    /// Returns the edges that enter a state.
    #[inline]
    pub(crate) fn row(&self, state: usize) -> &[T] {
        &self.entries[self.offsets[state] as usize..self.offsets[state + 1] as usize]
    }
}
