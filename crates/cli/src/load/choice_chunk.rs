//! The chunks of a model that threads read. They are joined to a graph and, if needed, to lists of
//! actions and probabilities.

use crate::model::Construction;
use crate::model::choices::{ChoiceFacts, Details};
use crate::model::intervals::Room;
use mdp_graph::{
    BuildError, Built, Chunk, ChunkBuilder, Deadlocks, MdpGraph, OutOfMemory, StateId, assemble,
    check_room,
};
use std::collections::HashMap;

/// The choices of a range of states.
pub(super) struct ChoiceChunk {
    builder: ChunkBuilder,
    details: Option<ChunkDetails>,
    /// The number of bytes that details needed and that were not available, if any.
    missing: Option<u64>,
    /// The branches of the current choice, if some of their targets are equal.
    merged: Vec<(u32, f64)>,
    /// The branches of the current choice of an interval model, with both bounds.
    bounded: Vec<(u32, f64, f64)>,
    /// The number of branches that nature cannot take, which were left out.
    impossible: u64,
}

#[derive(Default)]
struct ChunkDetails {
    names: Names,
    /// The state, and the action, of each choice.
    states: Vec<u32>,
    actions: Vec<u32>,
    values: Vec<f64>,
    /// The lower bounds of intervals. The values are then the upper bounds.
    lower: Option<Vec<f64>>,
}

impl ChunkDetails {
    /// Returns whether there is room for one more choice of this many branches.
    #[inline]
    fn has_room(&self, branches: usize) -> bool {
        self.states.len() < self.states.capacity()
            && self.actions.len() < self.actions.capacity()
            && self.values.len() + branches <= self.values.capacity()
            && self.names.has_room()
            && (self.lower.as_ref()).is_none_or(|lower| lower.len() + branches <= lower.capacity())
    }

    /// Makes room for more choices, of which the next has this many branches. Returns whether there
    /// is enough memory.
    #[cold]
    fn grow(&mut self, branches: usize) -> bool {
        self.states.try_reserve(1).is_ok()
            && self.actions.try_reserve(1).is_ok()
            && self.values.try_reserve(branches).is_ok()
            && (self.lower.as_mut()).is_none_or(|lower| lower.try_reserve(branches).is_ok())
            && self.names.grow()
    }

    fn bytes(&self) -> u64 {
        (size_of_val(&*self.states) + size_of_val(&*self.actions) + size_of_val(&*self.values))
            as u64
    }
}

impl ChoiceChunk {
    /// Makes room for this many branches, with or without details.
    pub(super) fn new(branches: usize, detailed: bool) -> Self {
        Self {
            builder: ChunkBuilder::with_capacity(branches),
            details: detailed.then(ChunkDetails::default),
            missing: None,
            merged: Vec::new(),
            bounded: Vec::new(),
            impossible: 0,
        }
    }

    /// Makes room for an interval model. Its bounds are always kept, because edges depend on them.
    pub(super) fn of_intervals(branches: usize) -> Self {
        let mut chunk = Self::new(branches, true);
        chunk.details = Some(ChunkDetails {
            lower: Some(Vec::new()),
            ..ChunkDetails::default()
        });
        chunk
    }

    /// Adds a choice, whose targets are all different and whose values are above 0.
    #[inline]
    pub(super) fn choice(
        &mut self,
        state: u32,
        action: Option<&str>,
        targets: &[u32],
        values: &[f64],
    ) {
        self.builder
            .push_choice(StateId(state), StateId::cast_slice(targets));
        if let Some(details) = &mut self.details {
            if self.missing.is_some() {
                return;
            }
            if !details.has_room(values.len()) && !details.grow(values.len()) {
                self.missing = Some(details.bytes() + 8 * values.len() as u64);
                // These details are incomplete and of no use, so their memory is freed.
                (details.states, details.actions, details.values) = Default::default();
                return;
            }
            details.states.push(state);
            details.actions.push(details.names.number(action));
            details.values.extend_from_slice(values);
        }
    }

