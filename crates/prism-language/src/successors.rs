//! What can happen in a state. This is the innermost loop of exploration.
//!
//! In pseudo-code:
//!
//! ```text
//! unpack the state
//! for each rule: for each of its groups: list the commands whose guard holds; drop the rule if none
//! for each rule: for each way to take one command of each group (last group fastest): a choice
//!     for each way to take one branch of each command (last command fastest):
//!         weight = product; target = the state, overwritten by each branch; a branch unless weight is 0
//! ```
//!
//! The order of choices is promised by [`Program::successors`].

use crate::arith::{to_double, to_int};
use crate::ast::ModelType;
use crate::commands::{Branch, Computation, Sum, Weight, is_one};
use crate::composition::ActionId;
use crate::error::Error;
use crate::program::{Program, Rule};
use crate::stop::Stop;

/// Is told what can happen in a state, choice by choice.
pub trait Visitor {
    /// A new choice begins. `action` is its label; `None` if it has none, or if a Markov chain's one
    /// choice is made of several.
    fn choice(&mut self, action: Option<ActionId>);

    /// The current choice leads to `target`, packed, with this probability (in a CTMC: rate), which is
    /// positive. Several branches of a choice may lead to the same target: add them up.
    fn branch(&mut self, weight: f64, target: &[u64]);
}

/// Memory for [`Program::successors`], made by [`Program::scratch`].
#[derive(Debug, Clone)]
pub struct Scratch {
    pub(crate) values: Vec<i64>,
    pub(crate) stack: Vec<u64>,
    /// Enabled commands.
    enabled: Vec<u32>,
    /// For each group of each rule that can be taken: where its commands end in `enabled`.
    ends: Vec<u32>,
    /// Rules that can be taken.
    rules: Vec<Enabled>,
    steps: Steps,
}

/// A rule that can be taken, with the places of its groups' ends.
#[derive(Debug, Clone, Copy)]
struct Enabled {
    rule: u32,
    /// Where the commands of its first group begin in `enabled`.
    start: u32,
    first_end: u32,
    last_end: u32,
}

/// What is needed to take a step: one entry for each command that takes part, and one more.
#[derive(Debug, Clone)]
struct Steps {
    commands: Vec<u32>,
    /// Where in its group each command is.
    picks: Vec<u32>,
    /// The branch of each command.
    branches: Vec<u32>,
    weights: Vec<f64>,
    /// Packed states: entry 0 is the source, entry i+1 what the first i+1 branches make of it.
    targets: Vec<u64>,
}

impl Scratch {
    pub(crate) fn new(program: &Program) -> Self {
        let parties = program.rules.iter().map(|rule| match rule {
            Rule::Alone(_) => 1,
            Rule::Together(_, groups) => groups.len(),
        });
        let parties = parties.max().unwrap_or(1);
        Self {
            values: vec![0; program.variables.len()],
            stack: program.code.stack(),
            enabled: Vec::new(),
            ends: Vec::new(),
            rules: Vec::new(),
            steps: Steps {
                commands: vec![0; parties],
                picks: vec![0; parties],
                branches: vec![0; parties],
                weights: vec![1.0; parties + 1],
                targets: vec![0; (parties + 1) * program.words],
            },
        }
    }
}

impl Program {
    /// Tells `visitor` what can happen in `state`.
    ///
    /// An MDP has a choice for each command, or combination of commands that synchronise, that is
    /// enabled. Markov chains have one choice at most: that of a DTMC takes each enabled command with
    /// the same probability, that of a CTMC has the rates of all. A state without any choice is a
    /// deadlock.
    ///
    /// The order is Storm's, so that a breadth-first search numbers states as Storm does. First come the
    /// commands that synchronise with nobody, module by module, in their order. Then come the actions on
    /// which modules synchronise, in the order in which they first stand in a command, and for each the
    /// combinations of commands, those of the last module changing fastest. The branches of a combination
    /// come likewise. Branches with weight 0 are left out.
    ///
    /// `state` must be one that this program made.
    ///
    /// # Errors
    ///
    /// If a variable leaves its range, probabilities do not sum to 1, a weight is negative or not finite,
    /// or an expression has no value. The error names the state. What the visitor was told before is
    /// then of no use.
    pub fn successors<V: Visitor>(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        visitor: &mut V,
    ) -> Result<(), Error> {
        self.unpack(state, &mut scratch.values);
        scratch.steps.targets[..self.words].copy_from_slice(state);
        let done = match self.list_enabled(scratch) {
            Ok(()) => self.take_steps(scratch, visitor),
            stopped => stopped,
        };
        done.map_err(|stop| self.explain(&stop, state))
    }

