//! Checks that explored states are those of their system, with all of their choices, in a fixed
//! number of supersteps.
//!
//! The packed states and the parts are the certificate: the parts have the numbers of the
//! successors of each state, so the checker needs no search. The obligations are those of
//! `certify::check_exploration`:
//!
//! - E1: the first states are the initial ones, in order if the numbers are those of a sequential
//!   search;
//! - E2: each state has the choices that the system computes, in order, with the same targets in
//!   the same order; states without a choice are treated as the options say;
//! - E3: each other state has an edge from a state with a smaller number;
//! - E4: no two numbers stand for the same packed state;
//! - E5: if the numbers are those of a sequential search, each state is found before all with
//!   greater numbers.
//!
//! By E1 and E2, the set of states contains the initial states and is closed under successors. By
//! E3, each state can be reached. By E4, the graph is that of the system. By E5, the numbers are
//! unique. The only code shared with the search computes the successors of one state.

use super::check::settle;
use super::violation::Violation;
use crate::error::{Error, agree};
use crate::explore::{ExploreOptions, Numbering, States};
use crate::net::Net;
use crate::part::Part;
use explore::{Expander, System};
use mdp_graph::{BitSet, ChoiceId, Deadlocks, StateId};

/// Checks the result of exploring with these options: the packed states of this worker, and its
/// part.
///
/// # Errors
/// [`Error::Violation`] for the worker with the first state that violates an obligation,
/// [`Error::System`] for a worker that cannot compute the choices of a state, and
/// [`Error::Elsewhere`] for the others.
pub fn check_states<S: System>(
    system: &S,
    states: &States,
    part: &Part,
    options: &ExploreOptions,
    net: &mut Net<'_>,
) -> Result<(), Error> {
    let (worker, words) = (net.me(), system.words());
    let has_form = states.words() == words && states.len() == part.num_own();
    let other = Violation::OtherStates { worker };
    settle((!has_form).then_some(other), net)?;
    let mut expander = Expander::new(system);
    let initial = expander.initial_states().map(<[u64]>::to_vec);
    let initial = agree(
        net,
        initial.map_err(|error| Error::System(Error::of_system(error))),
    )?;
    let mut check = Check {
        states,
        part,
        ghosts: ghosts(states, part, net),
        num_initial: (initial.len() / words) as u64,
        first: None,
    };
    check.check_initial(&initial, options.numbering);
    check.check_reached(net);
    check.check_distinct(net);
    if options.numbering == Numbering::Sequential {
        check.check_order(net);
    }
    settle(check.first.take(), net)?;
    let found = check.check_rows(&mut expander, options.deadlocks);
    let found = agree(net, found)?;
    settle(found, net)
}

/// Returns the packed states of a worker's ghosts, which are requested from their owners.
fn ghosts(states: &States, part: &Part, net: &mut Net<'_>) -> Vec<u64> {
    let words = states.words();
    let mut requests = net.outbox();
    for ghost in 0..part.num_ghosts() as u32 {
        let (owner, own) = part.owner_of(ghost);
        requests.push(net, owner, own);
    }
    let requests = net.exchange(requests);
    let mut answers = net.outbox();
    for (sender, own) in requests {
        for &word in states.get(own as usize) {
            answers.push(net, sender, word);
        }
    }
    // Ghosts are in the order of their owners, and answers arrive in the order of the requests.
    let ghosts: Vec<u64> = net
        .exchange(answers)
        .into_iter()
        .map(|(_, word)| word)
        .collect();
    debug_assert_eq!(ghosts.len(), words * part.num_ghosts());
    ghosts
}

struct Check<'a> {
    states: &'a States,
    part: &'a Part,
    ghosts: Vec<u64>,
    num_initial: u64,
    /// The violation with the smallest state so far.
    first: Option<Violation>,
}

