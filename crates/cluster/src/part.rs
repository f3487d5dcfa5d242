//! [`Part`]: the part of a model that a worker holds, that is, the choices of the states that it
//! owns.

use crate::Error;
use crate::net::{Inbox, Net};
use crate::ranges::{MAX_PER_WORKER, Ranges};
use mdp_graph::{ChoiceId, Deadlocks, MdpGraph, StateId};
use std::ops::Range;

/// The part of a model that one worker holds.
///
/// The states of its graph are first the states that the worker owns, by their numbers within its
/// range, and then its *ghosts*: the states of other workers to which its choices lead, each once,
/// in ascending order, and without choices. The owner of a state knows its *copies*: the workers
/// that have it as a ghost, and its number there.
#[derive(Debug)]
pub struct Part {
    ranges: Ranges,
    me: usize,
    own: u32,
    graph: MdpGraph,
    /// The number of each ghost at its owner.
    ghosts: Vec<u32>,
    /// The first ghost that each worker owns.
    ghost_starts: Vec<u32>,
    copies: Copies,
    deadlocks: u64,
}

/// The copies of those own states that have copies.
#[derive(Debug, Default)]
struct Copies {
    /// The states, in ascending order.
    states: Vec<u32>,
    /// The index of the first copy of each of these states, followed by the number of copies.
    starts: Vec<u32>,
    /// The worker of each copy, and the number of the ghost there.
    copies: Vec<[u32; 2]>,
}

impl Part {
    /// Returns the ranges of all workers.
    #[must_use]
    pub fn ranges(&self) -> &Ranges {
        &self.ranges
    }

    /// Returns the worker that holds this part.
    #[must_use]
    pub fn owner(&self) -> usize {
        self.me
    }

    /// Returns the graph: own states, followed by ghosts.
    #[must_use]
    pub fn graph(&self) -> &MdpGraph {
        &self.graph
    }

    /// Returns the number of states that the worker owns.
    #[must_use]
    pub fn num_own(&self) -> usize {
        self.own as usize
    }

    /// Returns the number of ghosts.
    #[must_use]
    pub fn num_ghosts(&self) -> usize {
        self.ghosts.len()
    }

    /// Returns the number of own states that had no choice, before self-loops were added.
    #[must_use]
    pub fn deadlocks(&self) -> u64 {
        self.deadlocks
    }

    /// Returns the number of an own state in the whole model.
    #[must_use]
    pub fn global(&self, own: u32) -> u64 {
        self.ranges.start_of(self.me) + u64::from(own)
    }

    /// Returns the number of a state of the graph, own or ghost, in the whole model.
    #[must_use]
    pub fn global_of(&self, state: StateId) -> u64 {
        match self.ghost(state) {
            None => self.global(state.0),
            Some(ghost) => {
                let (owner, local) = self.owner_of(ghost);
                self.ranges.start_of(owner) + u64::from(local)
            }
        }
    }

    /// Returns the own states.
    pub(crate) fn states(&self) -> Range<u32> {
        0..self.own
    }

    /// Returns the choices of an own state.
    pub(crate) fn choices(&self, own: u32) -> impl ExactSizeIterator<Item = ChoiceId> + use<> {
        self.graph.choices(StateId(own))
    }

    /// Returns the own state of a choice.
    pub(crate) fn source(&self, choice: ChoiceId) -> u32 {
        let ends = &self.graph.choice_offsets()[1..=self.num_own()];
        ends.partition_point(|&end| end <= choice.0) as u32
    }

    /// Returns the index of the ghost that a target is; `None` if it is an own state.
    pub(crate) fn ghost(&self, target: StateId) -> Option<u32> {
        target.0.checked_sub(self.own)
    }

    /// Returns the owner of a ghost, and the number of the state there.
    pub(crate) fn owner_of(&self, ghost: u32) -> (usize, u32) {
        let owner = self.ghost_starts.partition_point(|&start| start <= ghost) - 1;
        (owner, self.ghosts[ghost as usize])
    }

    /// Returns the workers that have an own state as a ghost, and its number there.
    pub(crate) fn copies(&self, own: u32) -> &[[u32; 2]] {
        match self.copies.states.binary_search(&own) {
            Ok(place) => self.copies.of(place),
            Err(_) => &[],
        }
    }

