//! Encodes rules and transitions of processes as tables: the transitions that a process in a state
//! can take alone, and those with other processes.

use crate::error::CompileError;
use crate::flatten::{Flat, Part, Rule};
use lts_formats::Lts;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The number of a *synchronisation label*. In the rules of one such label, each process has at
/// most one label of its own, so that a rule is determined by the set of participating processes.
pub(crate) type SyncLabel = u32;

/// A range of an array, as 32-bit numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    start: u32,
    end: u32,
}

impl Run {
    fn new(start: usize, end: usize) -> Self {
        Self {
            start: start as u32,
            end: end as u32,
        }
    }

    #[inline]
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A transition that a process takes alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Independent {
    /// The label in the system.
    pub(crate) label: u32,
    pub(crate) target: u32,
}

/// The transitions with which a process in a state takes part in the rules of one synchronisation
/// label.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dependent {
    pub(crate) sync: SyncLabel,
    /// Their targets.
    pub(crate) targets: Run,
    /// The rules of which the process is the first participant.
    pub(crate) rules: Run,
}

/// The transitions of the states of one process.
#[derive(Debug)]
pub(crate) struct Rows {
    independent_offsets: Vec<u32>,
    independent: Vec<Independent>,
    dependent_offsets: Vec<u32>,
    /// The dependent transitions, for each state in ascending order of synchronisation labels.
    dependent: Vec<Dependent>,
    targets: Vec<u32>,
}

impl Rows {
    #[inline]
    pub(crate) fn independent(&self, state: u32) -> &[Independent] {
        let state = state as usize;
        let range = self.independent_offsets[state]..self.independent_offsets[state + 1];
        &self.independent[range.start as usize..range.end as usize]
    }

    #[inline]
    pub(crate) fn dependent(&self, state: u32) -> &[Dependent] {
        let state = state as usize;
        let range = self.dependent_offsets[state]..self.dependent_offsets[state + 1];
        &self.dependent[range.start as usize..range.end as usize]
    }

    #[inline]
    pub(crate) fn targets(&self, run: Run) -> &[u32] {
        &self.targets[run.range()]
    }
}

/// Rules of several processes, as sets of bits, one for each process.
#[derive(Debug)]
pub(crate) struct SyncRules {
    /// The number of 32-bit words of the set of each rule.
    words: usize,
    masks: Vec<u32>,
    /// The label in the system of each rule.
    labels: Vec<u32>,
}

impl SyncRules {
    /// Returns the number of rules.
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// Returns the number of 32-bit words of the set of a rule.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    #[inline]
    pub(crate) fn label(&self, rule: usize) -> u32 {
        self.labels[rule]
    }

    /// Returns the set of the participating processes, with one bit for each process.
    #[inline]
    pub(crate) fn masks(&self, rule: usize) -> &[u32] {
        &self.masks[rule * self.words..][..self.words]
    }

    /// Returns the participating processes, in ascending order.
    #[inline]
    pub(crate) fn participants(&self, rule: usize) -> impl Iterator<Item = usize> {
        self.masks(rule)
            .iter()
            .enumerate()
            .flat_map(|(word, &mask)| {
                let left = |mask: u32| Some(mask).filter(|&mask| mask != 0);
                let bits = std::iter::successors(left(mask), move |mask| left(mask & (mask - 1)));
                bits.map(move |mask| 32 * word + mask.trailing_zeros() as usize)
            })
    }
}

/// All tables of a network.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) rows: Vec<Rows>,
    pub(crate) rules: SyncRules,
    /// For each label in the system, whether two transitions of a state with this label may have
    /// the same target.
    pub(crate) may_repeat: Vec<bool>,
}

/// A rule of several processes, with its synchronisation label.
struct SyncRule<'f> {
    sync: SyncLabel,
    rule: &'f Rule,
}

/// The transitions of all processes may take part in rules this many times, or four times each,
/// whichever is more. The tables have an entry for each time.
const MAX_PARTICIPATIONS: usize = 1 << 26;

/// Makes the tables.
///
/// # Errors
/// [`CompileError::TooManyParticipations`] and [`CompileError::TooMuchMemory`].
pub(crate) fn encode<E>(flat: &Flat) -> Result<Tables, CompileError<E>> {
    let transitions = flat.processes.iter();
    let transitions: usize = transitions.map(|own| own.lts.num_transitions()).sum();
    let limit = MAX_PARTICIPATIONS.max(4 * transitions);
    let for_memory = flat.room.participations();
    let mut room = limit.min(for_memory);
    let sync_rules = assign(flat);
    let own_rules = OwnRules::of(flat, &sync_rules);
    let processes = 0..flat.processes.len() as u32;
    let rows = processes.map(|process| rows(process, flat, &sync_rules, &own_rules, &mut room));
    let rows: Option<_> = rows.collect();
    let rows = rows.ok_or_else(|| match for_memory < limit {
        true => flat.room.memory_error(),
        false => CompileError::TooManyParticipations { transitions, limit },
    })?;
    let words = flat.processes.len().div_ceil(32).max(1);
    let mut masks = vec![0_u32; words * sync_rules.len()];
    for (number, SyncRule { rule, .. }) in sync_rules.iter().enumerate() {
        for &Part { process, .. } in &rule.parts {
            masks[number * words + process as usize / 32] |= 1 << (process % 32);
        }
    }
    let labels = sync_rules.iter().map(|sync| sync.rule.result).collect();
    let rules = SyncRules {
        words,
        masks,
        labels,
    };
    Ok(Tables {
        rows,
        may_repeat: may_repeat(flat, &sync_rules, &rules),
        rules,
    })
}