impl Check<'_> {
    /// Records a violation. Only the one with the smallest state is kept.
    fn report(&mut self, violation: Violation) {
        let is_first = |known: &Violation| violation.state() < known.state();
        if self.first.as_ref().is_none_or(is_first) {
            self.first = Some(violation);
        }
    }

    /// Returns the packed state of a state of the part's graph.
    fn packed(&self, state: StateId) -> &[u64] {
        let words = self.states.words();
        match self.part.ghost(state) {
            None => self.states.get(state.index()),
            Some(ghost) => &self.ghosts[ghost as usize * words..][..words],
        }
    }

    /// Returns the targets of an own state, one choice after another.
    fn targets(&self, own: u32) -> impl Iterator<Item = StateId> + '_ {
        let choices = self.part.choices(own);
        choices.flat_map(|choice| self.part.graph().targets(choice).iter().copied())
    }

    /// Checks E1. If the numbers are not those of a sequential search, the initial states may be in
    /// another order.
    fn check_initial(&mut self, initial: &[u64], numbering: Numbering) {
        let total = self.part.ranges().num_states();
        if self.num_initial > total {
            let state = self.part.global(0);
            return self.report(Violation::Initial { state });
        }
        let words = self.states.words();
        let mut sorted: Vec<&[u64]> = initial.chunks_exact(words).collect();
        sorted.sort_unstable();
        let is_other = |own: &u32| {
            let packed = self.states.get(*own as usize);
            match numbering {
                Numbering::ByLevels => sorted.binary_search(&packed).is_err(),
                Numbering::Sequential => {
                    packed != &initial[self.part.global(*own) as usize * words..][..words]
                }
            }
        };
        let is_initial = |own: &u32| self.part.global(*own) < self.num_initial;
        let mut first = self.part.states().take_while(is_initial);
        if let Some(own) = first.find(is_other) {
            let state = self.part.global(own);
            self.report(Violation::Initial { state });
        }
    }

    /// Checks E3.
    fn check_reached(&mut self, net: &mut Net<'_>) {
        let part = self.part;
        let mut reached = BitSet::new(part.num_own() + part.num_ghosts());
        for own in part.states() {
            for target in self.targets(own) {
                if part.global(own) < part.global_of(target) {
                    reached.insert(target.index());
                }
            }
        }
        let mut outbox = net.outbox::<u32>();
        for ghost in 0..part.num_ghosts() as u32 {
            if reached.contains(part.num_own() + ghost as usize) {
                let (owner, own) = part.owner_of(ghost);
                outbox.push(net, owner, own);
            }
        }
        for (_, own) in net.exchange(outbox) {
            reached.insert(own as usize);
        }
        let is_unreached =
            |&own: &u32| part.global(own) >= self.num_initial && !reached.contains(own as usize);
        if let Some(own) = part.states().find(is_unreached) {
            self.report(Violation::Unfound {
                state: part.global(own),
            });
        }
    }

    /// Checks E4: equal states are sent to the same worker.
    fn check_distinct(&mut self, net: &mut Net<'_>) {
        let (words, workers) = (self.states.words(), net.workers());
        let mut outbox = net.outbox();
        for own in self.part.states() {
            let state = self.states.get(own as usize);
            let mixed = state.iter().fold(0u64, |sum, &word| {
                (sum ^ word)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(29)
            });
            let to = (mixed % workers as u64) as usize;
            for &word in state {
                outbox.push(net, to, word);
            }
            outbox.push(net, to, self.part.global(own));
        }
        let all: Vec<u64> = net
            .exchange(outbox)
            .into_iter()
            .map(|(_, word)| word)
            .collect();
        let mut met: Vec<&[u64]> = all.chunks_exact(words + 1).collect();
        met.sort_unstable();
        for pair in met.windows(2) {
            if pair[0][..words] == pair[1][..words] {
                let (first, second) = (pair[0][words], pair[1][words]);
                self.report(Violation::Repeated {
                    state: second,
                    first,
                });
            }
        }
    }

    /// Checks E5: the first occurrences of targets are in ascending order without gaps.
    fn check_order(&mut self, net: &mut Net<'_>) {
        let part = self.part;
        let end_of = |target: StateId| part.global_of(target) + 1;
        let most = part.states().flat_map(|own| self.targets(own)).map(end_of);
        let ends = net.gather(most.max().unwrap_or(0));
        let before = ends[..net.me()].iter().copied().max().unwrap_or(0);
        let mut known = before.max(self.num_initial);
        let mut is_late = |own: &u32| {
            self.targets(*own).map(end_of).any(|end| {
                let is_late = end > known + 1;
                known = known.max(end);
                is_late
            })
        };
        if let Some(own) = part.states().find(&mut is_late) {
            let state = part.global(own);
            self.report(Violation::OutOfOrder { state });
        }
    }

    /// Checks E2.
    fn check_rows<S: System>(
        &self,
        expander: &mut Expander<'_, S>,
        deadlocks: Deadlocks,
    ) -> Result<Option<Violation>, Error> {
        let mut found_deadlocks = 0;
        for own in self.part.states() {
            let packed = self.states.get(own as usize);
            let row = expander.row(packed);
            let row = row.map_err(|error| Error::System(Error::of_system(error)))?;
            let state = self.part.global(own);
            let mut claimed = self.part.choices(own);
            if row.branch_ends.is_empty() {
                found_deadlocks += 1;
                let is_right = match deadlocks {
                    Deadlocks::SelfLoop => self.stays(own),
                    _ => claimed.len() == 0,
                };
                if !is_right {
                    return Ok(Some(Violation::OtherChoices { state }));
                }
                continue;
            }
            if claimed.len() != row.branch_ends.len() {
                return Ok(Some(Violation::OtherChoices { state }));
            }
            let words = self.states.words();
            let mut begin = 0;
            for (choice, &end) in row.branch_ends.iter().enumerate() {
                let targets = &row.targets[begin * words..end as usize * words];
                begin = end as usize;
                if !claimed
                    .next()
                    .is_some_and(|claimed| self.leads_to(claimed, targets))
                {
                    return Ok(Some(Violation::OtherTargets { state, choice }));
                }
            }
        }
        let state = self.part.global(0);
        let is_counted = found_deadlocks == self.part.deadlocks();
        Ok((!is_counted).then_some(Violation::OtherDeadlocks { state }))
    }

    /// Returns whether all choices of an own state are self-loops.
    fn stays(&self, own: u32) -> bool {
        self.part.choices(own).len() == 1 && self.targets(own).eq([StateId(own)])
    }

    /// Returns whether the targets of a choice are these packed states.
    fn leads_to(&self, choice: ChoiceId, packed: &[u64]) -> bool {
        let claimed = self.part.graph().targets(choice).iter();
        let claimed = claimed.map(|&target| self.packed(target));
        claimed.eq(packed.chunks_exact(self.states.words()))
    }
}
