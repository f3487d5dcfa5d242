//! Computes the successors of a state. This is the innermost loop of exploration.
//!
//! In pseudo-code:
//!
//! ```text
//! for each bundle of groups: look up what its commands do, or compute it and remember it
//! for each rule of which all groups have moves (an intersection of sets of bits):
//!     for each way to take one move of each group (last group fastest): a choice
//!         for each way to take one branch of each move (last move fastest): a branch, with
//!             weight = product; target = the state, overwritten by each branch
//! ```
//!
//! [`Program::successors`] documents the order of choices. `moves` caches results, and `bundles`
//! decides which of them are cached together.

use crate::bundles::Party;
use crate::composition::ActionId;
use crate::error::Error;
use crate::moves::{Change, Memory, Move, Workspace};
use crate::program::Program;
use crate::rule::Rule;
use crate::steps::{Steps, product, share};
use crate::stop::Stop;
use model_type::ModelType;

/// Is told what can happen in a state, choice by choice.
pub trait Visitor {
    /// A new choice begins. `action` is its label; `None` if it has none, or if a Markov chain's
    /// one choice is made of parts that differ in it.
    fn choice(&mut self, action: Option<ActionId>);

    /// The current choice leads to `target`, packed, with this probability (in a CTMC: rate), which
    /// is positive. Several branches of a choice may lead to the same target: add them up.
    fn branch(&mut self, weight: f64, target: &[u64]);

    /// A part of the one choice of a Markov chain, or of the Markovian commands, begins: a command
    /// or a combination of commands, with this action. Its branches follow, if it has any.
    fn part(&mut self, _action: Option<ActionId>) {}

    /// Whether the rest of the state is of no use, so that it need not be told. Asked every few
    /// thousand branches: where modules synchronise, there can be more than anybody lives to see.
    fn is_over(&mut self) -> bool {
        false
    }
}

/// How large the step of a state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepSize {
    /// Commands, or combinations of commands that synchronise.
    pub choices: u128,
    /// Their branches together.
    pub branches: u128,
}

/// Memory for [`Program::successors`], made by [`Program::scratch`]. It remembers what the modules
/// of its program do, so use it for many states.
#[derive(Debug, Clone)]
pub struct Scratch {
    pub(crate) space: Workspace,
    /// For each bundle what it remembers.
    memories: Vec<Memory>,
    /// The number of states that were asked for.
    asked: u64,
    /// For each bundle its entry for the state.
    entries: Vec<u32>,
    /// A bit for each rule: whether it can be taken in the state.
    allowed: Vec<u64>,
    steps: Steps,
}

/// The size to which the memories together may grow, in bytes.
const MAX_BYTES: usize = 8 << 20;

/// No memory is smaller than this when it is full, in bytes.
const MIN_BYTES: usize = 1 << 16;

/// The visitor is asked whether to continue after this many words of targets, about.
const WORDS_BETWEEN_ASKING: usize = 1 << 14;

/// Why not all of a state is told.
enum End {
    Stop(Stop),
    /// The visitor wants no more.
    Over,
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl Scratch {
    pub(crate) fn new(program: &Program) -> Self {
        let share = MAX_BYTES / program.bundles.len().max(1);
        Self::with_memories(program, share.max(MIN_BYTES))
    }

    /// Each bundle's memory begins anew when it is larger than `max_bytes`.
    fn with_memories(program: &Program, max_bytes: usize) -> Self {
        let parties = program.parties.iter().map(Vec::len).max().unwrap_or(1);
        let bundles = &program.bundles;
        let memory = |bundle| Memory::new(program, bundle, max_bytes);
        Self {
            space: Workspace::new(program),
            memories: bundles.iter().map(memory).collect(),
            asked: 0,
            entries: vec![0; bundles.len()],
            allowed: vec![0; program.all_rules.len()],
            steps: Steps::new(parties, program.words),
        }
    }

    /// The memory held, in bytes; it grows up to some megabytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.memories.iter().map(Memory::bytes).sum()
    }
}

