//! Encodes rules, groups, commands and branches as words.

use super::encoder::{Encoder, Work, descriptor, parties};
use super::layout::{
    BRANCH_WORDS, CODE, COMMAND_WORDS, COMPUTED_WORDS, INSTRUCTION_WORDS, MAX_PARTIES,
    MAX_STATE_WORDS, NOWHERE,
};
use super::unsuited::Unsuited;
use crate::commands::{Branch, Command, Computed, Sum, Weight};

impl Encoder<'_> {
    pub(super) fn variables(&mut self) {
        for variable in &self.program.variables {
            let low = variable.domain.low as i32;
            let words = [descriptor(variable.field), low.cast_unsigned()];
            self.words.extend(words);
        }
    }

    /// Encodes all groups, with their commands.
    pub(super) fn groups(&mut self) -> Result<(), Unsuited> {
        let program = self.program;
        let mut commands = vec![None; program.commands.len()];
        for group in &program.groups {
            for &index in &group.commands {
                if commands[index as usize].is_none() {
                    commands[index as usize] = Some(self.command(index)?);
                }
            }
            let (mut starts, mut work) = (Vec::new(), Work::default());
            let mut add_row = |row: &[u32]| {
                starts.push(self.here());
                let known = || row.iter().filter_map(|&index| commands[index as usize]);
                self.words.extend(known().map(|(at, _)| at));
                work.scan = work.scan.max(known().map(|(_, work)| work.scan).sum());
                let branch = known().map(|(_, work)| work.branch).max();
                work.branch = work.branch.max(branch.unwrap_or(0));
            };
            match group.table() {
                Some(table) => table.rows().for_each(&mut add_row),
                None => add_row(&group.commands),
            }
            self.work.push(work);
            starts.push(self.here());
            let rows = self.here();
            self.words.extend(starts);
            let selects = group.table().map_or(NOWHERE, |table| {
                descriptor(program.variables[usize::from(table.slot)].field)
            });
            self.groups.push(self.here());
            self.words.extend([selects, rows]);
            self.check_size()?;
        }
        Ok(())
    }

    /// Encodes all rules. Returns their position.
    pub(super) fn rules(&mut self) -> Result<u32, Unsuited> {
        let most = MAX_PARTIES as usize;
        let mut rules = Vec::new();
        for rule in &self.program.rules {
            let groups = parties(rule);
            if groups.len() > most {
                let count = groups.len();
                return Err(Unsuited::Parties { count, most });
            }
            rules.push(self.here());
            let places = groups.iter().map(|&group| self.groups[group as usize]);
            self.words.extend(places);
            rules.push(self.here());
        }
        let first = self.here();
        self.words.extend(rules);
        Ok(first)
    }

    /// Returns the maximal work for a state, and that for one of its successors.
    pub(super) fn work(&self) -> (u32, u32) {
        let (mut scan, mut step) = (0_u32, 0_u32);
        for rule in &self.program.rules {
            let groups = parties(rule).iter().map(|&group| self.work[group as usize]);
            let all: u32 = groups.clone().map(|work| 2 + work.scan).sum();
            scan = scan.saturating_add(1 + all);
            let branches: u32 = groups.map(|work| 4 + work.branch).sum();
            // A group that does not synchronise visits each command once.
            let again = if parties(rule).len() > 1 { all } else { 0 };
            step = step.max(branches.saturating_add(again));
        }
        (scan, step + 2 * MAX_STATE_WORDS)
    }

    /// Returns the work of a function.
    fn work_of(&self, function: u32) -> u32 {
        let at = function as usize;
        match function {
            NOWHERE => 0,
            _ if self.words[at] == CODE => (function - self.words[at + 1]) / INSTRUCTION_WORDS,
            _ => 1 + self.words[at + 1].min(self.program.variables.len() as u32),
        }
    }

    /// Encodes a command. Returns its position and its work.
    fn command(&mut self, index: u32) -> Result<(u32, Work), Unsuited> {
        let program = self.program;
        let command = &program.commands[index as usize];
        let guard = match command.guard {
            Some(code) => self.condition(code, command.span)?,
            None => NOWHERE,
        };
        let (branches, weights) = self.weights(index, command)?;
        let (mut heads, mut work) = (Vec::new(), Work::default());
        work.scan = 2 + self.work_of(guard) + self.work_of(weights);
        for &branch in &branches {
            let head = self.branch(&program.branches[branch as usize])?;
            let functions = (0..head[3]).map(|i| {
                let function = self.words[(head[2] + COMPUTED_WORDS * i + 3) as usize];
                1 + self.work_of(function)
            });
            work.branch = work.branch.max(1 + head[1] + functions.sum::<u32>());
            heads.extend(head);
        }
        let first = self.here();
        debug_assert_eq!(heads.len(), branches.len() * BRANCH_WORDS as usize);
        self.words.extend(heads);
        let at = self.here();
        let words: [u32; COMMAND_WORDS as usize] = [guard, first, branches.len() as u32, weights];
        self.words.extend(words);
        self.check_size()?;
        Ok((at, work))
    }

    /// Returns the branches of a command that may have a probability above 0, and the position of
    /// the function that determines which of them have one; `NOWHERE` if all have.
    fn weights(&mut self, index: u32, command: &Command) -> Result<(Vec<u32>, u32), Unsuited> {
        let branches: Vec<u32> = command.branches.clone().collect();
        let mut constants = Vec::new();
        for &branch in &branches {
            match self.program.branches[branch as usize].weight {
                Weight::Constant(weight) => constants.push(weight),
                Weight::Code(_) => break,
            }
        }
        let are_valid = constants.iter().all(|w| (0.0..f64::INFINITY).contains(w));
        let is_wrong = matches!(command.sum, Sum::Wrong(_));
        if constants.len() < branches.len() || !are_valid || is_wrong {
            let weights = self.weight_table(index, command)?;
            return Ok((branches, weights));
        }
        let positive = branches.iter().zip(&constants).filter(|(_, w)| **w > 0.0);
        let branches = positive.map(|(&branch, _)| branch).collect();
        Ok((branches, NOWHERE))
    }

    /// Returns the words of a branch. Its values are encoded before it.
    fn branch(&mut self, branch: &Branch) -> Result<[u32; BRANCH_WORDS as usize], Unsuited> {
        let program = self.program;
        let fixed = self.here();
        let range = branch.fixed.start as usize..branch.fixed.end as usize;
        let mut count = 0;
        for value in &program.fixed[range] {
            for half in 0..2 {
                let shift = u32::BITS * half;
                let (keep, put) = ((value.keep >> shift) as u32, (value.put >> shift) as u32);
                if keep != u32::MAX {
                    self.words.extend([2 * value.word + half, keep, put]);
                    count += 1;
                }
            }
        }
        let range = branch.computed.start as usize..branch.computed.end as usize;
        let mut computed = Vec::new();
        for value in &program.computed[range] {
            let function = self.value(value)?;
            let Computed { low, high, .. } = *value;
            let bounds = [low, high].map(|bound| (bound as i32).cast_unsigned());
            computed.extend([descriptor(value.field), bounds[0], bounds[1], function]);
        }
        let first = self.here();
        self.words.extend(&computed);
        Ok([fixed, count, first, branch.computed.len() as u32])
    }
}
