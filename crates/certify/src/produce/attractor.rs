//! The order of the classes of MECs: each choice that leaves its class leads to a later one.
//!
//! A class can be *placed*, before all that were placed earlier, when each choice that leaves it has
//! a target that is placed. If the components are the MECs, this places every class: were some
//! left, each with a choice that leads to classes left alone, then these choices and the retained
//! ones would never have to leave what is left, and an end component of several classes, or of a
//! state in none, would be in it.
//!
//! ```text
//! sweep over the classes, down and up, while that places half of what is left or more:
//!     place each class that can be
//! for what is left:  count the choices of each class that lead to nothing placed
//!                    place classes without any, oldest first; take back the choices that lead there
//! ```
//!
//! The sweeps read the model in its order, and models mostly lead ahead, or back. What they leave
//! takes a transpose. Either looks at each branch a constant number of times.

use super::mec::{Answer, Blocks};
use crate::{Certificate, Violation};
use mdp_graph::{BitSet, ChoiceId, StateId};

/// A certificate whose order keeps the states of each component in that of `blocks`. `closed` are
/// the components that no choice leaves.
pub(super) fn order(
    answer: Answer<'_>,
    blocks: &Blocks,
    closed: &BitSet,
) -> Result<Certificate, Violation> {
    let n = answer.graph.num_states();
    let mut attractor = Attractor {
        answer,
        blocks,
        closed,
        order: vec![StateId(0); n],
        back: vec![0; n],
        free: n,
        placed: BitSet::new(n),
    };
    attractor.sweep();
    if attractor.free > 0 {
        attractor.drain();
    }
    if attractor.free > 0 {
        return Err(attractor.inseparable());
    }
    Ok(Certificate::from_parts(attractor.order, attractor.back))
}

struct Attractor<'a> {
    answer: Answer<'a>,
    blocks: &'a Blocks,
    closed: &'a BitSet,
    /// The states that are placed, from `free` onwards.
    order: Vec<StateId>,
    back: Vec<u32>,
    free: usize,
    placed: BitSet,
}

impl Attractor<'_> {
    fn sweep(&mut self) {
        let n = self.order.len() as u32;
        loop {
            let before = self.free;
            (0..n)
                .rev()
                .for_each(|state| self.try_to_place(StateId(state)));
            if self.free > 0 {
                (0..n).for_each(|state| self.try_to_place(StateId(state)));
            }
            if self.free == 0 || self.free > before / 2 {
                return;
            }
        }
    }

    /// Places the class whose smallest state is `state`, if there is one and it can be.
    #[inline]
    fn try_to_place(&mut self, state: StateId) {
        if self.placed.contains(state.index()) || self.class_of(state) != state {
            return;
        }
        let can_be_placed = match self.answer.components.component(state) {
            None => self.waiting_choices(state).next().is_none(),
            Some(id) if self.closed.contains(id.index()) => true,
            Some(id) => {
                let block = self.blocks.get(id, self.answer.components.size(id));
                let mut waiting = block.states.iter().flat_map(|&s| self.waiting_choices(s));
                waiting.next().is_none()
            }
        };
        if can_be_placed {
            self.place(state);
        }
    }

    /// The class of a state, by its smallest state.
    #[inline]
    fn class_of(&self, state: StateId) -> StateId {
        self.answer.components.label(state).unwrap_or(state)
    }

    /// The choices of `state` that leave its class, but lead to nothing that is placed.
    #[inline]
    fn waiting_choices(&self, state: StateId) -> impl Iterator<Item = ChoiceId> + '_ {
        let graph = self.answer.graph;
        graph.choices(state).filter(move |&choice| {
            let mut targets = graph.targets(choice).iter();
            !targets.any(|t| self.placed.contains(t.index())) && !self.answer.retains(state, choice)
        })
    }

    /// Places the class whose smallest state is `class`.
    #[inline]
    fn place(&mut self, class: StateId) {
        let Some(id) = self.answer.components.component(class) else {
            self.free -= 1;
            self.order[self.free] = class;
            self.placed.insert(class.index());
            return;
        };
        let block = self.blocks.get(id, self.answer.components.size(id));
        let end = self.free;
        self.free -= block.states.len();
        self.order[self.free..end].copy_from_slice(block.states);
        let places = self.back[self.free..end].iter_mut();
        for (place, back) in places.zip(block.back(self.free as u32)) {
            *place = back;
        }
        for state in block.states {
            self.placed.insert(state.index());
        }
    }

    /// Places what can be, through the transpose of the choices that still wait.
    fn drain(&mut self) {
        let mut waiting = Waiting::new(self);
        let mut next = self.free;
        for state in self.answer.graph.states() {
            let is_class = self.class_of(state) == state;
            if is_class && !self.placed.contains(state.index()) && waiting.count[state.index()] == 0
            {
                self.place(state);
            }
        }
        while next > self.free {
            next -= 1;
            for i in waiting.into_state(self.order[next]) {
                if let Some(class) = waiting.release(i) {
                    self.place(class);
                }
            }
        }
    }

    /// A choice that leads to nothing placed, when nothing more can be.
    #[cold]
    fn inseparable(&self) -> Violation {
        let Answer { graph, .. } = self.answer;
        let left = graph.states().filter(|s| !self.placed.contains(s.index()));
        for state in left {
            if let Some(waiting) = self.waiting_choices(state).next() {
                let choice = waiting.index() - graph.choice_range(state).start;
                let is_outside = |t: &&StateId| self.class_of(**t) != self.class_of(state);
                let target = graph.targets(waiting).iter().find(is_outside);
                let target = target.copied().unwrap_or(state);
                return Violation::Inseparable {
                    state,
                    choice,
                    target,
                };
            }
        }
        unreachable!("a class that is not placed has a choice that waits")
    }
}

