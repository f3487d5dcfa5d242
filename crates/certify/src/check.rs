//! The checker. One pass over the states finds the beginning and the end of each class. Another
//! pass goes over the branches of the model. Any number of threads share both passes.
//!
//! The checker does not know how answers are found or how certificates are made, and shares no code
//! with either. SCCs are checked like MECs, with each edge as a separate choice. The only
//! difference is which states may be in no component.

mod classes;
mod column;
mod pieces;
#[cfg(test)]
mod tests;

pub(crate) use column::{Column, Zeros};

use crate::observer::Watch;
use crate::{Error, Observer, Violation, check_bottom};
use classes::Classes;
use column::{Place, place};
use mdp_graph::{BitSet, ChoiceId, ComponentId, ComponentKind, Components, MdpGraph, StateId};
use pieces::{PIECE, in_pieces};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The number of states that are checked at a time: a multiple of 64.
const BLOCK: usize = 1 << 10;

/// The number of states that are checked between two reports: a multiple of [`BLOCK`].
const REPORT: usize = 1 << 16;

pub(crate) fn check<P: Column + ?Sized, B: Column + ?Sized>(
    graph: &MdpGraph,
    components: &Components,
    observer: &dyn Observer,
    position: &P,
    back: &B,
) -> Result<(), Error> {
    let n = graph.num_states();
    if components.num_states() != n {
        let answer = components.num_states();
        return Err(Violation::OtherGraph { graph: n, answer }.into());
    }
    let lengths = [("position", position.len()), ("back", back.len())];
    if let Some((array, found)) = lengths.into_iter().find(|&(_, length)| length != n) {
        let wrong = Violation::WrongLength {
            array,
            found,
            states: n,
        };
        return Err(wrong.into());
    }
    let check = Check {
        graph,
        components,
        watch: Watch::new(observer, n),
        position,
        back,
        classes: Classes::new(components, position)?,
    };
    match components.kind() {
        ComponentKind::Scc => check.check_all(Check::check_edges),
        // Such an answer is one of all components only if all components are bottom components.
        ComponentKind::Bscc => {
            check.check_all(Check::check_edges)?;
            Ok(check_bottom(graph, components, components)?)
        }
        ComponentKind::Mec => match first_empty(graph.branch_offsets()) {
            None => check.check_all(Check::check_choices),
            Some(choice) => Err(check.empty_choice(choice).into()),
        },
    }
}

/// Returns the first choice without a branch.
fn first_empty(branch_offsets: &[u32]) -> Option<ChoiceId> {
    let ends = &branch_offsets[1..];
    let are_right = |choices: Range<usize>| {
        let pairs = branch_offsets[choices.clone()].iter().zip(&ends[choices]);
        pairs.fold(true, |all, (start, end)| all & (start < end))
    };
    let mut pieces = in_pieces(ends.len(), are_right).into_iter();
    if pieces.all(|right| right) {
        return None;
    }
    let mut pairs = branch_offsets.iter().zip(ends);
    let empty = pairs.position(|(start, end)| start >= end);
    empty.map(ChoiceId::from_index)
}

struct Check<'a, P: ?Sized, B: ?Sized> {
    graph: &'a MdpGraph,
    components: &'a Components,
    watch: Watch<'a>,
    /// The position of each state in the order.
    position: &'a P,
    /// The number `back` of each state.
    back: &'a B,
    classes: Classes,
}

/// A state that is being checked.
struct Visit {
    state: StateId,
    own: Place,
    back: u32,
    /// The range of places of its class.
    class: Range<Place>,
}

/// The results for the retained choices of a state.
#[derive(Default)]
struct Found {
    /// The index of the last retained choice.
    retained: Option<usize>,
    /// Whether one of their edges is on the way back.
    returns: bool,
}

/// The results for some edges of a state.
#[derive(Default)]
struct Followed {
    /// Whether one is on the way back.
    returns: bool,
    /// Whether one leads to an earlier class.
    is_wrong: bool,
}

/// The results for the states that a thread has checked.
struct Part {
    /// The states that are the first of their class, or to which an earlier state of the class
    /// leads.
    reached: BitSet,
    /// The first wrong state that the thread has found, and its violation.
    wrong: Option<(StateId, Violation)>,
}

