//! Certificates for MECs: the order of the classes, in which each choice that leaves its class
//! leads to a later one.
//!
//! A class can be *placed*, before all classes that are already placed, when each choice that
//! leaves it has a placed target. If the components are the MECs, this places every class. For
//! suppose that some classes were left. Each of them would have a choice that leads only to classes
//! that are left. With these choices and the retained choices, a strategy could stay in the classes
//! that are left forever. So they would contain an end component of several classes, or of a state
//! that is in no component.
//!
//! This begins with the classes that [sweeps](super::levels) have placed. If edges lead far, a
//! [parallel search](super::parallel_search) places single states next. Then come components that
//! no choice leaves, and the classes that sweeps and parallel searches place after these. One
//! depth-first search over the classes finds the order of the rest, after X. Liu and S. A. Smolka,
//! "Simple linear-time algorithms for minimal fixed points", ICALP 1998. A choice with a placed
//! target is finished, so its other targets need not be visited. For any other choice only one
//! target is visited, which is enough for most choices. When the first state of a component is
//! visited, [`Places::search`] searches the inside of the component.
//!
//! ```text
//! visit(class):  search it, if it is a component
//!                for each choice that leaves it:
//!                    if no target is placed: visit an unvisited one, if there is one
//!                    if that is not placed:  class waits for the choice; write it down at its
//!                                            targets
//!                if class waits for nothing: place it
//! place(class):  for each choice written down at its states, unless released at another target:
//!                    release it; if its class waits for nothing more: place that
//! ```
//!
//! The search looks at each branch a constant number of times. So does each sweep or round of a
//! parallel search; these only go on while they place a share of the rest.

use super::answer::{Answer, from_last};
use super::levels::Levels;
use super::pending_choices::PendingChoices;
use super::places::{Memory, Places};
use super::rows::{Ends, Rows};
use super::shape::Shape;
use super::waiting;
use crate::observer::Ticker;
use crate::{Certificate, Error, Violation};
use mdp_graph::{BitSet, StateId, Table};

pub(super) fn produce(
    answer: Answer<'_>,
    rows: Rows<'_>,
    levels: &Levels,
    shape: Option<Shape>,
) -> Result<Certificate, Error> {
    let graph = answer.graph;
    let ends = Ends::new(graph);
    let mut memory = Memory::new(graph.num_states());
    let mut waits = Table::new(graph.num_states());
    let mut attractor = Attractor {
        answer,
        rows,
        ends: &ends,
        places: Places::new(answer, rows, &ends, levels, &mut memory),
        waits: &mut waits,
        pending: PendingChoices::new(graph.num_states()),
        leaving: Vec::new(),
        path: Vec::new(),
        ticker: answer.watch.ticker(),
    };
    attractor.visit_all(shape)?;
    if attractor.places.free() > 0 {
        return Err(attractor.inseparable().into());
    }
    Ok(memory.into_certificate())
}

struct Attractor<'a> {
    answer: Answer<'a>,
    rows: Rows<'a>,
    ends: &'a Ends,
    places: Places<'a>,
    /// For each class, at its smallest state, the number of choices for which it waits. Until its
    /// visit ends, it is larger by one.
    waits: &'a mut [u32],
    pending: PendingChoices,
    /// The choices that leave the components on the path and have not been examined yet, by their
    /// first branches.
    leaving: Vec<u32>,
    path: Vec<Frame>,
    ticker: Ticker<'a>,
}

/// A class whose visit has begun.
struct Frame {
    /// The class, given by its smallest state.
    class: StateId,
    /// The first branch of the current choice.
    choice: u32,
    /// The branch after the last choice that follows in the same row.
    end: u32,
    /// The number of choices in [`Attractor::leaving`] that belong to classes before this one.
    floor: usize,
    /// Whether a target of the choice was visited for this choice.
    has_visited_child: bool,
    /// Whether the class waits for a choice.
    waits: bool,
}