/// The choices that lead to nothing placed, by their targets.
struct Waiting {
    /// For each class, at its smallest state, how many of its choices wait.
    count: Vec<u32>,
    /// For each waiting choice its class, until it waits no more.
    class: Vec<StateId>,
    /// For each state where the waiting choices that lead to it begin.
    offsets: Vec<u32>,
    choices: Vec<u32>,
}

/// The class of a choice that no longer waits.
const RELEASED: StateId = StateId(u32::MAX);

impl Waiting {
    fn new(attractor: &Attractor<'_>) -> Self {
        let graph = attractor.answer.graph;
        let n = graph.num_states();
        let mut count = vec![0; n];
        let mut class = Vec::new();
        let mut ids = Vec::new();
        let mut ends = vec![0u32; n + 1];
        for state in graph
            .states()
            .filter(|s| !attractor.placed.contains(s.index()))
        {
            let own = attractor.class_of(state);
            for choice in attractor.waiting_choices(state) {
                count[own.index()] += 1;
                class.push(own);
                ids.push(choice);
                for target in graph.targets(choice) {
                    ends[target.index()] += 1;
                }
            }
        }
        let mut end = 0;
        for entry in &mut ends {
            end += *entry;
            *entry = end;
        }
        let mut offsets = ends;
        let mut choices = vec![0; end as usize];
        for (i, &choice) in ids.iter().enumerate() {
            for target in graph.targets(choice) {
                let offset = &mut offsets[target.index()];
                *offset -= 1;
                choices[*offset as usize] = i as u32;
            }
        }
        Self {
            count,
            class,
            offsets,
            choices,
        }
    }

    /// The waiting choices that lead to `state`.
    #[inline]
    fn into_state(&self, state: StateId) -> std::ops::Range<usize> {
        let s = state.index();
        self.offsets[s] as usize..self.offsets[s + 1] as usize
    }

    /// A target of the choice at entry `i` is placed. Returns its class if that was the last choice
    /// for which it waited.
    #[inline]
    fn release(&mut self, i: usize) -> Option<StateId> {
        let class = std::mem::replace(&mut self.class[self.choices[i] as usize], RELEASED);
        if class == RELEASED {
            return None;
        }
        let count = &mut self.count[class.index()];
        *count -= 1;
        (*count == 0).then_some(class)
    }
}