impl Program {
    /// Memory for the calls that need some; one for each thread.
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        Scratch::new(self)
    }

    /// Tells `visitor` what can happen in `state`.
    ///
    /// An MDP has a choice for each command, or combination of commands that synchronise, that is
    /// enabled. Markov chains have one choice at most: that of a DTMC takes each enabled command
    /// with the same probability, that of a CTMC has the rates of all. A state without any choice
    /// is a deadlock. In a Markov automaton the Markovian commands that are enabled make one choice
    /// with the rates of all, and none if any other command is enabled.
    ///
    /// The order is Storm's, so that a breadth-first search numbers states as Storm does. First
    /// come the commands that synchronise with nobody, module by module, in their order. Then come
    /// the actions on which modules synchronise, in the order in which they first stand in a
    /// command, and for each the combinations of commands, those of the last module changing
    /// fastest. The branches of a combination come likewise. Branches with weight 0 are left out.
    /// Nothing more is told once [`Visitor::is_over`].
    ///
    /// `state` must be one that this program made.
    ///
    /// # Errors
    ///
    /// If a variable leaves its range, probabilities do not sum to 1, a weight is negative or not
    /// finite, or an expression has no value; not if this concerns only commands of an action for
    /// which some other module has no command that is enabled. The error names the state. What the
    /// visitor was told before is then of no use.
    pub fn successors<V: Visitor>(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        visitor: &mut V,
    ) -> Result<(), Error> {
        self.look_up(scratch, state);
        match self.take_steps(scratch, state, visitor) {
            Ok(()) | Err(End::Over) => Ok(()),
            Err(End::Stop(stop)) => Err(self.explain(&stop, state)),
        }
    }

    /// Finds the entries of the state, and the rules that can be taken.
    pub(crate) fn look_up(&self, scratch: &mut Scratch, state: &[u64]) {
        let Scratch {
            space,
            memories,
            asked,
            entries,
            allowed,
            ..
        } = scratch;
        *asked += 1;
        allowed.copy_from_slice(&self.all_rules);
        let known = self.bundles.iter().zip(memories).zip(entries);
        for ((bundle, memory), entry) in known {
            let key = bundle.key.as_ref().filter(|_| memory.remembers());
            let found = key.and_then(|key| memory.find(key.of(state)));
            *entry = match found {
                Some(entry) => entry,
                None => self.compute(bundle, state, memory, space, *asked),
            };
            let of_entry = memory.allowed(*entry, self.all_rules.len());
            for (all, of_entry) in allowed.iter_mut().zip(of_entry) {
                *all &= of_entry;
            }
        }
        self.keep_progress(allowed);
    }

    /// Maximal progress: where a step takes no time, time does not pass.
    fn keep_progress(&self, allowed: &mut [u64]) {
        let first = self.first_markovian;
        if first == self.rules.len() {
            return;
        }
        let (word, bit) = (first / 64, first % 64);
        let before = (1 << bit) - 1;
        if allowed[..word].iter().any(|&rules| rules != 0) || allowed[word] & before != 0 {
            allowed[word] &= before;
            allowed[word + 1..].fill(0);
        }
    }

    /// Whether time passes in `state`, so that its one choice has rates: in Markov automata where
    /// a Markovian command is enabled and no other one.
    pub fn is_markovian(&self, scratch: &mut Scratch, state: &[u64]) -> bool {
        self.look_up(scratch, state);
        let first = self.allowed_rules(scratch).next();
        first.is_some_and(|rule| rule >= self.first_markovian)
    }

    fn take_steps<V: Visitor>(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        visitor: &mut V,
    ) -> Result<(), End> {
        let patience = (WORDS_BETWEEN_ASKING / self.words).max(1);
        let mut choices = Choices {
            visitor,
            patience,
            left: patience,
            merged: !self.model_type.is_nondeterministic(),
            begun: false,
            share: 1,
            action: None,
        };
        if choices.merged {
            let count = self.count_choices(scratch);
            choices.action = self.only_action(scratch);
            if matches!(self.model_type, ModelType::Dtmc | ModelType::Idtmc) {
                choices.share = count;
            }
        }
        scratch.steps.targets[..self.words].copy_from_slice(state);
        for word in 0..self.all_rules.len() {
            let mut rules = scratch.allowed[word];
            while rules != 0 {
                let rule = 64 * word + rules.trailing_zeros() as usize;
                rules &= rules - 1;
                match (&self.rules[rule], &self.parties[rule][..]) {
                    (Rule::Together(action, _), parties) => {
                        self.take_together(*action, parties, scratch, &mut choices)?;
                    }
                    (Rule::Markovian(_), parties) => {
                        choices.merged = true;
                        self.take_alone(parties[0], scratch, state, &mut choices)?;
                    }
                    (Rule::Alone(_), parties) => {
                        for party in parties {
                            self.take_alone(*party, scratch, state, &mut choices)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// All moves of a group that nobody synchronises with.
    #[inline]
    fn take_alone<V: Visitor>(
        &self,
        party: Party,
        scratch: &mut Scratch,
        state: &[u64],
        choices: &mut Choices<'_, V>,
    ) -> Result<(), Stop> {
        let memory = &scratch.memories[party.bundle as usize];
        let target = &mut scratch.steps.targets[self.words..][..self.words];
        for &Move { action, start, end } in self.moves(party, memory, &scratch.entries) {
            choices.begin(action);
            for branch in start..end {
                let weight = memory.weight(branch)?;
                let changes = memory.changes(branch, self.words);
                if let ([word], [change]) = (state, changes) {
                    choices.branch(weight, &[change.apply(*word)]);
                } else {
                    overwrite(state, changes, target);
                    choices.branch(weight, target);
                }
            }
        }
        Ok(())
    }

    /// All ways to take one move of each party, the last party fastest.
    fn take_together<V: Visitor>(
        &self,
        action: Option<ActionId>,
        parties: &[Party],
        scratch: &mut Scratch,
        choices: &mut Choices<'_, V>,
    ) -> Result<(), End> {
        let Scratch {
            memories,
            entries,
            steps,
            ..
        } = scratch;
        for (party, moves) in parties.iter().zip(&mut steps.moves) {
            let (start, end) = self.move_range(*party, memories, entries);
            *moves = [start, start, end];
        }
        let mut settled = 0;
        loop {
            choices.begin(action);
            self.take_branches(settled, parties, memories, steps, choices)?;
            let Some(changed) = steps.next_moves(parties.len()) else {
                return Ok(());
            };
            settled = steps.settled(settled.min(changed), changed, parties, memories);
        }
    }

    /// All ways to take one branch of the move of each party, the last party fastest. The first
    /// `settled` parties take the only branches that they have, as the time before.
    fn take_branches<V: Visitor>(
        &self,
        settled: usize,
        parties: &[Party],
        memories: &[Memory],
        steps: &mut Steps,
        choices: &mut Choices<'_, V>,
    ) -> Result<(), End> {
        let words = self.words;
        let mut level = settled;
        steps.branches[level] = steps.taken(level, parties, memories);
        loop {
            // Here and not at each branch: combinations may have none.
            choices.go_on()?;
            let [branch, end] = steps.branches[level];
            if branch == end {
                if level == settled {
                    return Ok(());
                }
                level -= 1;
                continue;
            }
            steps.branches[level][0] += 1;
            let memory = &memories[parties[level].bundle as usize];
            steps.weights[level + 1] = product(steps.weights[level], memory.weight(branch)?);
            let (before, after) = steps.targets.split_at_mut((level + 1) * words);
            let target = &mut after[..words];
            overwrite(
                &before[level * words..],
                memory.changes(branch, words),
                target,
            );
            if level + 1 == parties.len() {
                choices.branch(steps.weights[level + 1], target);
            } else {
                level += 1;
                steps.branches[level] = steps.taken(level, parties, memories);
            }
        }
    }

    /// The moves of a party in the state.
    #[inline]
    fn moves<'m>(&self, party: Party, memory: &'m Memory, entries: &[u32]) -> &'m [Move] {
        let groups = self.bundles[party.bundle as usize].groups.len();
        memory.moves(entries[party.bundle as usize], party.at, groups)
    }

    /// Where the moves of a party in the state are.
    fn move_range(&self, party: Party, memories: &[Memory], entries: &[u32]) -> (u32, u32) {
        let bundle = party.bundle as usize;
        let groups = self.bundles[bundle].groups.len();
        memories[bundle].move_range(entries[bundle], party.at, groups)
    }

    /// The rules that can be taken.
    pub(crate) fn allowed_rules<'s>(
        &self,
        scratch: &'s Scratch,
    ) -> impl Iterator<Item = usize> + use<'s> {
        let words = scratch.allowed.iter().enumerate();
        let rules = words.flat_map(|(i, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                let is_left = left != 0;
                left &= left.wrapping_sub(1);
                is_left.then_some(64 * i + bit)
            })
        });
        rules.take(self.rules.len())
    }

    /// The number of choices that the rules have that can be taken.
    pub(crate) fn count_choices(&self, scratch: &Scratch) -> u64 {
        let mut count: u64 = 0;
        for rule in self.allowed_rules(scratch) {
            let mut ways: u64 = 1;
            for &party in &self.parties[rule] {
                let (start, end) = self.move_range(party, &scratch.memories, &scratch.entries);
                ways = ways.saturating_mul(u64::from(end - start));
            }
            count = count.saturating_add(ways);
        }
        count
    }

    /// How many choices and branches [`successors`](Self::successors) makes of a state, before it
    /// is told to stop and before any branches are added up; a Markov chain's choices are counted
    /// one by one.
    #[must_use]
    pub fn step_size(&self, scratch: &mut Scratch, state: &[u64]) -> StepSize {
        self.look_up(scratch, state);
        let mut size = StepSize::default();
        for rule in self.allowed_rules(scratch) {
            let (mut choices, mut branches) = (1_u128, 1_u128);
            for &party in &self.parties[rule] {
                let memory = &scratch.memories[party.bundle as usize];
                let moves = self.moves(party, memory, &scratch.entries);
                let of_all = moves.iter().map(|m| u128::from(m.end - m.start)).sum();
                choices = choices.saturating_mul(moves.len() as u128);
                branches = branches.saturating_mul(of_all);
            }
            size.choices = size.choices.saturating_add(choices);
            size.branches = size.branches.saturating_add(branches);
        }
        size
    }

    /// The actions of the moves that a rule of one group has.
    pub(crate) fn actions_alone<'s>(
        &self,
        scratch: &'s Scratch,
        rule: usize,
    ) -> impl Iterator<Item = Option<ActionId>> + 's {
        let party = self.parties[rule][0];
        let memory = &scratch.memories[party.bundle as usize];
        self.moves(party, memory, &scratch.entries)
            .iter()
            .map(|step| step.action)
    }

    /// The action of a chain's one choice: that of its parts, if they all have the same one. What
    /// has no branch in this state, as its rate is 0, is no part.
    fn only_action(&self, scratch: &Scratch) -> Option<ActionId> {
        let mut only = None;
        if self.actions().is_empty() {
            return None;
        }
        for rule in self.allowed_rules(scratch) {
            let parties = &self.parties[rule];
            let moves = |party: &Party| {
                let memory = &scratch.memories[party.bundle as usize];
                self.moves(*party, memory, &scratch.entries).iter()
            };
            let can_be_taken = |step: &&Move| step.start < step.end;
            if let Rule::Together(action, _) = self.rules[rule] {
                let are_taken =
                    (parties.iter()).all(|party| moves(party).any(|m| can_be_taken(&m)));
                if are_taken && *only.get_or_insert(action) != action {
                    return None;
                }
                continue;
            }
            let mut actions = (parties.iter().flat_map(moves))
                .filter(can_be_taken)
                .map(|step| step.action);
            if !actions.all(|action| *only.get_or_insert(action) == action) {
                return None;
            }
        }
        only.flatten()
    }
}