    fn list_enabled(&self, scratch: &mut Scratch) -> Result<(), Stop> {
        scratch.enabled.clear();
        scratch.ends.clear();
        scratch.rules.clear();
        for (index, rule) in self.rules.iter().enumerate() {
            let groups = match rule {
                Rule::Alone(group) => std::slice::from_ref(group),
                Rule::Together(_, groups) => {
                    let none = |&group: &u32| {
                        let group = &self.groups[group as usize];
                        group.candidates(&scratch.values).is_empty()
                    };
                    if groups.iter().any(none) {
                        continue;
                    }
                    groups
                }
            };
            let start = scratch.enabled.len() as u32;
            let first_end = scratch.ends.len() as u32;
            let mut last = start;
            for &group in groups {
                self.list_group(group, scratch)?;
                let end = scratch.enabled.len() as u32;
                if end == last {
                    break;
                }
                scratch.ends.push(end);
                last = end;
            }
            let last_end = scratch.ends.len() as u32;
            if (last_end - first_end) as usize == groups.len() {
                scratch.rules.push(Enabled {
                    rule: index as u32,
                    start,
                    first_end,
                    last_end,
                });
            } else {
                scratch.enabled.truncate(start as usize);
                scratch.ends.truncate(first_end as usize);
            }
        }
        Ok(())
    }

    fn list_group(&self, group: u32, scratch: &mut Scratch) -> Result<(), Stop> {
        let Scratch {
            values,
            stack,
            enabled,
            ..
        } = scratch;
        for &index in self.groups[group as usize].candidates(values) {
            let command = &self.commands[index as usize];
            if let Some(guard) = command.guard
                && self.code.run(guard, values, stack)? == 0
            {
                continue;
            }
            match command.sum {
                Sum::Right => {}
                Sum::Wrong(sum) => {
                    return Err(Stop::Sum {
                        command: index,
                        sum,
                    });
                }
                Sum::Varies => self.check_sum(index, values, stack)?,
            }
            enabled.push(index);
        }
        Ok(())
    }

    fn check_sum(&self, index: u32, values: &[i64], stack: &mut [u64]) -> Result<(), Stop> {
        let mut sum = 0.0;
        for branch in self.commands[index as usize].branches.clone() {
            sum += self.weight(branch, index, values, stack)?;
        }
        match is_one(sum) {
            true => Ok(()),
            false => Err(Stop::Sum {
                command: index,
                sum,
            }),
        }
    }

    #[inline]
    fn weight(
        &self,
        branch: u32,
        command: u32,
        values: &[i64],
        stack: &mut [u64],
    ) -> Result<f64, Stop> {
        let value = match self.branches[branch as usize].weight {
            Weight::Constant(weight) => weight,
            Weight::Code(code) => to_double(self.code.run(code, values, stack)?),
        };
        match (0.0..f64::INFINITY).contains(&value) {
            true => Ok(value),
            false => Err(Stop::Weight {
                branch,
                command,
                value,
            }),
        }
    }

    fn take_steps<V: Visitor>(&self, scratch: &mut Scratch, visitor: &mut V) -> Result<(), Stop> {
        let mut choices = Choices {
            visitor,
            merged: self.model_type != ModelType::Mdp,
            begun: false,
            share: 1,
            action: None,
        };
        if choices.merged {
            let count = scratch.count_choices();
            choices.action = self.only_action(scratch, count);
            if self.model_type == ModelType::Dtmc {
                choices.share = count;
            }
        }
        for index in 0..scratch.rules.len() {
            let enabled = scratch.rules[index];
            match &self.rules[enabled.rule as usize] {
                Rule::Alone(_) => {
                    let end = scratch.ends[enabled.first_end as usize];
                    for at in enabled.start..end {
                        let command = scratch.enabled[at as usize];
                        scratch.steps.commands[0] = command;
                        choices.begin(self.commands[command as usize].action);
                        self.take_step(1, scratch, &mut choices)?;
                    }
                }
                Rule::Together(action, _) => {
                    self.take_combinations(*action, enabled, scratch, &mut choices)?;
                }
            }
        }
        Ok(())
    }

    /// The action of the only choice there is.
    fn only_action(&self, scratch: &Scratch, count: u64) -> Option<ActionId> {
        let first = scratch.rules.first().filter(|_| count == 1)?;
        match &self.rules[first.rule as usize] {
            Rule::Together(action, _) => *action,
            Rule::Alone(_) => self.commands[scratch.enabled[0] as usize].action,
        }
    }

