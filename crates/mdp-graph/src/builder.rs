//! Building graphs from chunks of choices that several threads gathered.
//!
//! A chunk holds the choices of consecutive states, in order. From the sizes of the chunks,
//! [`assemble`] knows the place of each chunk, so all chunks are copied at the same time.

use crate::build_error::check_count;
use crate::memory::check_rest;
use crate::{BuildError, MdpGraph, OutOfMemory, StateId, check_room};
use rayon::prelude::*;

/// How states without a choice are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadlocks {
    /// A self-loop is added, as in PRISM and Storm. So the state is an end component.
    #[default]
    SelfLoop,
    /// The state stays without a choice. It is in no end component.
    Keep,
    /// The model is refused.
    Refuse,
}

/// A graph, and what was done to build it.
#[derive(Clone, Debug)]
pub struct Built {
    /// The graph.
    pub graph: MdpGraph,
    /// The number of states that had no choice, before self-loops were added.
    pub deadlocks: u64,
}

/// The states of a chunk that have choices, and how many.
#[derive(Clone, Copy, Debug)]
struct Source {
    state: StateId,
    choices: u32,
}

/// The choices of a run of states.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    sources: Vec<Source>,
    /// The number of targets of each choice.
    choice_sizes: Vec<u32>,
    targets: Vec<StateId>,
    /// The memory that was needed for a choice and could not be had, in bytes. That choice, and
    /// those after it, are not kept.
    missing: Option<u64>,
}

impl Chunk {
    /// Returns whether there is room for one more choice of this many branches.
    #[inline]
    fn has_room(&self, branches: usize) -> bool {
        self.sources.len() < self.sources.capacity()
            && self.choice_sizes.len() < self.choice_sizes.capacity()
            && self.targets.len() + branches <= self.targets.capacity()
    }

    /// Makes room for more choices, the next of which has this many branches. Returns whether there
    /// is memory for them; if not, no more choices are kept.
    #[cold]
    fn grow(&mut self, branches: usize) -> bool {
        let grown = self.missing.is_none()
            && self.sources.try_reserve(1).is_ok()
            && self.choice_sizes.try_reserve(1).is_ok()
            && self.targets.try_reserve(branches).is_ok()
            && check_rest().is_ok();
        if !grown && self.missing.is_none() {
            let bytes = size_of_val(&*self.sources)
                + size_of_val(&*self.choice_sizes)
                + size_of_val(&*self.targets);
            self.missing = Some((bytes + 4 * (branches + 1)) as u64);
            // The chunk is not needed any more, and others need its memory.
            (self.sources, self.choice_sizes, self.targets) = Default::default();
        }
        grown
    }
}

/// Builds one chunk, choice by choice, in ascending order of states.
#[derive(Clone, Debug, Default)]
pub struct ChunkBuilder {
    chunk: Chunk,
}

impl ChunkBuilder {
    /// Returns a builder with room for `branches` branches.
    pub fn with_capacity(branches: usize) -> Self {
        let mut builder = Self::default();
        // If so much memory is not available at once, less may be enough. A lack of memory is
        // noticed when choices are pushed.
        let _ = builder.chunk.targets.try_reserve(branches);
        builder
    }

    /// Appends a choice of `state`. Errors in it are reported by [`assemble`].
    #[inline]
    pub fn push_choice(&mut self, state: StateId, targets: &[StateId]) {
        let chunk = &mut self.chunk;
        if !chunk.has_room(targets.len()) && !chunk.grow(targets.len()) {
            return;
        }
        match chunk.sources.last_mut() {
            Some(source) if source.state == state => source.choices += 1,
            _ => chunk.sources.push(Source { state, choices: 1 }),
        }
        // A choice has fewer targets than there are branches, which `assemble` counts in u64.
        chunk
            .choice_sizes
            .push(u32::try_from(targets.len()).unwrap_or(u32::MAX));
        chunk.targets.extend_from_slice(targets);
    }

