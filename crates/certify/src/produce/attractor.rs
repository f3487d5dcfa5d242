//! The order of the classes of MECs: each choice that leaves its class leads to a later one.
//!
//! A class can be *placed*, before all that were placed earlier, when each choice that leaves it has
//! a target that is placed. If the components are the MECs, this places every class: were some
//! left, each with a choice that leads to classes left alone, then these choices and the retained
//! ones would never have to leave what is left, and an end component of several classes, or of a
//! state in none, would be in it.
//!
//! The order is found by a depth-first search, which tries to place each state when it leaves it,
//! after X. Liu and S. A. Smolka, "Simple linear-time algorithms for minimal fixed points", ICALP
//! 1998. By then all targets are visited, and most are placed. A choice none of whose targets is
//! placed yet is written down at each of them; models without many cycles need hardly any of that.
//!
//! ```text
//! place the components that no choice leaves; write down the choices that leave the others
//! visit(v):  visit each target of v that is not visited
//!            for each choice of v without a placed target: v waits for it; write it down
//!            if v waits for nothing: place v
//! place(v):  for each choice written down at v, unless it was released at another target:
//!                release it; if its class waits for nothing more: place that
//! ```
//!
//! Each branch is looked at a constant number of times.

use super::mec::{Answer, Blocks};
use crate::{Certificate, Violation};
use bytemuck::{Pod, Zeroable};
use mdp_graph::{BitSet, ChoiceId, ComponentId, StateId, Table};

/// A certificate whose order keeps the states of each component in that of `blocks`. `closed` are
/// the components that no choice leaves.
pub(super) fn order(
    answer: Answer<'_>,
    blocks: &Blocks,
    closed: &BitSet,
) -> Result<Certificate, Violation> {
    let n = answer.graph.num_states();
    let rows = super::branch_rows(answer.graph);
    let mut waits = Table::new(n);
    let mut latest = Table::new(n);
    let mut attractor = Attractor {
        answer,
        blocks,
        order: vec![StateId(0); n],
        back: vec![0; n],
        free: n,
        waits: &mut waits,
        rows: &rows,
        waiting: Waiting::new(&mut latest),
    };
    attractor.place_components(closed);
    let mut path = Table::new(n);
    for state in super::from_last(answer.graph) {
        if attractor.waits[state.index()] == UNVISITED {
            attractor.visit(state, &mut path);
        }
    }
    if attractor.free > 0 {
        return Err(attractor.inseparable());
    }
    Ok(Certificate::from_parts(attractor.order, attractor.back))
}

/// In [`Attractor::waits`], a state that no visit has come to.
const UNVISITED: u32 = 0;

/// A placed state. One that waits for choices has their number more.
const PLACED: u32 = 1;

/// Any number that says that a state is visited and not placed.
const VISITED: u32 = 2;

/// No entry of a list; entries count from 1.
const END: u32 = 0;

/// The class of a choice that was released.
const RELEASED: StateId = StateId(u32::MAX);

struct Attractor<'a> {
    answer: Answer<'a>,
    blocks: &'a Blocks,
    /// The states that are placed, from `free` onwards.
    order: Vec<StateId>,
    back: Vec<u32>,
    free: usize,
    /// For each class, at its smallest state, [`PLACED`] and for how many choices it waits. Until a
    /// visit ends, and at the other states of a component until that is placed, [`VISITED`].
    waits: &'a mut [u32],
    /// `n + 1` offsets of states into the branches.
    rows: &'a [u32],
    waiting: Waiting<'a>,
}

/// A state whose visit has begun, and the next branch to look at.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Frame {
    state: StateId,
    next: u32,
}