    /// Adds a choice. Branches with the same target are merged, and then all branches are sorted.
    pub(super) fn choice_of_any(
        &mut self,
        state: u32,
        action: Option<&str>,
        targets: &[u32],
        values: &[f64],
    ) {
        if are_distinct(targets) {
            return self.choice(state, action, targets, values);
        }
        self.merged.clear();
        self.merged
            .extend(targets.iter().copied().zip(values.iter().copied()));
        // The sort is stable, so values are added in their order.
        self.merged.sort_by_key(|&(target, _)| target);
        self.merged.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 += later.1;
            }
            same
        });
        if self.merged.len() == targets.len() {
            return self.choice(state, action, targets, values);
        }
        let (targets, values): (Vec<u32>, Vec<f64>) = self.merged.iter().copied().unzip();
        self.choice(state, action, &targets, &values);
    }

    /// Adds a choice of an interval model. First, the bounds of branches with the same target are
    /// added, as for other choices. Then branches that nature cannot take are left out. Returns the
    /// targets of the others if any branch was left out.
    pub(super) fn choice_of_intervals(
        &mut self,
        state: u32,
        action: Option<&str>,
        targets: &[u32],
        [lower, upper]: [&[f64]; 2],
    ) -> Option<Vec<u32>> {
        let room = Room::of(lower.iter().copied());
        let mut bounds = lower.iter().zip(upper);
        if are_distinct(targets) && bounds.all(|(&l, &u)| room.is_possible(l, u)) {
            self.choice(state, action, targets, upper);
            self.keep_lower(lower.iter().copied());
            return None;
        }
        self.choice_of_possible(state, action, targets, [lower, upper])
    }

    /// Does the same as [`choice_of_intervals`](Self::choice_of_intervals) for a choice whose
    /// branches change.
    fn choice_of_possible(
        &mut self,
        state: u32,
        action: Option<&str>,
        targets: &[u32],
        [lower, upper]: [&[f64]; 2],
    ) -> Option<Vec<u32>> {
        let mut bounded = std::mem::take(&mut self.bounded);
        let bounds = lower.iter().zip(upper);
        bounded.clear();
        bounded.extend(
            targets
                .iter()
                .zip(bounds)
                .map(|(&target, (&l, &u))| (target, l, u)),
        );
        if !are_distinct(targets) {
            merge(&mut bounded);
        }
        let room = Room::of(bounded.iter().map(|branch| branch.1));
        let all = bounded.len();
        bounded.retain(|&(_, lower, upper)| room.is_possible(lower, upper));
        let gone = all - bounded.len();
        self.impossible += gone as u64;
        let targets: Vec<u32> = bounded.iter().map(|branch| branch.0).collect();
        let upper: Vec<f64> = bounded.iter().map(|branch| branch.2).collect();
        self.choice(state, action, &targets, &upper);
        self.keep_lower(bounded.iter().map(|branch| branch.1));
        self.bounded = bounded;
        (gone > 0).then_some(targets)
    }

    /// Keeps the lower bounds of the last choice.
    fn keep_lower(&mut self, lower: impl Iterator<Item = f64>) {
        let kept = self.details.as_mut().filter(|_| self.missing.is_none());
        if let Some(all) = kept.and_then(|details| details.lower.as_mut()) {
            all.extend(lower);
        }
    }
}

/// Sorts branches by their targets and merges those with the same target. Changes nothing if all
/// targets are different.
fn merge(branches: &mut Vec<(u32, f64, f64)>) {
    let mut merged = branches.clone();
    merged.sort_by_key(|branch| branch.0);
    merged.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 += later.1;
            first.2 += later.2;
        }
        same
    });
    if merged.len() < branches.len() {
        *branches = merged;
    }
}

/// Returns whether a small number of targets are all different; false for a large number.
fn are_distinct(targets: &[u32]) -> bool {
    /// Up to this number, comparing targets with each other is faster than sorting them.
    const FEW: usize = 12;
    let is_new = |(i, target): (usize, &u32)| !targets[..i].contains(target);
    targets.len() <= FEW && targets.iter().enumerate().all(is_new)
}

/// The result of joining chunks.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) graph: MdpGraph,
    /// Among the dropped branches are so far only those that nature cannot take.
    pub(super) construction: Construction,
    /// The details, and the lower bounds of an interval model.
    pub(super) choices: ChoiceFacts,
}

/// Joins chunks, whose states are in ascending order.
pub(super) fn join(
    num_states: u32,
    chunks: Vec<ChoiceChunk>,
    deadlocks: Deadlocks,
) -> Result<Joined, BuildError> {
    let impossible = chunks.iter().map(|chunk| chunk.impossible).sum();
    let mut rows: Vec<Chunk> = Vec::with_capacity(chunks.len());
    let mut details = Vec::with_capacity(chunks.len());
    if let Some(bytes) = chunks.iter().find_map(|chunk| chunk.missing) {
        let what = "the values that a thread read";
        return Err(OutOfMemory { bytes, what }.into());
    }
    for chunk in chunks {
        rows.push(chunk.builder.finish());
        details.extend(chunk.details);
    }
    let detailed = details.len() == rows.len();
    let Built {
        graph, deadlocks, ..
    } = assemble(num_states, rows, deadlocks)?;
    let mut choices = ChoiceFacts::default();
    if detailed {
        let has_bounds = details.iter().any(|chunk| chunk.lower.is_some());
        let names = details.iter().map(|chunk| chunk.names.bytes()).sum();
        check_details(&graph, has_bounds, names)?;
        let mut lower = has_bounds.then(Vec::new);
        choices.details = Some(join_details(details, &graph, lower.as_mut()));
        choices.lower_bounds = lower;
    }
    Ok(Joined {
        graph,
        construction: Construction {
            deadlocks,
            dropped_branches: impossible,
            ..Construction::default()
        },
        choices,
    })
}