    /// Returns the chunk.
    pub fn finish(self) -> Chunk {
        self.chunk
    }
}

/// Joins `chunks`, whose states ascend from each to the next, into a graph of `num_states` states.
///
/// The memory of each chunk is freed as soon as it is copied.
///
/// # Errors
/// Every [`BuildError`] except [`BuildError::Offsets`]. If several states have errors, the first
/// state is reported. Counts are checked before memory is allocated.
pub fn assemble(
    num_states: u32,
    mut chunks: Vec<Chunk>,
    deadlocks: Deadlocks,
) -> Result<Built, BuildError> {
    if let Some(bytes) = chunks.iter().find_map(|chunk| chunk.missing) {
        let what = "the choices that a thread read";
        return Err(OutOfMemory { bytes, what }.into());
    }
    chunks.retain(|chunk| !chunk.sources.is_empty());
    check_sources(num_states, &chunks)?;
    let count = u64::from(num_states) - chunks.iter().map(|c| c.sources.len() as u64).sum::<u64>();
    if deadlocks == Deadlocks::Refuse && count > 0 {
        let first = first_deadlock(&chunks);
        return Err(BuildError::Deadlock { first, count });
    }
    let loops = if deadlocks == Deadlocks::SelfLoop {
        count
    } else {
        0
    };
    let total =
        |size: fn(&Chunk) -> usize| chunks.iter().map(|c| size(c) as u64).sum::<u64>() + loops;
    let num_choices = check_count("choices", total(|c| c.choice_sizes.len()))?;
    let num_branches = check_count("branches", total(|c| c.targets.len()))?;

    let lengths = [num_states as usize + 1, num_choices + 1, num_branches];
    check_room("the graph", &lengths.map(|length| 4 * length))?;
    let mut choice_offsets = vec![0; num_states as usize + 1];
    let mut branch_offsets = vec![0; num_choices + 1];
    let mut targets = vec![StateId(0); num_branches];
    choice_offsets[num_states as usize] = num_choices as u32;
    branch_offsets[num_choices] = num_branches as u32;
    let arrays = Arrays {
        choice_offsets: &mut choice_offsets,
        branch_offsets: &mut branch_offsets,
        targets: &mut targets,
    };
    slots(num_states, chunks, loops > 0, arrays)
        .into_par_iter()
        .try_for_each(|slot| slot.fill(num_states))?;
    Ok(Built {
        graph: MdpGraph::from_checked_parts(choice_offsets, branch_offsets, targets),
        deadlocks: count,
    })
}

/// Checks that states ascend, within chunks and from chunk to chunk, and exist.
fn check_sources(num_states: u32, chunks: &[Chunk]) -> Result<(), BuildError> {
    check_count("states", u64::from(num_states))?;
    let mut previous: Option<StateId> = None;
    for source in chunks.iter().flat_map(|c| &c.sources) {
        let state = source.state;
        if let Some(previous) = previous.filter(|&p| p >= state) {
            return Err(BuildError::StateOrder { state, previous });
        }
        if state.0 >= num_states {
            let states = num_states as usize;
            return Err(BuildError::StateOutOfRange { state, states });
        }
        previous = Some(state);
    }
    Ok(())
}

/// Returns the smallest state that is no source, if the sources ascend and leave one out.
fn first_deadlock(chunks: &[Chunk]) -> StateId {
    let sources = chunks.iter().flat_map(|c| &c.sources);
    let run = sources
        .enumerate()
        .take_while(|(i, source)| source.state.index() == *i);
    StateId::from_index(run.count())
}

/// Parts of the graph's arrays, without the end of the last row.
struct Arrays<'a> {
    /// The first choice of each state.
    choice_offsets: &'a mut [u32],
    /// The first branch of each choice.
    branch_offsets: &'a mut [u32],
    targets: &'a mut [StateId],
}

