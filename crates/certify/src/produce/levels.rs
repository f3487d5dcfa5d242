//! Finds the end of an order by sweeps: [`mod@super::singles`] places single states, and [`giant`]
//! places large components.
//!
//! There are few positions, so they take a byte per state. Often the certificate is then complete;
//! otherwise the searches continue from there.

use super::answer::Answer;
use super::giant::{self, Edges, StateNumbers};
use super::rows::Rows;
use super::shape::Shape;
use super::singles::Singles;
use crate::Certificate;
use mdp_graph::{BitSet, ComponentId, ComponentKind, SharedBits, StateId, Table, ascending};
use rayon::prelude::*;

/// A giant component has at least one of this many states.
const GIANT: usize = 8;

/// All positions are less than this.
const END: u32 = u8::MAX as u32 + 1;

/// Returns a certificate, if sweeps find all of it; otherwise the states that they have placed.
pub(super) fn by_sweeps(
    answer: Answer<'_>,
    rows: Rows<'_>,
    shape: Shape,
) -> Result<Certificate, Box<Levels>> {
    let Answer {
        graph, components, ..
    } = answer;
    let states = graph.num_states();
    let is_one = components.len() == 1 && components.num_member_states() == states;
    if is_one && (shape.has_far_edges || shape.has_backward_edges) {
        let members = BitSet::from_fn(states, |_| true);
        let numbers = giant::state_numbers(&members, &rows, shape.has_far_edges, answer.watch)
            .ok_or_else(|| Box::new(Levels::none(states)))?;
        return Ok(match numbers.position {
            None => Certificate::from_back(numbers.back),
            Some(position) => Certificate::from_narrow_parts(position, numbers.back),
        });
    }
    Levels::new(answer, rows, shape).into_certificate()
}

/// The states that are placed, at the end of the order.
pub(super) struct Levels {
    pub(super) states: SharedBits,
    pub(super) num_states: usize,
    pub(super) num_components: usize,
    /// The first position that is taken, or [`END`] if none is.
    first: u32,
    position: Table<u8>,
    back: Table<u8>,
}

impl Levels {
    pub(super) fn none(states: usize) -> Self {
        Self {
            states: SharedBits::new(states),
            num_states: 0,
            num_components: 0,
            first: END,
            position: Table::new(states),
            back: Table::new(states),
        }
    }

    /// Places states by sweeps, if these are worthwhile.
    fn new(answer: Answer<'_>, rows: Rows<'_>, shape: Shape) -> Self {
        let Answer {
            graph, components, ..
        } = answer;
        let mut levels = Self::none(graph.num_states());
        let large = shape.large.max(graph.num_states().div_ceil(GIANT));
        let is_giant = |&id: &ComponentId| components.size(id) as usize >= large;
        let mut giants: Vec<ComponentId> = match shape.has_far_edges || shape.has_backward_edges {
            true => components.ids().filter(is_giant).collect(),
            false => Vec::new(),
        };
        let sweeps_singles = answer.should_sweep_singles(shape);
        if giants.is_empty() && !(sweeps_singles && shape.has_forward_edges) {
            return levels;
        }
        let singles = Singles::new(answer, shape);
        loop {
            levels.place_singles(&singles);
            let mut left = giants.iter().map(|&id| Giant::new(answer, rows, id));
            let Some(giant) =
                left.find(|giant| giant.can_be_placed(&levels.states, levels.num_states))
            else {
                return levels;
            };
            giants.retain(|&id| id != giant.id);
            if let Some(numbers) =
                giant::state_numbers(&giant.members, &giant, shape.has_far_edges, answer.watch)
            {
                levels.place(&giant.members, &numbers);
            }
        }
    }

    fn place_singles(&mut self, singles: &Singles<'_>) {
        if let Some(last) = self.first.checked_sub(1) {
            let found = singles.run(&self.states, self.position.as_atomics(), last);
            self.num_states += found.states;
            self.num_components += found.components;
            self.first = found.first;
        }
    }

    /// Places a component, if there are enough positions left for it.
    fn place(&mut self, members: &BitSet, numbers: &StateNumbers) {
        let count = members.count();
        let position = |state: u32| match &numbers.position {
            None => 0,
            Some(position) => position[state as usize],
        };
        let largest = match &numbers.position {
            None => 0,
            Some(position) => position.par_iter().max().copied().unwrap_or(0),
        };
        let Some(first) = self.first.checked_sub(u32::from(largest) + 1) else {
            return;
        };
        let own = self
            .position
            .par_chunks_mut(64)
            .zip(self.back.par_chunks_mut(64));
        own.enumerate().for_each(|(word, (own, back))| {
            for state in ascending(word, members.words()[word]) {
                own[state as usize % 64] = first as u8 + position(state);
                back[state as usize % 64] = numbers.back[state as usize];
            }
            self.states.insert_word(word, members.words()[word]);
        });
        self.first = first;
        self.num_states += count;
        self.num_components += 1;
    }

