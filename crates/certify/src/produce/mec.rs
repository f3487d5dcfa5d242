//! Certificates for MECs: the order of the classes, in which each choice that leaves its class leads
//! to a later one.
//!
//! A class can be *placed*, before all that were placed earlier, when each choice that leaves it has
//! a target that is placed. If the components are the MECs, this places every class: were some
//! left, each with a choice that leads to classes left alone, then these choices and the retained
//! ones would never have to leave what is left, and an end component of several classes, or of a
//! state in none, would be in it.
//!
//! The order is found by one depth-first search over the classes, after X. Liu and S. A. Smolka,
//! "Simple linear-time algorithms for minimal fixed points", ICALP 1998. A choice with a placed
//! target is done with, and its other targets need not be visited yet. What a component consists
//! of is searched when the first of its states is visited, by [`Places::search`].
//!
//! ```text
//! visit(class):  search it, if it is a component
//!                for each choice that leaves it:
//!                    visit its targets, until one is placed
//!                    if none is: class waits for the choice; write it down at the targets
//!                if class waits for nothing: place it
//! place(class):  for each choice written down at its states, unless released at another target:
//!                    release it; if its class waits for nothing more: place that
//! ```
//!
//! Each branch is looked at a constant number of times.

use super::places::{FRESH, Memory, Places, UNVISITED};
use super::waiting::Waiting;
use crate::{Certificate, Violation};
use mdp_graph::{ChoiceId, Components, MdpGraph, StateId, Table};

pub(super) fn produce(graph: &MdpGraph, components: &Components) -> Result<Certificate, Violation> {
    let answer = Answer { graph, components };
    let mut memory = Memory::new(graph.num_states());
    let mut waits = Table::new(graph.num_states());
    let mut attractor = Attractor {
        answer,
        places: Places::new(answer, &mut memory),
        waits: &mut waits,
        waiting: Waiting::new(graph.num_states()),
        leaving: Vec::new(),
        path: Vec::new(),
    };
    for state in super::from_last(graph) {
        if attractor.places.mark(state) == UNVISITED {
            attractor.visit(state)?;
        }
    }
    if attractor.places.free() > 0 {
        return Err(attractor.inseparable());
    }
    Ok(memory.into_certificate())
}

/// A model, and what are said to be its MECs.
#[derive(Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) graph: &'a MdpGraph,
    pub(super) components: &'a Components,
}

impl Answer<'_> {
    /// The name of a state's class: its smallest state.
    #[inline]
    fn class(self, state: StateId) -> StateId {
        self.components.label(state).unwrap_or(state)
    }
}

struct Attractor<'a> {
    answer: Answer<'a>,
    places: Places<'a>,
    /// For each class, at its smallest state, for how many choices it waits, and one more until its
    /// visit ends.
    waits: &'a mut [u32],
    waiting: Waiting,
    /// The choices that leave components, of those that are visited.
    leaving: Vec<ChoiceId>,
    path: Vec<Frame>,
}

/// A class whose visit has begun.
struct Frame {
    class: StateId,
    /// Its choices that are still to be looked at: if it is a component, by their places in
    /// [`Attractor::leaving`].
    next: u32,
    end: u32,
    is_component: bool,
    /// The next branch of the first of them, or [`FRESH`].
    branch: u32,
    /// Whether the class waits for a choice.
    waits: bool,
}