impl Attractor<'_> {
    /// Places the components that no choice leaves. The others wait.
    fn place_components(&mut self, closed: &BitSet) {
        for id in self.answer.components.ids() {
            match closed.contains(id.index()) {
                true => self.place_component(id),
                false => self.wait_for_all(id),
            }
        }
        self.release_from(self.order.len());
    }

    /// Writes down all choices that leave a component, some of which do.
    fn wait_for_all(&mut self, id: ComponentId) {
        let Answer { graph, components } = self.answer;
        let class = components.smallest(id);
        let mut waits = 0;
        for &state in self.blocks.get(id, components.size(id)).states {
            self.waits[state.index()] = VISITED;
            let leaves = |&choice: &ChoiceId| !self.answer.retains(state, choice);
            for choice in graph.choices(state).filter(leaves) {
                self.waiting.write(class, graph.targets(choice));
                waits += 1;
            }
        }
        self.waits[class.index()] = PLACED + waits;
    }

    /// Visits `start` and what it leads to; `path` has room for a frame a state.
    fn visit(&mut self, start: StateId, path: &mut [Frame]) {
        let mut frame = self.enter(start);
        let mut depth = 0;
        loop {
            if let Some(child) = self.advance(&mut frame) {
                path[depth] = frame;
                depth += 1;
                frame = self.enter(child);
                continue;
            }
            self.leave(frame.state);
            if depth == 0 {
                return;
            }
            depth -= 1;
            frame = path[depth];
        }
    }

    #[inline]
    fn enter(&mut self, state: StateId) -> Frame {
        self.waits[state.index()] = VISITED;
        Frame {
            state,
            next: self.rows[state.index()],
        }
    }

    /// Looks at the frame's branches up to the end, or up to an unvisited target, which it returns.
    #[inline]
    fn advance(&self, frame: &mut Frame) -> Option<StateId> {
        let end = self.rows[frame.state.index() + 1];
        let branches = frame.next as usize..end as usize;
        let mut targets = self.answer.graph.all_targets()[branches].iter();
        let unvisited = targets.find(|target| self.waits[target.index()] == UNVISITED);
        frame.next = end - targets.len() as u32;
        unvisited.copied()
    }

    #[inline]
    fn is_placed(&self, state: StateId) -> bool {
        self.waits[state.index()] == PLACED
    }

    /// Ends the visit of a state: places it, and what waited for it alone, or writes down what it
    /// waits for.
    #[inline]
    fn leave(&mut self, state: StateId) {
        let graph = self.answer.graph;
        let row = self.rows[state.index()] as usize..self.rows[state.index() + 1] as usize;
        let mut waits = 0;
        // Mostly all are, and the choices need not be told apart.
        if !graph.all_targets()[row].iter().all(|&t| self.is_placed(t)) {
            for choice in graph.choices(state) {
                let targets = graph.targets(choice);
                if !targets.iter().any(|&t| self.is_placed(t)) {
                    self.waiting.write(state, targets);
                    waits += 1;
                }
            }
        }
        self.waits[state.index()] = PLACED + waits;
        if waits == 0 {
            let end = self.free;
            self.place_state(state);
            self.release_from(end);
        }
    }

    /// A class, given by its smallest state, waits for one choice less. If that was the last, it is
    /// placed.
    #[inline]
    fn wait_less(&mut self, class: StateId) {
        let waits = &mut self.waits[class.index()];
        *waits -= 1;
        if *waits == PLACED {
            match self.answer.components.component(class) {
                None => self.place_state(class),
                Some(id) => self.place_component(id),
            }
        }
    }

    /// Releases the choices that wait for states placed before `end`, and so on.
    #[inline]
    fn release_from(&mut self, mut end: usize) {
        while end > self.free {
            end -= 1;
            while let Some(class) = self.waiting.release(self.order[end]) {
                self.wait_less(class);
            }
        }
    }

    #[inline]
    fn place_state(&mut self, state: StateId) {
        self.free -= 1;
        self.order[self.free] = state;
        self.waits[state.index()] = PLACED;
    }

    fn place_component(&mut self, id: ComponentId) {
        let block = self.blocks.get(id, self.answer.components.size(id));
        let end = self.free;
        self.free -= block.states.len();
        self.order[self.free..end].copy_from_slice(block.states);
        let places = self.back[self.free..end].iter_mut();
        for (place, back) in places.zip(block.back(self.free as u32)) {
            *place = back;
        }
        for state in block.states {
            self.waits[state.index()] = PLACED;
        }
    }

    /// A choice that leads to nothing placed, when nothing more can be.
    #[cold]
    fn inseparable(&self) -> Violation {
        let Answer { graph, components } = self.answer;
        let class = |state: StateId| components.label(state).unwrap_or(state);
        let waiting = graph
            .states()
            .filter(|&s| !self.is_placed(s))
            .find_map(|state| {
                let waits = |choice: &ChoiceId| {
                    let mut targets = graph.targets(*choice).iter();
                    !self.answer.retains(state, *choice) && !targets.any(|&t| self.is_placed(t))
                };
                graph
                    .choices(state)
                    .find(waits)
                    .map(|choice| (state, choice))
            });
        let (state, choice) = waiting.expect("what is not placed waits for a choice");
        let mut targets = graph.targets(choice).iter();
        let outside = targets.find(|&&target| class(target) != class(state));
        Violation::Inseparable {
            state,
            choice: choice.index() - graph.choice_range(state).start,
            target: *outside.expect("a choice that is not retained has a target outside"),
        }
    }
}

/// The choices that classes wait for, written down at each of their targets.
struct Waiting<'a> {
    /// For each waiting choice its class, by its smallest state, until it is released.
    class: Vec<StateId>,
    /// The states with an entry: few enough bits to stay in a cache.
    has_entry: BitSet,
    /// For each of these states its latest entry, or [`END`].
    latest: &'a mut [u32],
    entries: Vec<Entry>,
}

/// A choice in the list of one of its targets.
struct Entry {
    /// By its number in [`Waiting::class`].
    choice: u32,
    /// The target's entry before it, or [`END`].
    earlier: u32,
}

impl<'a> Waiting<'a> {
    fn new(latest: &'a mut [u32]) -> Self {
        Self {
            class: Vec::new(),
            has_entry: BitSet::new(latest.len()),
            latest,
            entries: Vec::new(),
        }
    }

    fn write(&mut self, class: StateId, targets: &[StateId]) {
        let choice = self.class.len() as u32;
        self.class.push(class);
        for target in targets {
            let earlier = &mut self.latest[target.index()];
            let entry = Entry {
                choice,
                earlier: *earlier,
            };
            self.entries.push(entry);
            *earlier = self.entries.len() as u32;
            self.has_entry.insert(target.index());
        }
    }

    /// Takes choices from the list of `target` up to one that was not released at another target.
    /// Releases that, and returns its class.
    #[inline]
    fn release(&mut self, target: StateId) -> Option<StateId> {
        if !self.has_entry.contains(target.index()) {
            return None;
        }
        let latest = &mut self.latest[target.index()];
        while *latest != END {
            let entry = &self.entries[*latest as usize - 1];
            *latest = entry.earlier;
            let class = std::mem::replace(&mut self.class[entry.choice as usize], RELEASED);
            if class != RELEASED {
                return Some(class);
            }
        }
        None
    }
}