    /// Returns a certificate, if all states are placed.
    fn into_certificate(mut self) -> Result<Certificate, Box<Self>> {
        if self.num_states < self.position.len() {
            return Err(Box::new(self));
        }
        let first = self.first as u8;
        self.position
            .par_iter_mut()
            .for_each(|position| *position -= first);
        Ok(Certificate::from_narrow_parts(self.position, self.back))
    }

    /// Writes the numbers of the placed states, from position `first` on. Leaves other states
    /// unchanged.
    pub(super) fn store(&self, first: u32, position: &mut [u32], back: &mut [u32]) {
        if self.num_states == 0 {
            return;
        }
        let own = position.par_chunks_mut(64).zip(back.par_chunks_mut(64));
        own.enumerate().for_each(|(word, (position, back))| {
            for state in ascending(word, self.states.word(word)) {
                let i = state as usize % 64;
                position[i] = first + u32::from(self.position[state as usize]) - self.first;
                back[i] = self.back[state as usize].into();
            }
        });
    }
}

/// A large component.
struct Giant<'a> {
    answer: Answer<'a>,
    rows: Rows<'a>,
    id: ComponentId,
    members: BitSet,
    /// For MECs: the members whose edges all lead to members.
    settled: BitSet,
}

impl<'a> Giant<'a> {
    fn new(answer: Answer<'a>, rows: Rows<'a>, id: ComponentId) -> Self {
        let components = answer.components;
        let states = components.num_states();
        let is_member = |state| components.component(StateId::from_index(state)) == Some(id);
        let members = BitSet::from_fn(states, is_member);
        let settled = match components.kind() {
            ComponentKind::Scc | ComponentKind::Bscc => BitSet::new(states),
            ComponentKind::Mec => BitSet::from_fn(states, |state| {
                let targets = rows.targets(rows.row(StateId::from_index(state)));
                members.contains(state) && are_all(&members, targets)
            }),
        };
        Self {
            answer,
            rows,
            id,
            members,
            settled,
        }
    }

    /// Returns whether each choice that leaves the component has a placed target. For SCCs, each
    /// edge is a choice.
    fn can_be_placed(&self, placed: &SharedBits, num_placed: usize) -> bool {
        let Answer {
            graph, components, ..
        } = self.answer;
        if num_placed + components.size(self.id) as usize == graph.num_states() {
            return true;
        }
        let is_placed = |target: &StateId| placed.contains(target.0);
        let is_right = |state: usize| {
            let state = StateId::from_index(state);
            match components.kind() {
                ComponentKind::Scc | ComponentKind::Bscc => {
                    let mut targets = graph.successors(state).iter();
                    targets.all(|target| self.members.contains(target.index()) || is_placed(target))
                }
                ComponentKind::Mec => graph.choices(state).all(|choice| {
                    let targets = graph.targets(choice);
                    are_all(&self.members, targets) || targets.iter().any(is_placed)
                }),
            }
        };
        let (members, settled) = (self.members.words(), self.settled.words());
        (0..members.len()).into_par_iter().all(|word| {
            let mut states = ascending(word, members[word] & !settled[word]);
            states.all(|state| is_right(state as usize))
        })
    }
}

impl Edges for Giant<'_> {
    #[inline]
    fn any(&self, state: StateId, mut visit: impl FnMut(StateId) -> bool) -> bool {
        let is_scc = self.answer.components.kind() != ComponentKind::Mec;
        if is_scc || self.settled.contains(state.index()) {
            let mut targets = self.rows.targets(self.rows.row(state)).iter();
            return targets.any(|&target| visit(target));
        }
        let graph = self.answer.graph;
        let choices = graph.choices(state).map(|choice| graph.targets(choice));
        let mut retained = choices.filter(|targets| are_all(&self.members, targets));
        retained.any(|targets| targets.iter().any(|&target| visit(target)))
    }
}

fn are_all(members: &BitSet, targets: &[StateId]) -> bool {
    targets
        .iter()
        .all(|target| members.contains(target.index()))
}