impl Attractor<'_> {
    /// Visits the class of `start` and what it leads to, as far as needed.
    fn visit(&mut self, start: StateId) -> Result<(), Violation> {
        let mut frame = self.enter(start)?;
        loop {
            if let Some(child) = self.advance(&mut frame)? {
                self.path.push(frame);
                frame = self.enter(child)?;
                continue;
            }
            self.leave(&frame);
            let Some(parent) = self.path.pop() else {
                return Ok(());
            };
            frame = parent;
        }
    }

    #[inline]
    fn enter(&mut self, state: StateId) -> Result<Frame, Violation> {
        let Answer { graph, components } = self.answer;
        let (class, choices) = match components.component(state) {
            None => {
                self.places.visit(state);
                (state, graph.choice_range(state))
            }
            Some(id) => {
                let first = self.leaving.len();
                self.places.search(id, state, &mut self.leaving)?;
                if self.leaving.len() > first {
                    self.places.set_aside(id);
                }
                (components.smallest(id), first..self.leaving.len())
            }
        };
        Ok(Frame {
            class,
            next: choices.start as u32,
            end: choices.end as u32,
            is_component: components.component(state).is_some(),
            branch: FRESH,
            waits: false,
        })
    }

    /// Looks at the frame's choices up to the last, or up to an unvisited target, which it returns.
    #[inline]
    fn advance(&mut self, frame: &mut Frame) -> Result<Option<StateId>, Violation> {
        let graph = self.answer.graph;
        while frame.next < frame.end {
            let choice = match frame.is_component {
                true => self.leaving[frame.next as usize],
                false => ChoiceId(frame.next),
            };
            let targets = graph.targets(choice);
            let first = graph.branch_offsets()[choice.index()];
            if let Some(skipped) = self.unvisited(targets, frame.branch.wrapping_sub(first)) {
                frame.branch = first + skipped;
                return Ok(Some(targets[skipped as usize]));
            }
            if !self.places.has_placed(targets) {
                self.wait(frame, choice)?;
            }
            frame.next += 1;
            frame.branch = FRESH;
        }
        Ok(None)
    }

    /// The first unvisited target that has to be visited, if any has, as the target's place among
    /// the choice's. All of them are looked at before the first is visited; then, lest wide choices
    /// take quadratic time, only those from `from`, which was visited last.
    #[inline]
    fn unvisited(&self, targets: &[StateId], from: u32) -> Option<u32> {
        let is_fresh = from as usize >= targets.len();
        if is_fresh && self.places.has_placed(targets) {
            return None;
        }
        let from = if is_fresh { 0 } else { from };
        for (i, &target) in (from..).zip(&targets[from as usize..]) {
            match self.places.mark(target) {
                UNVISITED => return Some(i),
                mark if Places::is_placed(mark) => return None,
                _ => {}
            }
        }
        None
    }

    /// Writes down that the frame's class waits for a choice. Finds out whether M4 holds: a choice
    /// that is retained by a state in no component waits for itself.
    fn wait(&mut self, frame: &mut Frame, choice: ChoiceId) -> Result<(), Violation> {
        let graph = self.answer.graph;
        let (state, targets) = (frame.class, graph.targets(choice));
        if !frame.is_component && targets.iter().all(|&target| target == state) {
            let choice = choice.index() - graph.choice_range(state).start;
            return Err(Violation::Stays { state, choice });
        }
        if !frame.waits {
            frame.waits = true;
            self.waits[state.index()] = 1;
        }
        self.waits[state.index()] += 1;
        self.waiting.write(state, targets);
        Ok(())
    }

    /// Ends the visit of a class: places it, and what waited for it alone, unless it waits.
    #[inline]
    fn leave(&mut self, frame: &Frame) {
        let end = self.places.free();
        match frame.waits {
            true => self.wait_less(frame.class),
            false => self.place(frame.class),
        }
        self.release_from(end);
    }

    /// A class, given by its smallest state, waits for one thing less. If that was the last, it is
    /// placed.
    #[inline]
    fn wait_less(&mut self, class: StateId) {
        let waits = &mut self.waits[class.index()];
        *waits -= 1;
        if *waits == 0 {
            self.place(class);
        }
    }

    #[inline]
    fn place(&mut self, class: StateId) {
        match self.answer.components.component(class) {
            None => self.places.place_state(class),
            Some(id) => self.places.place_component(id),
        }
    }

    /// Releases the choices that wait for states placed before `end`, and so on.
    #[inline]
    fn release_from(&mut self, mut end: usize) {
        while end > self.places.free() {
            end -= 1;
            while let Some(class) = self.waiting.release(self.places.at(end)) {
                self.wait_less(class);
            }
        }
    }

    /// A choice that leads to nothing placed, when nothing more can be.
    #[cold]
    fn inseparable(&self) -> Violation {
        let Answer { graph, .. } = self.answer;
        let class = |state: StateId| self.answer.class(state);
        let left = graph.states().filter(|&s| !self.places.has_placed(&[s]));
        let mut waiting = left.flat_map(|state| {
            let choices = graph.choices(state).enumerate();
            choices.map(move |(i, choice)| (state, i, graph.targets(choice)))
        });
        let leaves = |state, targets: &[StateId]| targets.iter().any(|&t| class(t) != class(state));
        let (state, choice, targets) = waiting
            .find(|&(state, _, targets)| leaves(state, targets) && !self.places.has_placed(targets))
            .expect("what is not placed waits for a choice");
        let mut targets = targets.iter();
        let target = targets.find(|&&target| class(target) != class(state));
        Violation::Inseparable {
            state,
            choice,
            target: *target.expect("a choice that leaves has a target outside"),
        }
    }
}
