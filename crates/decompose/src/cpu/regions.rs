//! Maximal end components on all threads. Each of them lies in one strongly connected component
//! (SCC) of the states that are not decided. These SCCs are *regions*, which are searched
//! independently.
//!
//! A choice *splits* a region if it has a target in the region of its state, and one outside it. A
//! region that no choice splits is a MEC: the edges that connect it belong to choices that stay.
//! [`mod@super::mec`] searches each of the other regions. The states of a region have their own
//! range of numbers, so the number of a state tells whether it is in the region. States of other
//! regions count as closed.

use super::decided::Decided;
use super::edges::GraphRows;
use super::lockstep;
use super::mec::{self, Doubtful, Frame, MecSearch, Model, PATIENCE, Region, UNVISITED};
use super::shared_region;
use super::strategy::SharedLimits;
use super::threads;
use super::ticker::{Ticker, Watch};
use crate::Error;
use crate::sample::EdgeSample;
use mdp_graph::{
    ComponentId, Components, MdpGraph, Partition, SharedBits, StateId, Table, ascending,
};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// The number of states in a task; small regions share a task.
const TASK: usize = 1 << 11;

/// The number of states in a task that does little work per state.
const PIECE: usize = 1 << 14;

/// Returns the mark of the MEC of each state, or [`Components::NONE`]. `sccs`: the SCCs of the
/// states that are not decided. Returns `None` if one thread would have to search a region of more
/// than `most` states.
pub(super) fn mecs(
    rows: GraphRows<'_>,
    decided: &Decided,
    sccs: Partition,
    most: usize,
    shared: Option<SharedLimits>,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Table<u32>>, Error> {
    let GraphRows { graph, .. } = rows;
    let (mut index, mut next_mec) = decided.marks();
    let sccs = Components::from_scc_marks(graph, sccs);
    let mut regions = Regions::new(graph, &sccs, decided);
    if regions.largest_split() > most {
        return Ok(None);
    }
    let by_state = next_mec;
    let shared = shared.filter(|_| regions.can_share(graph.num_states(), next_mec));
    if shared.is_some() {
        next_mec -= graph.num_states() as u32;
        regions.spread = 2;
    }
    let states = regions.enter(&sccs, next_mec, &mut index);
    drop(sccs);
    if regions.split.is_empty() {
        return Ok(Some(index));
    }
    let starts = mec::starts(graph);
    let model = Model::new(rows, &starts, &mut index);
    let watch = Watch::new(ticker, graph.num_states() - states.len());
    let mut parts = Vec::new();
    let mut path = Table::new(states.len());
    let mut open = Table::new(states.len());
    if let Some(limits) = shared {
        let ascends = EdgeSample::of(graph).leads_backward();
        let room = (&mut *path, &mut *open);
        parts = regions.search_shared(model, by_state, limits, ascends, room, &watch)?;
    }
    let tasks = regions.tasks(&states, &mut path, &mut open);
    let found = tasks.into_par_iter().with_max_len(1);
    let found = found.map(|task| task.search(model, next_mec, shared, &watch));
    for left in found.collect::<Result<Vec<_>, _>>()? {
        parts.extend(left.parts);
        for (region, doubtful) in left.doubtful {
            let range = regions.range(region);
            let numbers = regions.shared_numbers(region, by_state);
            let room = (&mut path[range.clone()], &mut open[range]);
            let left = shared_region::again(model, numbers, &doubtful, room, &watch)?;
            parts.extend(left);
        }
    }
    if !parts.is_empty() {
        let region = Region::all(next_mec - states.len() as u32);
        let mut search = MecSearch::new(model, region, &mut path, &mut open);
        search.num_closed = graph.num_states();
        search.put_back_closed(parts);
        lockstep::close_rest(graph, &mut search, ticker)?;
    }
    Ok(Some(index))
}

/// Returns whether a choice splits a component.
pub(super) fn is_split(graph: &MdpGraph, component: &SharedBits) -> bool {
    let words = (0..component.num_words()).into_par_iter();
    let splits = |state| {
        let mut choices = graph.choices(StateId(state));
        choices.any(|choice| only_some_have(graph.targets(choice), |to| component.contains(to.0)))
    };
    words
        .with_min_len(PIECE / 64)
        .any(|word| ascending(word, component.word(word)).any(splits))
}

/// Returns whether some of the targets have a property, and some do not.
pub(super) fn only_some_have(targets: &[StateId], has: impl Fn(StateId) -> bool) -> bool {
    let mut all = targets.iter().map(|&to| has(to));
    let first = all.next();
    all.any(|other| Some(other) != first)
}

/// The components that are regions, and the range of numbers of each.
struct Regions {
    /// For each component of the graph, its place in `starts`, or [`Components::NONE`].
    of_component: Table<u32>,
    /// The start of each region, and the end of the last one.
    starts: Vec<u32>,
    /// The regions that a choice splits.
    split: SharedBits,
    /// How many numbers for open states a region has for each of its states: two if parts of it may
    /// be searched at the same time.
    spread: u32,
    /// The number of closed states of each region that all threads have searched.
    num_closed: HashMap<usize, usize>,
}

impl Regions {
    /// Makes a region of each component, except for decided components and states that are on no
    /// cycle.
    fn new(graph: &MdpGraph, sccs: &Components, decided: &Decided) -> Self {
        let mut of_component = Table::new(sccs.len());
        let mut starts = vec![0];
        let mut end = 0;
        for (scc, region) in sccs.ids().zip(of_component.iter_mut()) {
            if sccs.is_trivial(scc) || decided.states.contains(sccs.smallest(scc).0) {
                *region = Components::NONE;
                continue;
            }
            *region = starts.len() as u32 - 1;
            end += sccs.size(scc);
            starts.push(end);
        }
        let split = SharedBits::new(starts.len());
        let regions = Self {
            of_component,
            starts,
            split,
            spread: 1,
            num_closed: HashMap::new(),
        };
        regions.each_state(sccs, |state, region| {
            if !regions.is_split(region) {
                let own = sccs.component(state);
                let stays = |to| sccs.component(to) == own;
                let splits = |choice| only_some_have(graph.targets(choice), stays);
                if graph.choices(state).any(splits) {
                    regions.split.insert(region as u32);
                }
            }
        });
        regions
    }

    /// Visits the states of regions, on all threads.
    fn each_state(&self, sccs: &Components, visit: impl Fn(StateId, usize) + Sync) {
        let states = (0..sccs.num_states()).into_par_iter();
        states.with_min_len(PIECE).for_each(|state| {
            let state = StateId::from_index(state);
            if let Some(region) = self.of(sccs.component(state)) {
                visit(state, region);
            }
        });
    }

    fn of(&self, scc: Option<ComponentId>) -> Option<usize> {
        let region = self.of_component[scc?.index()];
        (region != Components::NONE).then_some(region as usize)
    }

    /// Returns whether a choice splits a region.
    fn is_split(&self, region: usize) -> bool {
        self.split.contains(region as u32)
    }

    /// Returns the number of states of the largest region that a choice splits.
    fn largest_split(&self) -> usize {
        let split = (0..self.starts.len() - 1).filter(|&region| self.is_split(region));
        let sizes = split.map(|region| self.starts[region + 1] - self.starts[region]);
        sizes.max().unwrap_or(0) as usize
    }

    /// Returns the regions that all threads search, one region after the other: those of at least
    /// so many states that other threads would wait for the one that searches it.
    fn to_share(&self, limits: SharedLimits) -> Vec<usize> {
        let all = self.starts.last().map_or(0, |&end| end as usize);
        let least = limits.states.max(all / threads::useful());
        let split = (0..self.starts.len() - 1).filter(|&region| self.is_split(region));
        split
            .filter(|&region| self.range(region).len() >= least)
            .collect()
    }

    /// Searches large regions on all threads. Returns the parts that must be searched in lockstep.
    fn search_shared(
        &mut self,
        model: Model<'_>,
        by_state: u32,
        limits: SharedLimits,
        ascends: bool,
        (path, open): (&mut [Frame], &mut [u32]),
        watch: &Watch<'_>,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let mut parts = Vec::new();
        for region in self.to_share(limits) {
            let range = self.range(region);
            let numbers = self.shared_numbers(region, by_state);
            let room = (&mut path[range.clone()], &mut open[range.clone()]);
            let size = range.len();
            let left = shared_region::search(model, numbers, size, limits, ascends, room, watch)?;
            parts.extend(left.parts);
            self.num_closed.insert(region, left.num_closed);
        }
        Ok(parts)
    }

    /// Returns whether there are enough numbers for searches by several threads.
    fn can_share(&self, num_states: usize, next_mec: u32) -> bool {
        let all = self.starts.last().map_or(0, |&end| end as usize);
        3 * all + self.starts.len() + num_states < next_mec as usize
    }

    fn range(&self, region: usize) -> Range<usize> {
        self.starts[region] as usize..self.starts[region + 1] as usize
    }

    fn numbers(&self, region: usize, next_mec: u32) -> Region {
        Region {
            unvisited: self.unvisited(region),
            span: self.spread * self.range(region).len() as u32,
            next_mec: self.first_mec(region, next_mec),
        }
    }

    /// Returns the numbers of a region whose MECs are marked by their states.
    fn shared_numbers(&self, region: usize, by_state: u32) -> Region {
        Region {
            next_mec: by_state,
            ..self.numbers(region, by_state)
        }
    }

    /// Returns the largest number of a MEC of a region. Each region has as many numbers for MECs as
    /// it has states.
    fn first_mec(&self, region: usize, next_mec: u32) -> u32 {
        next_mec - self.starts[region]
    }

    /// Returns the number of the unvisited states of a region.
    fn unvisited(&self, region: usize) -> u32 {
        self.spread * self.starts[region] + region as u32
    }

    /// Gives each state that is not decided its initial number, or its final number if no choice
    /// splits its region. Returns the states of the regions that must be searched.
    fn enter(&self, sccs: &Components, next_mec: u32, index: &mut Table<u32>) -> Table<u32> {
        let mut next = Table::from(self.starts.clone());
        let mut states: Table<u32> = Table::new(self.starts.last().map_or(0, |&end| end as usize));
        let (next, slots) = (next.as_atomics(), states.as_atomics());
        let enter = |(piece, numbers): (usize, &mut [u32])| {
            let mut found = Vec::new();
            for (state, number) in (piece * PIECE..).zip(numbers) {
                if *number != UNVISITED {
                    continue;
                }
                *number = match self.of(sccs.component(StateId::from_index(state))) {
                    None => Components::NONE,
                    Some(region) if self.is_split(region) => {
                        found.push((region, state as u32));
                        self.unvisited(region)
                    }
                    Some(region) => self.first_mec(region, next_mec),
                };
            }
            // States are placed in batches, because threads would wait for one another if each
            // state of a large region took its place separately.
            found.sort_by_key(|&(region, _)| region);
            for of_region in found.chunk_by(|(a, _), (b, _)| a == b) {
                let first = next[of_region[0].0].fetch_add(of_region.len() as u32, Relaxed);
                for (slot, &(_, state)) in slots[first as usize..].iter().zip(of_region) {
                    slot.store(state, Relaxed);
                }
            }
        };
        index.par_chunks_mut(PIECE).enumerate().for_each(enter);
        states
    }

    /// Divides consecutive regions into tasks of a useful size.
    fn tasks<'a>(
        &'a self,
        mut states: &'a [u32],
        mut path: &'a mut [Frame],
        mut open: &'a mut [u32],
    ) -> Vec<Task<'a>> {
        let mut tasks = Vec::new();
        let mut first = 0;
        for last in 1..self.starts.len() {
            let len = (self.starts[last] - self.starts[first]) as usize;
            if len < TASK && last + 1 < self.starts.len() {
                continue;
            }
            tasks.push(Task {
                regions: self,
                first,
                last,
                states: states.split_off(..len).unwrap_or_default(),
                path: path.split_off_mut(..len).unwrap_or_default(),
                open: open.split_off_mut(..len).unwrap_or_default(),
            });
            first = last;
        }
        tasks
    }
}

