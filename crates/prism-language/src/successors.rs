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

/// Receives the choices of a state and their branches.
pub trait Visitor {
    /// A new choice begins. `action` is its action; `None` if it has none, or if the only choice of
    /// a Markov chain consists of parts with different actions.
    fn choice(&mut self, action: Option<ActionId>);

    /// The current choice has a branch to `target`, packed, with this probability (in a CTMC:
    /// rate), which is above 0. If several branches of a choice have the same target, their weights
    /// are to be added.
    fn branch(&mut self, weight: f64, target: &[u64]);

    /// A part of the only choice of a Markov chain, or of the Markovian commands, begins: a command
    /// or a combination of commands, with this action. Its branches follow, if it has any.
    fn part(&mut self, _action: Option<ActionId>) {}

    /// Returns whether the rest of the state is not needed. Called every few thousand branches,
    /// because there can be very many if modules synchronise.
    fn is_over(&mut self) -> bool {
        false
    }
}

/// The numbers of choices and branches of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepSize {
    /// The number of commands, or combinations of commands that synchronise.
    pub choices: u128,
    /// The number of their branches.
    pub branches: u128,
}

/// Memory for [`Program::successors`], made by [`Program::scratch`]. It caches the effects of the
/// modules of its program, so it should be used for many states.
#[derive(Debug, Clone)]
pub struct Scratch {
    pub(crate) space: Workspace,
    /// The cache of each bundle.
    memories: Vec<Memory>,
    /// The number of queries, one for each state.
    asked: u64,
    /// The entry of each bundle for the state.
    entries: Vec<u32>,
    /// One bit for each rule, set if the rule can be taken in the state.
    allowed: Vec<u64>,
    steps: Steps,
}

/// The size to which all caches together may grow, in bytes.
const MAX_BYTES: usize = 8 << 20;

/// The least size at which a cache is full, in bytes.
const MIN_BYTES: usize = 1 << 13;

/// The approximate number of words of targets after which the visitor is asked whether to continue.
const WORDS_BETWEEN_ASKING: usize = 1 << 14;

/// The reason why the visitor does not receive everything.
enum End {
    Stop(Stop),
    /// The visitor needs no more.
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

    /// Makes caches that are cleared when they are larger than `max_bytes` each.
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

    /// Returns the size of the memory in bytes; it grows up to some megabytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.memories.iter().map(Memory::bytes).sum()
    }
}

impl Program {
    /// Makes the memory that some functions need. Each thread needs its own.
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        Scratch::new(self)
    }

    /// Calls `visitor` with the choices of `state` and their branches.
    ///
    /// An MDP has a choice for each enabled command, or combination of commands that synchronise.
    /// Markov chains have at most one choice. That of a DTMC takes each enabled command with the
    /// same probability; that of a CTMC has the rates of all. A state without choices is a
    /// deadlock. In a Markov automaton, the enabled Markovian commands together form one choice
    /// with the rates of all, and none if any other command is enabled.
    ///
    /// The order is Storm's, so that a breadth-first search numbers states as Storm does. First
    /// come the commands that do not synchronise, module by module, in their order. Then come the
    /// actions on which modules synchronise, in the order in which they first occur in a command,
    /// and for each action the combinations of commands, in which those of the last module change
    /// fastest. The branches of a combination are in the corresponding order. Branches with weight
    /// 0 are left out. Once [`Visitor::is_over`] returns true, the visitor is not called again.
    ///
    /// `state` must be a state of this program.
    ///
    /// # Errors
    ///
    /// If a variable leaves its range, probabilities do not sum to 1, a weight is negative or not
    /// finite, or an expression has no value. It is not an error if this concerns only commands of
    /// an action for which another module has no enabled command. The error names the state. The
    /// data that the visitor received before the error are not valid.
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
            let of_entry = memory.allowed(*entry, bundle.words.len());
            for (all, of_entry) in allowed[bundle.words.clone()].iter_mut().zip(of_entry) {
                *all &= of_entry;
            }
        }
        self.keep_progress(allowed);
    }

    /// Maximal progress: time does not pass if a step is possible that takes no time.
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

    /// Returns whether time passes in `state`, so that its only choice has rates. This is so in
    /// Markov automata if a Markovian command is enabled, and no other command.
    pub fn is_markovian(&self, scratch: &mut Scratch, state: &[u64]) -> bool {
        self.look_up(scratch, state);
        let first = self.allowed_rules(scratch).next();
        first.is_some_and(|rule| rule >= self.first_markovian)
    }

    /// Visits the choices of a state, whose entries were looked up.
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

    /// Takes each move of a group that does not synchronise.
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

    /// Takes each combination of one move of each party, in which that of the last party changes
    /// fastest.
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

    /// Takes each combination of one branch of the move of each party, in which that of the last
    /// party changes fastest. The first `settled` parties have a single branch and take it as
    /// before.
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
            // This is not done at each branch, because a combination may have no branches.
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

    /// Returns the moves of a party in the state.
    #[inline]
    fn moves<'m>(&self, party: Party, memory: &'m Memory, entries: &[u32]) -> &'m [Move] {
        let groups = self.bundles[party.bundle as usize].groups.len();
        memory.moves(entries[party.bundle as usize], party.at, groups)
    }

    /// Returns the range of the moves of a party in the state.
    fn move_range(&self, party: Party, memories: &[Memory], entries: &[u32]) -> (u32, u32) {
        let bundle = party.bundle as usize;
        let groups = self.bundles[bundle].groups.len();
        memories[bundle].move_range(entries[bundle], party.at, groups)
    }

    /// Returns the rules that can be taken.
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

    /// Returns the number of choices of the rules that can be taken.
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

    /// Returns the numbers of choices and branches that [`successors`](Self::successors) computes
    /// for a state, if it is not stopped and branches are not added. The choices of a Markov chain
    /// are counted separately.
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

    /// Returns the actions of the moves of a rule with one group.
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

    /// Returns the action of the only choice of a chain: that of its parts, if they all have the
    /// same action. A part without branches in this state, because its rate is 0, does not count.
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

/// Applies the changes to `source`, and writes the result to `target`.
#[inline(always)]
fn overwrite(source: &[u64], changes: &[Change], target: &mut [u64]) {
    for ((target, source), change) in target.iter_mut().zip(source).zip(changes) {
        *target = change.apply(*source);
    }
}

/// Passes choices to a visitor. For Markov chains, it merges them into one.
struct Choices<'v, V> {
    visitor: &'v mut V,
    /// The number of branches between two times at which the visitor is asked whether to continue.
    patience: usize,
    left: usize,
    merged: bool,
    /// Whether the only choice of a Markov chain has begun.
    begun: bool,
    /// The number by which probabilities are divided.
    share: u64,
    /// The action of the only choice of a Markov chain.
    action: Option<ActionId>,
}

impl<V: Visitor> Choices<'_, V> {
    /// Asks the visitor from time to time whether to continue.
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