impl<P: Column + ?Sized, B: Column + ?Sized> Check<'_, P, B> {
    /// Checks every state. `check_row` checks the edges or choices of a state, and marks later
    /// states of its class to which it leads as reached.
    fn check_all(
        &self,
        check_row: impl Fn(&Self, &Visit, &mut BitSet) -> Result<Found, Violation> + Sync,
    ) -> Result<(), Error> {
        let next = AtomicUsize::new(0);
        let parts = match self.graph.num_states() {
            ..=PIECE => vec![self.check_blocks(&next, &check_row)],
            _ => rayon::broadcast(|_| self.check_blocks(&next, &check_row)),
        };
        self.watch.check()?;
        // Blocks are taken in order. So all blocks before one with a wrong state were taken before
        // it.
        let wrong = parts.iter().filter_map(|part| part.wrong.as_ref());
        if let Some((_, violation)) = wrong.min_by_key(|(state, _)| *state) {
            // If a component is scattered, all other violations concern other classes than those
            // meant.
            let among = self.classes.among(self.components, self.position);
            return Err(among.unwrap_or_else(|| violation.clone()).into());
        }
        let unreached = in_pieces(self.graph.num_states().div_ceil(64), |mut words| {
            words.find_map(|word| {
                let parts = parts.iter().map(|part| part.reached.words()[word]);
                let reached = parts.fold(0, |all, part| all | part);
                let mut states = self.states(64 * word, 64);
                match reached {
                    u64::MAX => None,
                    _ => states.find(|state| reached >> (state.0 % 64) & 1 == 0),
                }
            })
        });
        match unreached.into_iter().flatten().next() {
            None => Ok(()),
            Some(state) => Err(self.unreached(state).into()),
        }
    }

    /// Checks blocks of states until no block is left, a state is wrong, or the observer cancels.
    fn check_blocks(
        &self,
        next: &AtomicUsize,
        check_row: &impl Fn(&Self, &Visit, &mut BitSet) -> Result<Found, Violation>,
    ) -> Part {
        let states = self.graph.num_states();
        let mut reached = BitSet::new(states);
        loop {
            let start = next.fetch_add(BLOCK, Relaxed);
            if start.is_multiple_of(REPORT) {
                self.watch.report(start);
            }
            if start >= states || self.watch.is_cancelled() {
                return Part {
                    reached,
                    wrong: None,
                };
            }
            for state in self.states(start, BLOCK) {
                if let Err(violation) = self.check_state(state, check_row, &mut reached) {
                    next.store(states, Relaxed);
                    return Part {
                        reached,
                        wrong: Some((state, violation)),
                    };
                }
            }
        }
    }

    /// Returns `count` states from `start` on, or fewer at the end.
    fn states(
        &self,
        start: usize,
        count: usize,
    ) -> impl ExactSizeIterator<Item = StateId> + use<P, B> {
        let end = self.graph.num_states().min(start + count);
        (start..end).map(StateId::from_index)
    }

    #[inline]
    fn place(&self, state: StateId) -> Place {
        place(self.position.get(state.index()), state)
    }

    /// Checks one state: its position, its choices, the way back, M2 and M4.
    #[inline]
    fn check_state(
        &self,
        state: StateId,
        check_row: impl Fn(&Self, &Visit, &mut BitSet) -> Result<Found, Violation>,
        reached: &mut BitSet,
    ) -> Result<(), Violation> {
        let own = self.place(state);
        let component = self.components.component(state);
        let Some(class) = self.classes.of(self.components, component, own) else {
            let among = self.classes.among(self.components, self.position);
            return Err(among.expect("this state is among another component"));
        };
        let visit = Visit {
            state,
            own,
            back: self.back.get(state.index()),
            class,
        };
        let mut found = check_row(self, &visit, reached)?;
        if own == visit.class.start {
            reached.insert(state.index());
            found.returns = true;
        }
        match component {
            None => self.check_outsider(state, found.retained),
            Some(id) => self.check_member(state, id, &found),
        }
    }

    /// Checks S3 for each edge of a state of an SCC.
    #[inline]
    fn check_edges(&self, visit: &Visit, reached: &mut BitSet) -> Result<Found, Violation> {
        let targets = self.graph.successors(visit.state);
        let followed = match visit.is_alone() {
            true => Followed {
                returns: true,
                is_wrong: self.leads_before(visit, targets),
            },
            false => self.follow(visit, targets, reached),
        };
        if followed.is_wrong {
            return Err(self.wrong_edge(visit));
        }
        Ok(Found {
            retained: None,
            returns: followed.returns,
        })
    }

    /// Checks O1 for each choice of a state.
    #[inline]
    fn check_choices(&self, visit: &Visit, reached: &mut BitSet) -> Result<Found, Violation> {
        let mut found = Found::default();
        let row = self.graph.successors(visit.state);
        let choices = self.graph.choices(visit.state);
        if !visit.is_alone() && self.classify(visit, row) == Effect::Retained {
            found.retained = choices.len().checked_sub(1);
            found.returns = self.follow(visit, row, reached).returns;
            return Ok(found);
        }
        for (i, choice) in choices.enumerate() {
            let targets = self.graph.targets(choice);
            match self.classify(visit, targets) {
                Effect::LeadsLater => {}
                Effect::Wrong => return Err(self.wrong_choice(visit, i, choice)),
                Effect::Retained => {
                    found.retained = Some(i);
                    found.returns |= self.follow(visit, targets, reached).returns;
                }
            }
        }
        Ok(found)
    }

    /// Classifies a choice with these targets, for the class of a state.
    #[inline]
    fn classify(&self, visit: &Visit, targets: &[StateId]) -> Effect {
        let (mut inside, mut later) = (true, false);
        for &target in targets {
            let to = self.place(target);
            later |= to >= visit.class.end;
            inside &= to >= visit.class.start;
        }
        match (inside, later) {
            (_, true) => Effect::LeadsLater,
            (true, false) => Effect::Retained,
            (false, false) => Effect::Wrong,
        }
    }

    /// Returns whether one of these targets is in an earlier class.
    #[inline]
    fn leads_before(&self, visit: &Visit, targets: &[StateId]) -> bool {
        let is_before = |&target: &StateId| self.place(target) < visit.class.start;
        let targets = targets.iter();
        targets.fold(false, |all, target| all | is_before(target))
    }

    /// Marks the targets that are later in the class as reached. Returns whether an edge is on the
    /// way back: to a state of the class with a smaller `back`, or to a state with the same `back`,
    /// which is earlier if this is 0, and later otherwise.
    #[inline]
    fn follow(&self, visit: &Visit, targets: &[StateId], reached: &mut BitSet) -> Followed {
        let mut followed = Followed::default();
        for &target in targets {
            let to = self.place(target);
            let back = self.back.get(target.index());
            let is_before = to < visit.class.start;
            let is_inside = !is_before & (to < visit.class.end);
            let is_later = is_inside & (to > visit.own);
            let is_next = match visit.back {
                0 => is_inside & (to < visit.own),
                _ => is_later,
            };
            reached.insert_if(target.index(), is_later);
            followed.returns |=
                (is_inside & (back < visit.back)) | (is_next & (back == visit.back));
            followed.is_wrong |= is_before;
        }
        followed
    }

    /// Checks M2, and the way back, for a state of a component.
    #[inline]
    fn check_member(
        &self,
        state: StateId,
        id: ComponentId,
        found: &Found,
    ) -> Result<(), Violation> {
        let kind = self.components.kind();
        if kind == ComponentKind::Mec && found.retained.is_none() {
            return Err(Violation::NoRetainedChoice {
                state,
                component: self.components.smallest(id),
            });
        }
        if !found.returns {
            return Err(Violation::NoReturn {
                kind,
                state,
                component: self.components.smallest(id),
            });
        }
        Ok(())
    }

    /// Checks M4, for a state that is in no component.
    #[inline]
    fn check_outsider(&self, state: StateId, retained: Option<usize>) -> Result<(), Violation> {
        if self.components.kind() != ComponentKind::Mec {
            return Err(Violation::NoComponent { state });
        }
        match retained {
            Some(choice) => Err(Violation::Stays { state, choice }),
            None => Ok(()),
        }
    }

    #[cold]
    fn empty_choice(&self, choice: ChoiceId) -> Violation {
        let ends = &self.graph.choice_offsets()[1..];
        let state = StateId::from_index(ends.partition_point(|&end| end <= choice.0));
        let first = self.graph.choice_range(state).start;
        Violation::EmptyChoice {
            state,
            choice: choice.index() - first,
        }
    }

    /// Returns the violation of an edge that leads to an earlier SCC.
    #[cold]
    fn wrong_edge(&self, visit: &Visit) -> Violation {
        let choices = self.graph.choices(visit.state).enumerate();
        let mut edges = choices.flat_map(|(i, choice)| {
            let targets = self.graph.targets(choice).iter();
            targets.map(move |&target| (i, target))
        });
        let is_earlier = |&(_, target): &_| self.place(target) < visit.class.start;
        let (choice, target) = edges.find(is_earlier).expect("an edge leads back");
        Violation::Backwards {
            state: visit.state,
            choice,
            target,
        }
    }

    /// Returns the violation of a choice that leaves its class, but not to a later class.
    #[cold]
    fn wrong_choice(&self, visit: &Visit, i: usize, choice: ChoiceId) -> Violation {
        let mut targets = self.graph.targets(choice).iter();
        let is_outside = |target: &&StateId| !visit.class.contains(&self.place(**target));
        Violation::NoLaterTarget {
            state: visit.state,
            choice: i,
            target: *targets.find(is_outside).expect("the choice leaves"),
        }
    }

    /// Returns the violation of a state that is not the first of its class, and to which no earlier
    /// state of the class leads.
    #[cold]
    fn unreached(&self, state: StateId) -> Violation {
        Violation::Unreached {
            kind: self.components.kind(),
            state,
            component: self.components.smallest_of(state).unwrap_or(state),
        }
    }
}

/// The effect of a choice on the class of its state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// All targets are in the class.
    Retained,
    /// Some target is in a later class.
    LeadsLater,
    /// Some target is outside, but none is in a later class.
    Wrong,
}

impl Visit {
    /// Returns whether the class consists of this state only.
    #[inline]
    fn is_alone(&self) -> bool {
        self.class.end == self.own + 1
    }
}