/// Assigns a synchronisation label to each rule of several processes. A rule gets the label of
/// earlier rules with the same result if it shares a part with one of them, and agrees with all of
/// them on the labels of all processes. The rules are sorted by their first participants, then by
/// these labels, and otherwise keep their order.
fn assign(flat: &Flat) -> Vec<SyncRule<'_>> {
    // For each synchronisation label, the labels of processes, in ascending order of processes.
    let mut own_labels: Vec<Cow<'_, [Part]>> = Vec::new();
    let mut with_part: HashMap<(u32, Part), SyncLabel> = HashMap::new();
    let several = flat.rules.iter().filter(|rule| rule.parts.len() > 1);
    let mut sync_rules = Vec::with_capacity(several.clone().count());
    for rule in several {
        let place = |own: &[Part], process| own.binary_search_by_key(&process, |part| part.process);
        let agrees = |&sync: &SyncLabel| {
            let own = &own_labels[sync as usize];
            let mut parts = rule.parts.iter();
            parts.all(|&part| place(own, part.process).map_or(true, |at| own[at] == part))
        };
        let known = rule.parts.iter();
        let mut known = known.filter_map(|&part| with_part.get(&(rule.result, part)).copied());
        let sync = match known.find(agrees) {
            Some(sync) => {
                let own = &mut own_labels[sync as usize];
                for &part in &rule.parts {
                    if let Err(at) = place(own, part.process) {
                        own.to_mut().insert(at, part);
                        with_part.entry((rule.result, part)).or_insert(sync);
                    }
                }
                sync
            }
            None => {
                let sync = own_labels.len() as SyncLabel;
                own_labels.push(Cow::Borrowed(&rule.parts));
                for &part in &rule.parts {
                    with_part.entry((rule.result, part)).or_insert(sync);
                }
                sync
            }
        };
        sync_rules.push(SyncRule { sync, rule });
    }
    // This sort is stable.
    sync_rules.sort_by_key(|sync| (sync.rule.parts[0].process, sync.sync));
    sync_rules
}

/// The rules of each process.
struct OwnRules {
    /// For each process and each of its labels, the labels in the system of its transitions alone.
    alone: Vec<Vec<Vec<u32>>>,
    /// For each process, the indices of its rules with other processes, in ascending order.
    with_others: Vec<Vec<u32>>,
}