    /// Returns the own states that have copies, in ascending order, with their copies.
    pub(crate) fn all_copies(&self) -> impl Iterator<Item = (u32, &[[u32; 2]])> {
        let states = self.copies.states.iter().enumerate();
        states.map(|(place, &own)| (own, self.copies.of(place)))
    }
}

impl Copies {
    fn of(&self, place: usize) -> &[[u32; 2]] {
        let (start, end) = (self.starts[place], self.starts[place + 1]);
        &self.copies[start as usize..end as usize]
    }

    /// Makes the copies from messages, each of which has an own state and the number of the ghost
    /// at the sender.
    fn new(inbox: Inbox<[u32; 2]>) -> Self {
        let mut all: Vec<[u32; 3]> = inbox
            .into_iter()
            .map(|(worker, [state, ghost])| [state, worker as u32, ghost])
            .collect();
        all.sort_unstable();
        let mut copies = Self::default();
        for (i, [state, worker, ghost]) in all.into_iter().enumerate() {
            if copies.states.last() != Some(&state) {
                copies.states.push(state);
                copies.starts.push(i as u32);
            }
            copies.copies.push([worker, ghost]);
        }
        copies.starts.push(copies.copies.len() as u32);
        copies
    }
}

/// Collects the choices of a worker's states.
#[derive(Debug)]
pub struct PartBuilder {
    ranges: Ranges,
    me: usize,
    deadlocks: Deadlocks,
    found_deadlocks: u64,
    first_deadlock: Option<u64>,
    choice_offsets: Vec<u32>,
    branch_offsets: Vec<u32>,
    /// The targets: local numbers for own states, and [`ELSEWHERE`] for all others.
    targets: Vec<u32>,
    /// The global numbers of the targets that other workers own, in their order.
    elsewhere: Vec<u64>,
    /// Whether there were more choices or branches than offsets can count.
    has_overflowed: bool,
}

/// The mark of a target that another worker owns.
const ELSEWHERE: u32 = u32::MAX;

impl PartBuilder {
    /// Makes a builder for the states of worker `me`. `deadlocks` determines the treatment of
    /// states without a choice.
    #[must_use]
    pub fn new(ranges: Ranges, me: usize, deadlocks: Deadlocks) -> Self {
        Self {
            ranges,
            me,
            deadlocks,
            found_deadlocks: 0,
            first_deadlock: None,
            choice_offsets: vec![0],
            branch_offsets: vec![0],
            targets: Vec::new(),
            elsewhere: Vec::new(),
            has_overflowed: false,
        }
    }

    /// Adds a choice of an own state, which must not be before the state of the last choice. The
    /// targets are global numbers without duplicates; there is at least one.
    pub fn push_choice(&mut self, own: u32, targets: impl IntoIterator<Item = u64>) {
        self.end_states_before(own);
        let start = self.ranges.start_of(self.me);
        let end = start + self.ranges.len_of(self.me);
        for target in targets {
            if (start..end).contains(&target) {
                self.targets.push((target - start) as u32);
            } else {
                self.targets.push(ELSEWHERE);
                self.elsewhere.push(target);
            }
        }
        self.has_overflowed |= self.targets.len() >= u32::MAX as usize;
        self.branch_offsets.push(self.targets.len() as u32);
    }

    /// Ends the rows of the states before this one.
    fn end_states_before(&mut self, own: u32) {
        while (self.choice_offsets.len() as u64) <= u64::from(own) {
            self.end_state();
        }
    }

    fn end_state(&mut self) {
        let state = self.choice_offsets.len() as u32 - 1;
        let begin = self.choice_offsets[state as usize] as usize;
        if begin == self.branch_offsets.len() - 1 {
            self.found_deadlocks += 1;
            let number = self.ranges.start_of(self.me) + u64::from(state);
            self.first_deadlock.get_or_insert(number);
            if self.deadlocks == Deadlocks::SelfLoop {
                self.targets.push(state);
                self.branch_offsets.push(self.targets.len() as u32);
            }
        }
        self.choice_offsets
            .push(self.branch_offsets.len() as u32 - 1);
    }