/// Writes to `target` what the changes make of `source`.
#[inline(always)]
fn overwrite(source: &[u64], changes: &[Change], target: &mut [u64]) {
    for ((target, source), change) in target.iter_mut().zip(source).zip(changes) {
        *target = change.apply(*source);
    }
}

/// Passes choices on, made one for Markov chains.
struct Choices<'v, V> {
    visitor: &'v mut V,
    /// How often it goes on without asking, and how often before it asks again.
    patience: usize,
    left: usize,
    merged: bool,
    /// Whether the one choice of a Markov chain has begun.
    begun: bool,
    /// By how much probabilities are divided.
    share: u64,
    /// The action of a Markov chain's one choice.
    action: Option<ActionId>,
}

impl<V: Visitor> Choices<'_, V> {
    /// Asks the visitor now and then whether to continue.
    #[inline(always)]
    fn go_on(&mut self) -> Result<(), End> {
        self.left -= 1;
        match self.left {
            0 => self.ask(),
            _ => Ok(()),
        }
    }

    #[cold]
    fn ask(&mut self) -> Result<(), End> {
        self.left = self.patience;
        match self.visitor.is_over() {
            true => Err(End::Over),
            false => Ok(()),
        }
    }

    #[inline]
    fn begin(&mut self, action: Option<ActionId>) {
        match self.merged {
            true => self.visitor.part(action),
            false => self.visitor.choice(action),
        }
    }

    #[inline]
    fn branch(&mut self, weight: f64, target: &[u64]) {
        let mut weight = weight;
        if self.merged {
            if !self.begun {
                self.begun = true;
                self.visitor.choice(self.action);
            }
            if self.share > 1 {
                weight = share(weight, self.share);
            }
        }
        self.visitor.branch(weight, target);
    }
}

#[cfg(test)]
mod tests;