impl OwnRules {
    fn of(flat: &Flat, sync_rules: &[SyncRule<'_>]) -> Self {
        let labels = flat.processes.iter().map(|own| own.lts.names().len());
        let mut alone: Vec<_> = labels.map(|labels| vec![Vec::new(); labels]).collect();
        for rule in &flat.rules {
            if let [Part { process, label }] = rule.parts[..] {
                alone[process as usize][label as usize].push(rule.result);
            }
        }
        let mut counts = vec![0; flat.processes.len()];
        let parts = || sync_rules.iter().flat_map(|sync| &sync.rule.parts);
        parts().for_each(|part| counts[part.process as usize] += 1);
        let mut with_others: Vec<_> = counts.into_iter().map(Vec::with_capacity).collect();
        for (number, SyncRule { rule, .. }) in sync_rules.iter().enumerate() {
            for part in &rule.parts {
                with_others[part.process as usize].push(number as u32);
            }
        }
        Self { alone, with_others }
    }
}

/// Returns the tables of one process, and takes their entries from `room`. `None` if there is not
/// enough.
fn rows(
    process: u32,
    flat: &Flat,
    sync_rules: &[SyncRule<'_>],
    own_rules: &OwnRules,
    room: &mut usize,
) -> Option<Rows> {
    let lts = &flat.processes[process as usize].lts;
    let alone = &own_rules.alone[process as usize];
    let own = own_rules.with_others[process as usize].iter();
    let own = own.map(|&number| (number, &sync_rules[number as usize]));
    let (with_others, owned) = with_others(process, own, lts.names().len());
    for state in 0..lts.num_states() {
        for transition in lts.transitions_of(state) {
            let label = transition.label_number() as usize;
            *room = room.checked_sub(alone[label].len() + with_others[label].len())?;
        }
    }
    let mut rows = Rows {
        independent_offsets: vec![0],
        independent: Vec::new(),
        dependent_offsets: vec![0],
        dependent: Vec::new(),
        targets: Vec::new(),
    };
    let mut seen = HashSet::new();
    for state in 0..lts.num_states() {
        seen.clear();
        for transition in lts.transitions_of(state) {
            for &label in &alone[transition.label_number() as usize] {
                let target = transition.targets()[0];
                let independent = Independent { label, target };
                if seen.insert(independent) {
                    rows.independent.push(independent);
                }
            }
        }
        rows.independent_offsets.push(rows.independent.len() as u32);
        rows.push_dependent(lts, state, &with_others, &owned);
    }
    Some(rows)
}

impl Rows {
    /// Adds the transitions of a state with other processes.
    fn push_dependent(
        &mut self,
        lts: &Lts,
        state: u32,
        with_others: &[Vec<SyncLabel>],
        owned: &HashMap<SyncLabel, Run>,
    ) {
        let mut entries: Vec<(SyncLabel, usize, u32)> = Vec::new();
        for (place, transition) in lts.transitions_of(state).enumerate() {
            for &sync in &with_others[transition.label_number() as usize] {
                entries.push((sync, place, transition.targets()[0]));
            }
        }
        entries.sort_unstable();
        for own in entries.chunk_by(|a, b| a.0 == b.0) {
            let start = self.targets.len();
            let mut seen = HashSet::new();
            let targets = own.iter().map(|entry| entry.2);
            self.targets
                .extend(targets.filter(|&target| seen.insert(target)));
            let sync = own[0].0;
            self.dependent.push(Dependent {
                sync,
                targets: Run::new(start, self.targets.len()),
                rules: owned.get(&sync).copied().unwrap_or(Run::new(0, 0)),
            });
        }
        self.dependent_offsets.push(self.dependent.len() as u32);
    }
}

/// Returns the synchronisation labels of each label of a process, and the rules of which the
/// process is the first participant, by synchronisation label. `own` has the rules of the process.
fn with_others<'s>(
    process: u32,
    own: impl Iterator<Item = (u32, &'s SyncRule<'s>)>,
    num_labels: usize,
) -> (Vec<Vec<SyncLabel>>, HashMap<SyncLabel, Run>) {
    let mut with_others = vec![Vec::new(); num_labels];
    let mut owned: HashMap<SyncLabel, Run> = HashMap::new();
    for (number, SyncRule { sync, rule }) in own {
        let Ok(part) = rule
            .parts
            .binary_search_by_key(&process, |part| part.process)
        else {
            continue;
        };
        let labels = &mut with_others[rule.parts[part].label as usize];
        // Rules of one synchronisation label mostly follow one another.
        if labels.last() != Some(sync) {
            labels.push(*sync);
        }
        if part == 0 {
            let start = number as usize;
            let run = owned.entry(*sync).or_insert(Run::new(start, start));
            run.end = number + 1;
        }
    }
    for labels in &mut with_others {
        labels.sort_unstable();
        labels.dedup();
    }
    (with_others, owned)
}

/// Finds the labels for which two different rules can have the same target: rules of the same
/// processes, or rules one of which need not change the state of some process. The result may
/// contain too many labels, but not too few.
fn may_repeat(flat: &Flat, sync_rules: &[SyncRule<'_>], rules: &SyncRules) -> Vec<bool> {
    let loops: Vec<Vec<bool>> = flat
        .processes
        .iter()
        .map(|process| loops(&process.lts))
        .collect();
    // For each label, the sets of processes that occur in its rules: single ones, and several. And
    // whether a rule has a loop.
    let mut alone: Vec<HashSet<u32>> = vec![HashSet::new(); flat.labels.len()];
    let mut together: Vec<HashSet<&[u32]>> = vec![HashSet::new(); flat.labels.len()];
    let mut has_loops = vec![false; flat.labels.len()];
    let mut may_repeat = vec![false; flat.labels.len()];
    for rule in &flat.rules {
        let label = rule.result as usize;
        let mut parts = rule.parts.iter();
        has_loops[label] |= parts.any(|part| loops[part.process as usize][part.label as usize]);
        // Duplicates in the transitions of one process alone are removed for each row.
        if let [Part { process, .. }] = rule.parts[..] {
            alone[label].insert(process);
        }
    }
    for (number, SyncRule { rule, .. }) in sync_rules.iter().enumerate() {
        let is_new = together[rule.result as usize].insert(rules.masks(number));
        may_repeat[rule.result as usize] |= !is_new;
    }
    for (label, repeats) in may_repeat.iter_mut().enumerate() {
        *repeats |= has_loops[label] && alone[label].len() + together[label].len() > 1;
    }
    may_repeat
}

/// Returns, for each label, whether some transition with it is a self-loop.
fn loops(lts: &Lts) -> Vec<bool> {
    let mut loops = vec![false; lts.names().len()];
    for transition in lts.transitions() {
        loops[transition.label_number() as usize] |= transition.targets() == [transition.source()];
    }
    loops
}