    /// All ways to take one command of each group, the last group fastest.
    fn take_combinations<V: Visitor>(
        &self,
        action: Option<ActionId>,
        enabled: Enabled,
        scratch: &mut Scratch,
        choices: &mut Choices<'_, V>,
    ) -> Result<(), Stop> {
        let parties = (enabled.last_end - enabled.first_end) as usize;
        let first_end = enabled.first_end as usize;
        for party in 0..parties {
            scratch.pick(party, scratch.begin_of(enabled, party));
        }
        loop {
            choices.begin(action);
            self.take_step(parties, scratch, choices)?;
            let mut party = parties;
            loop {
                if party == 0 {
                    return Ok(());
                }
                party -= 1;
                let next = scratch.steps.picks[party] + 1;
                if next < scratch.ends[first_end + party] {
                    scratch.pick(party, next);
                    break;
                }
                scratch.pick(party, scratch.begin_of(enabled, party));
            }
        }
    }

    /// All ways to take one branch of each of the first `parties` commands, the last command fastest.
    fn take_step<V: Visitor>(
        &self,
        parties: usize,
        scratch: &mut Scratch,
        choices: &mut Choices<'_, V>,
    ) -> Result<(), Stop> {
        let Scratch {
            values,
            stack,
            steps,
            ..
        } = scratch;
        let words = self.words;
        let mut level = 0;
        steps.branches[0] = self.commands[steps.commands[0] as usize].branches.start;
        loop {
            let index = steps.commands[level];
            let branch = steps.branches[level];
            if branch == self.commands[index as usize].branches.end {
                if level == 0 {
                    return Ok(());
                }
                level -= 1;
                continue;
            }
            steps.branches[level] = branch + 1;
            let weight = self.weight(branch, index, values, stack)?;
            if weight == 0.0 {
                continue;
            }
            steps.weights[level + 1] = steps.weights[level] * weight;
            let (before, after) = steps.targets.split_at_mut((level + 1) * words);
            let target = &mut after[..words];
            target.copy_from_slice(&before[level * words..]);
            self.overwrite(branch, index, values, stack, target)?;
            level += 1;
            if level == parties {
                choices.branch(steps.weights[level], target);
                level -= 1;
            } else {
                let next = steps.commands[level];
                steps.branches[level] = self.commands[next as usize].branches.start;
            }
        }
    }

    /// Writes what a branch writes.
    #[inline]
    fn overwrite(
        &self,
        branch: u32,
        command: u32,
        values: &[i64],
        stack: &mut [u64],
        target: &mut [u64],
    ) -> Result<(), Stop> {
        let Branch {
            fixed, computed, ..
        } = &self.branches[branch as usize];
        for fixed in &self.fixed[fixed.start as usize..fixed.end as usize] {
            let word = &mut target[fixed.word as usize];
            *word = *word & fixed.keep | fixed.put;
        }
        for index in computed.clone() {
            let computed = &self.computed[index as usize];
            let value = match computed.value {
                Computation::Sum(slot, constant) => values[usize::from(slot)] + constant,
                Computation::Code(code) => to_int(self.code.run(code, values, stack)?),
            };
            if value < computed.low || value > computed.high {
                return Err(Stop::OutOfRange {
                    computed: index,
                    command,
                    value,
                });
            }
            let offset = value.wrapping_sub(computed.low).cast_unsigned();
            computed.field.set(target, offset);
        }
        Ok(())
    }
}

impl Scratch {
    /// How many choices the enabled rules have.
    fn count_choices(&self) -> u64 {
        let mut count: u64 = 0;
        for enabled in &self.rules {
            let ends = &self.ends[enabled.first_end as usize..enabled.last_end as usize];
            let mut start = enabled.start;
            let mut ways: u64 = 1;
            for &end in ends {
                ways = ways.saturating_mul(u64::from(end - start));
                start = end;
            }
            count = count.saturating_add(ways);
        }
        count
    }

    /// Where in `enabled` the commands of a party begin.
    fn begin_of(&self, enabled: Enabled, party: usize) -> u32 {
        match party {
            0 => enabled.start,
            _ => self.ends[enabled.first_end as usize + party - 1],
        }
    }

    fn pick(&mut self, party: usize, at: u32) {
        self.steps.picks[party] = at;
        self.steps.commands[party] = self.enabled[at as usize];
    }
}

/// Passes choices on, made one for Markov chains.
struct Choices<'v, V> {
    visitor: &'v mut V,
    merged: bool,
    /// Whether the one choice of a Markov chain has begun.
    begun: bool,
    /// By how much probabilities are divided.
    share: u64,
    /// The action of a Markov chain's one choice.
    action: Option<ActionId>,
}

impl<V: Visitor> Choices<'_, V> {
    #[inline]
    fn begin(&mut self, action: Option<ActionId>) {
        if !self.merged {
            self.visitor.choice(action);
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
                weight /= self.share as f64;
            }
        }
        self.visitor.branch(weight, target);
    }
}