/// Checks whether there is room for the details of a graph, whose names take this many bytes.
pub(super) fn check_details(
    graph: &MdpGraph,
    has_bounds: bool,
    names: usize,
) -> Result<(), OutOfMemory> {
    let values = 8 * graph.num_branches();
    let bounds = if has_bounds { values } else { 0 };
    let tables = [values, bounds, 4 * graph.num_choices(), names];
    check_room("the values of branches", &tables)
}

/// Returns the details of all chunks. The lower bounds of intervals go to `lower`.
fn join_details(
    chunks: Vec<ChunkDetails>,
    graph: &MdpGraph,
    mut lower: Option<&mut Vec<f64>>,
) -> Details {
    let mut names = Names::default();
    let mut all = Details {
        values: Vec::with_capacity(graph.num_branches()),
        actions: Vec::with_capacity(graph.num_choices()),
        ..Details::default()
    };
    for chunk in chunks {
        let renumbered: Vec<u32> = chunk
            .names
            .list
            .iter()
            .map(|n| names.number(Some(n)))
            .collect();
        let mut values = chunk.values.as_slice();
        let lower_of_chunk = chunk.lower.unwrap_or_default();
        let mut bounds = lower_of_chunk.as_slice();
        for (&state, &action) in chunk.states.iter().zip(&chunk.actions) {
            all.fill(graph, state);
            let before = all.values.len();
            all.push(graph, renumbered[action as usize], &mut values);
            if let Some(lower) = &mut lower {
                // The self-loops of deadlocks are certain.
                lower.resize(before, 1.0);
                let (own, rest) = bounds.split_at(all.values.len() - before);
                lower.extend_from_slice(own);
                bounds = rest;
            }
        }
    }
    all.fill(graph, graph.num_states() as u32);
    if let Some(lower) = lower {
        lower.resize(all.values.len(), 1.0);
    }
    all.names = names.list;
    all
}

impl Details {
    /// Appends the next choice, whose values come first in `values`.
    fn push(&mut self, graph: &MdpGraph, action: u32, values: &mut &[f64]) {
        let [start, end] = [0, 1].map(|i| graph.branch_offsets()[self.actions.len() + i]);
        let (own, rest) = values.split_at((end - start) as usize);
        self.actions.push(action);
        self.values.extend_from_slice(own);
        *values = rest;
    }

    /// Appends the self-loops that deadlocks below `state` were given. They are the graph's next
    /// choices.
    fn fill(&mut self, graph: &MdpGraph, state: u32) {
        let before = graph.choice_offsets()[state as usize] as usize;
        while self.actions.len() < before {
            self.push(graph, 0, &mut [1.0].as_slice());
        }
    }
}

/// Names, numbered in the order of their first occurrences. The first is the empty name.
pub(super) struct Names {
    pub(super) list: Vec<String>,
    numbers: HashMap<String, u32>,
    /// The last name. Consecutive choices often have the same action.
    last: u32,
    /// Up to this number of names, there was room.
    room: usize,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            list: vec![String::new()],
            numbers: HashMap::from([(String::new(), 0)]),
            last: 0,
            room: 0,
        }
    }
}

impl Names {
    #[inline]
    fn has_room(&self) -> bool {
        self.list.len() < self.room
    }

    /// Makes room for more names, and for what is small. Returns whether there is enough memory.
    fn grow(&mut self) -> bool {
        /// So many names of actions are small.
        const SOME: usize = 1 << 10;
        self.room = self.list.len() + SOME;
        self.list.try_reserve(SOME).is_ok()
            && self.numbers.try_reserve(SOME).is_ok()
            && check_room("what is small", &[]).is_ok()
    }

    /// Returns about how many bytes the names take.
    pub(super) fn bytes(&self) -> usize {
        self.list.iter().map(|name| Self::bytes_of(name)).sum()
    }

    /// Returns about how many bytes a name takes, which is in memory twice.
    pub(super) fn bytes_of(name: &str) -> usize {
        2 * (name.len() + 32 + size_of::<(String, String, u32)>())
    }

    pub(super) fn number(&mut self, name: Option<&str>) -> u32 {
        let name = name.unwrap_or_default();
        if self.list[self.last as usize] != name {
            self.last = match self.numbers.get(name) {
                Some(&number) => number,
                None => {
                    let number = self.list.len() as u32;
                    self.list.push(name.to_owned());
                    self.numbers.insert(name.to_owned(), number);
                    number
                }
            };
        }
        self.last
    }
}

#[cfg(test)]
mod tests;