    /// Makes the part. All workers must have added their choices before.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a worker has more states, ghosts, choices or branches than fit;
    /// [`Error::Deadlock`] if a state has no choice and this is an error. All workers return the
    /// same error.
    ///
    /// # Panics
    /// If a target is not a state.
    pub fn finish(mut self, net: &mut Net<'_>) -> Result<Part, Error> {
        let own = self.ranges.len_of(self.me);
        // A choice after the last state would be a bug of the caller; a range that is too large is
        // refused.
        if own <= MAX_PER_WORKER {
            while (self.choice_offsets.len() as u64) <= own {
                self.end_state();
            }
        }
        let mut known = std::mem::take(&mut self.elsewhere);
        let order = known.clone();
        known.sort_unstable();
        known.dedup();
        let is_too_large = self.has_overflowed
            || self.branch_offsets.len() >= u32::MAX as usize
            || own + known.len() as u64 > MAX_PER_WORKER;
        if let Some(worker) = net
            .gather(u64::from(is_too_large))
            .iter()
            .position(|&is| is == 1)
        {
            return Err(Error::TooLarge { worker });
        }
        let first = net.gather(self.first_deadlock.unwrap_or(u64::MAX));
        let first = first.into_iter().min().filter(|&state| state != u64::MAX);
        if let (Deadlocks::Refuse, Some(state)) = (self.deadlocks, first) {
            return Err(Error::Deadlock { state });
        }
        self.number_ghosts(&known, &order);
        Ok(self.join(&known, net))
    }

    /// Replaces the targets that other workers own by the numbers of ghosts.
    fn number_ghosts(&mut self, known: &[u64], order: &[u64]) {
        let own = self.ranges.len_of(self.me) as u32;
        let marks = self
            .targets
            .iter_mut()
            .filter(|target| **target == ELSEWHERE);
        for (target, state) in marks.zip(order) {
            *target = own + known.partition_point(|other| other < state) as u32;
        }
    }

    /// Notifies the owners of ghosts, and makes the part.
    fn join(mut self, known: &[u64], net: &mut Net<'_>) -> Part {
        let (mut ghosts, mut ghost_starts) = (Vec::with_capacity(known.len()), Vec::new());
        let mut outbox = net.outbox();
        for (ghost, &state) in known.iter().enumerate() {
            let (owner, local) = self.ranges.place_of(state);
            // A worker that owns no ghosts begins where the next one does.
            ghost_starts.resize(ghost_starts.len().max(owner + 1), ghost as u32);
            ghosts.push(local);
            outbox.push(net, owner, [local, ghost as u32]);
        }
        ghost_starts.resize(self.ranges.workers() + 1, known.len() as u32);
        let copies = Copies::new(net.exchange(outbox));
        let last = self.branch_offsets.len() as u32 - 1;
        let own = self.ranges.len_of(self.me) as u32;
        self.choice_offsets
            .resize(own as usize + known.len() + 1, last);
        let targets = self.targets.into_iter().map(StateId).collect();
        let graph = MdpGraph::from_parts(self.choice_offsets, self.branch_offsets, targets);
        Part {
            me: self.me,
            ranges: self.ranges,
            own,
            graph: graph.expect("each choice has targets, which are states"),
            ghosts,
            ghost_starts,
            copies,
            deadlocks: self.found_deadlocks,
        }
    }
}

/// Makes the part of worker `net.me()` of a graph. This worker has the whole graph. `first` is the
/// number of its first state.
///
/// # Errors
/// As [`PartBuilder::finish`].
pub fn part_of(graph: &MdpGraph, first: u64, net: &mut Net<'_>) -> Result<Part, Error> {
    let ranges = Ranges::even(first, graph.num_states() as u64, net.workers());
    let me = net.me();
    let (start, len) = (ranges.start_of(me) - first, ranges.len_of(me));
    let mut builder = PartBuilder::new(ranges, me, Deadlocks::Keep);
    for own in 0..len as u32 {
        for choice in graph.choices(StateId(start as u32 + own)) {
            let targets = graph.targets(choice).iter();
            builder.push_choice(own, targets.map(|target| first + u64::from(target.0)));
        }
    }
    builder.finish(net)
}
