//! Bundles: groups of commands of one module that are looked up together, by one key.
//!
//! The effect of the commands of a module depends on the variables that their guards, weights and
//! updates read: those of the module and a few others. The values of these variables form a `key`
//! of at most 64 bits, by which `moves` finds results that were computed before. Groups of one
//! module are put into one bundle as long as its key is not much wider than that of its widest
//! group.

use crate::code::{Code, Seen};
use crate::commands::{Branch, Command, Computation, Computed, Weight};
use crate::groups::Group;
use crate::intervals::Intervals;
use crate::ir::Slot;
use crate::key::{Key, NARROW, Reads};
use crate::rule::Rule;
use crate::variables::Variable;

/// The largest number of bits by which the key of a bundle may be wider than that of its widest
/// group.
const WIDER: u32 = 4;

/// Groups whose moves are cached together.
#[derive(Debug, Clone)]
pub(crate) struct Bundle {
    /// Indices of the groups.
    pub(crate) groups: Vec<u32>,
    /// The key; `None` if it would be wider than 64 bits.
    pub(crate) key: Option<Key>,
    /// The rules in which one of the groups takes part, each with the index of the group in
    /// `groups`.
    pub(crate) rules: Vec<(u32, u32)>,
    /// The words of a set of bits, one for each rule, in which these rules are.
    pub(crate) words: std::ops::Range<usize>,
    /// If there are many groups, the indices in `groups` of those that may have an enabled command,
    /// by the value of a variable.
    pub(crate) index: Option<(Slot, Intervals)>,
}

/// A group in a bundle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Party {
    pub(crate) bundle: u32,
    /// The index of the group among those of the bundle.
    pub(crate) at: u32,
}

/// The parts of a program that determine what its groups read.
pub(crate) struct Parts<'p> {
    pub(crate) variables: &'p [Variable],
    pub(crate) words: usize,
    pub(crate) code: &'p Code,
    pub(crate) commands: &'p [Command],
    pub(crate) branches: &'p [Branch],
    pub(crate) computed: &'p [Computed],
    pub(crate) groups: &'p [Group],
    pub(crate) rules: &'p [Rule],
}

/// Divides the groups into bundles, and determines the groups that take part in each rule, in
/// order.
pub(crate) fn bundles(parts: &Parts<'_>) -> (Vec<Bundle>, Vec<Vec<Party>>) {
    let variables = parts.variables;
    let mut groups: Vec<(u32, Reads)> = (0..parts.groups.len() as u32)
        .map(|group| (group, parts.reads(group)))
        .collect();
    groups.sort_by_key(|(_, reads)| std::cmp::Reverse(reads.bits(variables)));
    let mut drafts: Vec<Draft> = Vec::new();
    for (group, reads) in groups {
        let module = parts.module(group);
        let mut drafts_of_module = drafts.iter_mut().filter(|draft| draft.module == module);
        if !drafts_of_module.any(|draft| draft.take(group, &reads, variables)) {
            drafts.push(Draft {
                module,
                widest: reads.bits(variables),
                reads,
                groups: vec![group],
            });
        }
    }
    let mut bundles: Vec<Bundle> = drafts
        .into_iter()
        .map(|draft| Bundle {
            index: parts.index(&draft.groups),
            groups: draft.groups,
            key: Key::new(&draft.reads, variables, parts.words),
            rules: Vec::new(),
            words: 0..0,
        })
        .collect();
    let parties = parties(parts, &mut bundles);
    (bundles, parties)
}

/// A bundle that is being made.
struct Draft {
    module: usize,
    /// The number of bits that the first group reads, which reads the most.
    widest: u32,
    /// The parts of a state that all groups together read.
    reads: Reads,
    groups: Vec<u32>,
}

impl Draft {
    /// Adds a group that reads this, if the key remains narrow. Returns whether it was added.
    fn take(&mut self, group: u32, reads: &Reads, variables: &[Variable]) -> bool {
        let union = self.reads.union(reads, variables);
        let has_room = union.bits(variables) <= (self.widest + WIDER).max(NARROW);
        if has_room {
            self.reads = union;
            self.groups.push(group);
        }
        has_room
    }
}

/// Returns a set of bits, one for each rule, all of them set.
pub(crate) fn all_rules(rules: usize) -> Vec<u64> {
    let mut words = vec![u64::MAX; rules.div_ceil(64)];
    if let Some(last) = words.last_mut().filter(|_| !rules.is_multiple_of(64)) {
        *last = (1 << (rules % 64)) - 1;
    }
    words
}

/// Returns the parties of each rule, and adds the rules to the bundles.
fn parties(parts: &Parts<'_>, bundles: &mut [Bundle]) -> Vec<Vec<Party>> {
    let mut places = vec![Party { bundle: 0, at: 0 }; parts.groups.len()];
    for (bundle, index) in bundles.iter().zip(0..) {
        for (&group, at) in bundle.groups.iter().zip(0..) {
            places[group as usize] = Party { bundle: index, at };
        }
    }
    let mut all = Vec::with_capacity(parts.rules.len());
    for (rule, index) in parts.rules.iter().zip(0..) {
        let groups = match rule {
            Rule::Alone(group) | Rule::Markovian(group) => std::slice::from_ref(group),
            Rule::Together(_, groups) => groups,
        };
        let parties: Vec<Party> = groups.iter().map(|&g| places[g as usize]).collect();
        for party in &parties {
            bundles[party.bundle as usize].rules.push((index, party.at));
        }
        all.push(parties);
    }
    for bundle in bundles {
        let words = || bundle.rules.iter().map(|(rule, _)| *rule as usize / 64);
        bundle.words = words().min().unwrap_or(0)..words().max().map_or(0, |last| last + 1);
    }
    all
}

impl Parts<'_> {
    /// Returns the module of the commands of a group.
    fn module(&self, group: u32) -> usize {
        let first = self.groups[group as usize].commands.first();
        first.map_or(0, |&command| self.commands[command as usize].module)
    }

    /// Returns the index of a bundle of these groups.
    fn index(&self, groups: &[u32]) -> Option<(Slot, Intervals)> {
        let within = |&group: &u32| self.groups[group as usize].within.clone();
        let things: Vec<(u32, Vec<_>)> = (0..).zip(groups.iter().map(within)).collect();
        Intervals::best(&things, groups.len() as f64)
    }

    /// Returns the parts of a state that the effect of a group depends on.
    fn reads(&self, group: u32) -> Reads {
        let mut reads = Reads::default();
        let variable = |slot: u16| &self.variables[usize::from(slot)];
        let mut read = |slot, seen: Seen<'_>| reads.add(slot, variable(slot), seen);
        let group = &self.groups[group as usize];
        for &command in &group.commands {
            let command = &self.commands[command as usize];
            if let Some(guard) = command.guard {
                self.code.reads(guard, &mut read);
            }
            let branches = command.branches.start as usize..command.branches.end as usize;
            for branch in &self.branches[branches] {
                for weight in [Some(branch.weight), branch.lower] {
                    if let Some(Weight::Code(code)) = weight {
                        self.code.reads(code, &mut read);
                    }
                }
                let computed = branch.computed.start as usize..branch.computed.end as usize;
                for computed in &self.computed[computed] {
                    match computed.value {
                        Computation::Sum(slot, _) => read(slot, Seen::Value),
                        Computation::Code(code) => self.code.reads(code, &mut read),
                    }
                }
            }
        }
        if let Some(table) = group.table() {
            reads.tell_apart(table.slot, variable(table.slot), |row| table.row(row));
        }
        reads
    }
}