impl<'a> Arrays<'a> {
    /// Takes the parts of the first states, choices and branches away, and returns them.
    fn split_off(&mut self, states: usize, choices: usize, branches: usize) -> Arrays<'a> {
        Arrays {
            choice_offsets: self
                .choice_offsets
                .split_off_mut(..states)
                .unwrap_or_default(),
            branch_offsets: self
                .branch_offsets
                .split_off_mut(..choices)
                .unwrap_or_default(),
            targets: self.targets.split_off_mut(..branches).unwrap_or_default(),
        }
    }
}

/// A chunk, and the parts of the graph's arrays that it fills: those of the states from its
/// `first_state` up to the next chunk's.
struct Slot<'a> {
    chunk: Chunk,
    add_self_loops: bool,
    first_state: u32,
    first_choice: u32,
    first_branch: u32,
    arrays: Arrays<'a>,
}

/// Cuts the arrays into one slot for each chunk.
fn slots(
    num_states: u32,
    chunks: Vec<Chunk>,
    add_self_loops: bool,
    mut arrays: Arrays<'_>,
) -> Vec<Slot<'_>> {
    // The states before a chunk's first source belong to the chunk before it; those before the
    // very first source to the first chunk. Without any chunk, an empty one stands for all states.
    let chunks = if chunks.is_empty() {
        vec![Chunk::default()]
    } else {
        chunks
    };
    let starts: Vec<u32> = chunks
        .iter()
        .skip(1)
        .map(|c| c.sources[0].state.0)
        .collect();
    let (mut first_state, mut first_choice, mut first_branch) = (0, 0, 0);
    let mut slots = Vec::with_capacity(chunks.len());
    for (i, chunk) in chunks.into_iter().enumerate() {
        let end_state = starts.get(i).copied().unwrap_or(num_states);
        let states = (end_state - first_state) as usize;
        let loops = if add_self_loops {
            states - chunk.sources.len()
        } else {
            0
        };
        let choices = chunk.choice_sizes.len() + loops;
        let branches = chunk.targets.len() + loops;
        slots.push(Slot {
            chunk,
            add_self_loops,
            first_state,
            first_choice,
            first_branch,
            arrays: arrays.split_off(states, choices, branches),
        });
        first_state = end_state;
        first_choice += choices as u32;
        first_branch += branches as u32;
    }
    slots
}

impl Slot<'_> {
    /// Copies the chunk to its place, state by state.
    fn fill(self, num_states: u32) -> Result<(), BuildError> {
        let mut sources = self.chunk.sources.iter().peekable();
        // These are places in the chunk. Those in the graph differ by the self-loops added so far.
        let (mut read_choice, mut read_branch) = (0, 0);
        let (mut choice, mut branch) = (0, 0);
        for (i, offset) in self.arrays.choice_offsets.iter_mut().enumerate() {
            let state = StateId(self.first_state + i as u32);
            *offset = self.first_choice + choice as u32;
            let Some(source) = sources.next_if(|source| source.state == state) else {
                if self.add_self_loops {
                    self.arrays.branch_offsets[choice] = self.first_branch + branch as u32;
                    self.arrays.targets[branch] = state;
                    choice += 1;
                    branch += 1;
                }
                continue;
            };
            let first = branch;
            for _ in 0..source.choices {
                let size = self.chunk.choice_sizes[read_choice] as usize;
                if size == 0 {
                    return Err(BuildError::EmptyChoice { state });
                }
                self.arrays.branch_offsets[choice] = self.first_branch + branch as u32;
                read_choice += 1;
                choice += 1;
                branch += size;
            }
            let end = read_branch + (branch - first);
            let targets = &self.chunk.targets[read_branch..end];
            if let Some(&target) = targets.iter().find(|t| t.0 >= num_states) {
                let states = num_states as usize;
                return Err(BuildError::TargetOutOfRange {
                    state,
                    target,
                    states,
                });
            }
            self.arrays.targets[first..branch].copy_from_slice(targets);
            read_branch = end;
        }
        Ok(())
    }
}
