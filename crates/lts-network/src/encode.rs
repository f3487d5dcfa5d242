//! Encodes rules and transitions of processes as tables: the transitions that a process in a state
//! can take alone, and those with other processes.

use crate::error::CompileError;
use crate::flatten::{Flat, Rule};
use lts_formats::Lts;
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
/// [`CompileError::TooManyParticipations`].
pub(crate) fn encode<E>(flat: &Flat) -> Result<Tables, CompileError<E>> {
    let transitions = flat.processes.iter();
    let transitions: usize = transitions.map(|own| own.lts.num_transitions()).sum();
    let limit = MAX_PARTICIPATIONS.max(4 * transitions);
    let mut room = limit;
    let sync_rules = assign(flat);
    let words = flat.processes.len().div_ceil(32).max(1);
    let mut masks = vec![0_u32; words * sync_rules.len()];
    for (number, SyncRule { rule, .. }) in sync_rules.iter().enumerate() {
        for &(process, _) in &rule.parts {
            masks[number * words + process as usize / 32] |= 1 << (process % 32);
        }
    }
    let labels = sync_rules.iter().map(|sync| sync.rule.result).collect();
    let processes = 0..flat.processes.len() as u32;
    let rows = processes.map(|process| rows(process, flat, &sync_rules, &mut room));
    let rows: Option<_> = rows.collect();
    Ok(Tables {
        rows: rows.ok_or(CompileError::TooManyParticipations { transitions, limit })?,
        may_repeat: may_repeat(flat),
        rules: SyncRules {
            words,
            masks,
            labels,
        },
    })
}

/// Assigns a synchronisation label to each rule of several processes. A rule gets the label of
/// earlier rules with the same result if it shares a part with one of them, and agrees with all of
/// them on the labels of all processes. The rules are sorted by their first participants, then by
/// these labels, and otherwise keep their order.
fn assign(flat: &Flat) -> Vec<SyncRule<'_>> {
    let mut own_labels: Vec<HashMap<u32, u32>> = Vec::new();
    let mut with_part: HashMap<(u32, (u32, u32)), SyncLabel> = HashMap::new();
    let mut sync_rules = Vec::new();
    for rule in flat.rules.iter().filter(|rule| rule.parts.len() > 1) {
        let agrees = |&sync: &SyncLabel| {
            let own = &own_labels[sync as usize];
            let mut parts = rule.parts.iter();
            parts.all(|(process, label)| own.get(process).is_none_or(|other| other == label))
        };
        let known = rule.parts.iter();
        let mut known = known.filter_map(|&part| with_part.get(&(rule.result, part)).copied());
        let sync = known.find(agrees).unwrap_or_else(|| {
            own_labels.push(HashMap::new());
            own_labels.len() as u32 - 1
        });
        for &(process, label) in &rule.parts {
            own_labels[sync as usize].insert(process, label);
            with_part
                .entry((rule.result, (process, label)))
                .or_insert(sync);
        }
        sync_rules.push(SyncRule { sync, rule });
    }
    // This sort is stable.
    sync_rules.sort_by_key(|sync| (sync.rule.parts[0].0, sync.sync));
    sync_rules
}

/// Returns the tables of one process, and takes their entries from `room`. `None` if there is not
/// enough.
fn rows(process: u32, flat: &Flat, sync_rules: &[SyncRule<'_>], room: &mut usize) -> Option<Rows> {
    let lts = &flat.processes[process as usize].lts;
    let alone = alone(process, flat, lts.names().len());
    let (with_others, owned) = with_others(process, sync_rules, lts.names().len());
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

/// Returns, for each label of a process, the labels in the system of its transitions alone.
fn alone(process: u32, flat: &Flat, num_labels: usize) -> Vec<Vec<u32>> {
    let mut alone = vec![Vec::new(); num_labels];
    for rule in &flat.rules {
        if let [(own, label)] = rule.parts[..]
            && own == process
        {
            alone[label as usize].push(rule.result);
        }
    }
    alone
}

/// Returns the synchronisation labels of each label of a process, and the rules of which the
/// process is the first participant, by synchronisation label.
fn with_others(
    process: u32,
    sync_rules: &[SyncRule<'_>],
    num_labels: usize,
) -> (Vec<Vec<SyncLabel>>, HashMap<SyncLabel, Run>) {
    let mut with_others = vec![HashSet::new(); num_labels];
    let mut owned: HashMap<SyncLabel, Run> = HashMap::new();
    for (number, SyncRule { sync, rule }) in sync_rules.iter().enumerate() {
        let own = rule.parts.binary_search_by_key(&process, |part| part.0);
        let Ok(part) = own else { continue };
        with_others[rule.parts[part].1 as usize].insert(*sync);
        if part == 0 {
            let run = owned.entry(*sync).or_insert(Run::new(number, number));
            run.end = number as u32 + 1;
        }
    }
    let sorted = |set: HashSet<SyncLabel>| {
        let mut labels: Vec<SyncLabel> = set.into_iter().collect();
        labels.sort_unstable();
        labels
    };
    (with_others.into_iter().map(sorted).collect(), owned)
}

/// Finds the labels for which two different rules can have the same target: rules of the same
/// processes, or rules one of which need not change the state of some process. The result may
/// contain too many labels, but not too few.
fn may_repeat(flat: &Flat) -> Vec<bool> {
    let loops: Vec<Vec<bool>> = flat
        .processes
        .iter()
        .map(|process| loops(&process.lts))
        .collect();
    // For each label, the sets of processes that occur in its rules, and whether a rule has a loop.
    let mut met: Vec<(HashSet<Vec<u32>>, bool)> = vec![Default::default(); flat.labels.len()];
    let mut may_repeat = vec![false; flat.labels.len()];
    for rule in &flat.rules {
        let processes: Vec<u32> = rule.parts.iter().map(|part| part.0).collect();
        let mut parts = rule.parts.iter();
        let has_loop = parts.any(|&(process, label)| loops[process as usize][label as usize]);
        let (sets, has_loops) = &mut met[rule.result as usize];
        // Duplicates in the transitions of one process alone are removed for each row.
        let is_alone = processes.len() == 1;
        let is_new = sets.insert(processes);
        *has_loops |= has_loop;
        may_repeat[rule.result as usize] |= !is_new && !is_alone;
    }
    for (repeats, (sets, has_loops)) in may_repeat.iter_mut().zip(met) {
        *repeats |= has_loops && sets.len() > 1;
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