impl Attractor<'_> {
    /// Visits all classes, except those that sweeps and searches of single states place.
    fn visit_all(&mut self, shape: Option<Shape>) -> Result<(), Error> {
        self.parallel_search(shape)?;
        let free = self.places.free();
        if free == 0 {
            return Ok(());
        }
        self.visit_closed_components()?;
        if let Some(shape) = shape
            && self.places.free() < free
            && self.answer.should_sweep_singles(shape)
        {
            self.places.place_singles(shape);
            self.parallel_search(Some(shape))?;
        }
        for state in from_last(self.answer.graph) {
            if self.places.is_unvisited(state) {
                self.visit(state)?;
            }
        }
        Ok(())
    }

    /// Searches single states, if most of the remaining states are single and edges lead far.
    fn parallel_search(&mut self, shape: Option<Shape>) -> Result<(), Error> {
        if let Some(shape) = shape
            && shape.has_far_edges
            && waiting::marks_suffice(self.answer.graph.num_states())
            && self.places.are_mostly_in_no_component()
        {
            self.places.parallel_search(shape);
        }
        self.answer.watch.check()
    }

    /// Visits the components that no choice leaves, and so places them.
    fn visit_closed_components(&mut self) -> Result<(), Error> {
        let components = self.answer.components;
        let mut left = BitSet::new(components.len());
        for state in self.answer.graph.states() {
            if let Some(id) = components.component(state)
                && !self.places.is_settled(state)
            {
                left.insert(id.index());
            }
        }
        for id in components.ids().filter(|id| !left.contains(id.index())) {
            let state = components.smallest(id);
            if self.places.is_unvisited(state) {
                self.visit(state)?;
            }
        }
        Ok(())
    }

    /// Visits the class of `start`, and the classes to which it leads, as far as necessary.
    fn visit(&mut self, start: StateId) -> Result<(), Error> {
        let mut frame = self.enter(start)?;
        loop {
            if let Some(child) = self.advance(&mut frame)? {
                self.path.push(frame);
                frame = self.enter(child)?;
                continue;
            }
            let placed = self.answer.graph.num_states() - self.places.free();
            self.ticker.tick(|| placed)?;
            self.leave(&frame);
            let Some(parent) = self.path.pop() else {
                return Ok(());
            };
            frame = parent;
        }
    }

    #[inline]
    fn enter(&mut self, state: StateId) -> Result<Frame, Error> {
        let floor = self.leaving.len();
        let (class, choices) = match self.places.visit(state) {
            None => (state, self.rows.row(state)),
            Some(id) => {
                self.places.search(id, state, &mut self.leaving)?;
                if self.leaving.len() > floor {
                    self.places.set_aside(id);
                }
                (self.answer.components.smallest(id), 0..0)
            }
        };
        Ok(Frame {
            class,
            choice: choices.start,
            end: choices.end,
            floor,
            has_visited_child: false,
            waits: false,
        })
    }

    /// Examines the choices of the frame up to the last one, or up to a choice of which a target
    /// has to be visited. Returns this target.
    #[inline]
    fn advance(&mut self, frame: &mut Frame) -> Result<Option<StateId>, Error> {
        while self.has_choice(frame) {
            let choice = self.ends.choice(frame.choice);
            let targets = self.rows.targets(choice.clone());
            if !self.places.has_placed(targets) {
                let mut unvisited = targets.iter();
                let is_unvisited = |&&target: &&StateId| self.places.is_unvisited(target);
                if !frame.has_visited_child
                    && let Some(&child) = unvisited.find(is_unvisited)
                {
                    frame.has_visited_child = true;
                    return Ok(Some(child));
                }
                self.wait(frame, targets)?;
            }
            frame.choice = choice.end;
            frame.has_visited_child = false;
        }
        Ok(None)
    }

    /// Returns whether the frame has another choice. The choices of a component are taken one by
    /// one.
    #[inline]
    fn has_choice(&mut self, frame: &mut Frame) -> bool {
        if frame.choice < frame.end {
            return true;
        }
        if self.leaving.len() == frame.floor {
            return false;
        }
        let choice = self.leaving.pop().map(|first| self.ends.choice(first));
        if let Some(choice) = choice {
            (frame.choice, frame.end) = (choice.start, choice.end);
        }
        true
    }

    /// Notes that the class of the frame waits for a choice. Checks M4: a choice that is retained
    /// by a state in no component waits for itself.
    #[cold]
    fn wait(&mut self, frame: &mut Frame, targets: &[StateId]) -> Result<(), Error> {
        let class = frame.class;
        let is_component = self.answer.components.component(class).is_some();
        if !is_component && targets.iter().all(|&target| target == class) {
            let choice = self.ends.count(self.rows.row(class).start..frame.choice);
            let state = class;
            return Err(Violation::Stays { state, choice }.into());
        }
        if !std::mem::replace(&mut frame.waits, true) {
            self.waits[class.index()] = 1;
        }
        self.waits[class.index()] += 1;
        self.pending.insert(class, targets);
        Ok(())
    }

    /// Ends the visit of a class. If it does not wait, places it, and all classes that wait only
    /// for it.
    #[inline]
    fn leave(&mut self, frame: &Frame) {
        let end = self.places.free();
        match frame.waits {
            true => self.wait_less(frame.class),
            false => self.place(frame.class),
        }
        self.release_from(end);
    }

    /// Reduces the number of choices for which a class waits. If it becomes 0, places the class.
    /// The class is given by its smallest state.
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

    /// Releases the choices that wait for the states placed before `end`, and for the states that
    /// are placed as a result.
    #[inline]
    fn release_from(&mut self, mut end: usize) {
        while end > self.places.free() && !self.pending.is_empty() {
            end -= 1;
            while let Some(class) = self.pending.release(self.places.at(end)) {
                self.wait_less(class);
            }
        }
    }

    /// Returns the violation of a choice without a placed target, when nothing more can be placed.
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
            .expect("a class that is not placed waits for a choice");
        let mut targets = targets.iter();
        let target = targets.find(|&&target| class(target) != class(state));
        Violation::Inseparable {
            state,
            choice,
            target: *target.expect("a choice that leaves has a target outside"),
        }
    }
}