/// Consecutive regions that one thread searches.
struct Task<'a> {
    regions: &'a Regions,
    first: usize,
    last: usize,
    states: &'a [u32],
    path: &'a mut [Frame],
    open: &'a mut [u32],
}

/// What a task leaves.
#[derive(Default)]
struct Unfinished {
    /// The parts that are still in doubt when repeated searches take too long.
    parts: Vec<Vec<u32>>,
    /// Parts of regions that several threads are to search again.
    doubtful: Vec<(usize, Doubtful)>,
}

impl Task<'_> {
    /// Searches the regions.
    fn search(
        self,
        model: Model<'_>,
        next_mec: u32,
        shared: Option<SharedLimits>,
        watch: &Watch<'_>,
    ) -> Result<Unfinished, Error> {
        let quiet = watch.quiet();
        let mut ticker = Ticker::new(&quiet, self.states.len());
        let mut left = Unfinished::default();
        let mut roots = Vec::new();
        let mut num_closed = 0;
        let begin = self.regions.starts[self.first] as usize;
        let searched = (self.first..self.last).filter(|&region| self.regions.is_split(region));
        for number in searched {
            let range = self.regions.range(number);
            let states = &self.states[range.start - begin..range.end - begin];
            let region = self.regions.numbers(number, next_mec);
            roots.clear();
            match self.regions.num_closed.get(&number) {
                None => roots.extend_from_slice(states),
                Some(closed) => {
                    num_closed += closed;
                    let is_left = |state: &&u32| {
                        model.index[**state as usize].load(Relaxed) == region.unvisited
                    };
                    roots.extend(states.iter().filter(is_left));
                }
            }
            // The roots are in descending order, as in a search of the whole model.
            roots.par_sort_unstable_by(|a, b| b.cmp(a));
            let mut search = MecSearch::new(model, region, &mut *self.path, &mut *self.open);
            // All other regions count as closed.
            search.num_closed = 1;
            search.visit(&roots, &mut ticker)?;
            if shared.is_some_and(|limits| search.doubtful.are_many(limits)) {
                num_closed += search.doubtful.states.len();
                left.doubtful.push((number, search.doubtful));
                continue;
            }
            let branches: usize = roots.iter().map(|&state| search.branches_of(state)).sum();
            if !search.again(PATIENCE * (roots.len() + branches), &mut ticker)? {
                left.parts.extend(search.take_parts());
            }
        }
        watch.add(self.states.len() - num_closed);
        Ok(left)
    }
}
