//! Flattens the operators of a behaviour into rules over its processes.

use crate::error::{CompileError, Purpose, Remark};
use crate::room::Room;
use lts_formats::{
    Behaviour, INTERNAL, Lts, Matching, Parallel, ProcessFile, Synchronisation, Vector, gate,
    is_internal,
};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

/// The index of the internal action among the labels of the system.
pub(crate) const HIDDEN: u32 = 0;

/// A process that takes part in a rule, with one of its own labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Part {
    pub(crate) process: u32,
    pub(crate) label: u32,
}

/// A rule: the participating processes with their labels, and the resulting label of the system.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    /// The participants, in ascending order of processes.
    pub(crate) parts: Box<[Part]>,
    /// A label of the system.
    pub(crate) result: u32,
}

/// A process and its name.
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) lts: Arc<Lts>,
}

/// A behaviour whose operators have been converted to rules.
pub(crate) struct Flat {
    pub(crate) processes: Vec<Process>,
    /// The labels of the system; the first one is the internal action.
    pub(crate) labels: Vec<String>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) remarks: Vec<Remark>,
    /// The room that the rules have taken.
    pub(crate) room: Room,
}

/// Flattens `behaviour`, with rules that take `memory` bytes at most. `load` reads its files, each
/// of them once.
pub(crate) fn flatten<E>(
    behaviour: &Behaviour,
    load: impl FnMut(&ProcessFile) -> Result<Lts, E>,
    memory: u64,
) -> Result<Flat, CompileError<E>> {
    let mut flattener = Flattener {
        load,
        room: Room::new(memory),
        files: HashMap::new(),
        processes: Vec::new(),
        labels: vec![INTERNAL.to_owned()],
        numbers: HashMap::new(),
        remarks: Vec::new(),
    };
    let rules = flattener.behaviour(behaviour)?;
    Ok(Flat {
        rules: distinct(rules),
        processes: flattener.processes,
        labels: flattener.labels,
        // Operators inside each other may name the same label.
        remarks: distinct(flattener.remarks),
        room: flattener.room,
    })
}

/// Returns the items without later duplicates.
fn distinct<T: Eq + Hash>(mut items: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::with_capacity(items.len());
    let is_new: Vec<bool> = items.iter().map(|item| seen.insert(item)).collect();
    let mut is_new = is_new.into_iter();
    items.retain(|_| is_new.next().unwrap_or(false));
    items
}

/// The processes, labels and remarks so far.
struct Flattener<L> {
    load: L,
    room: Room,
    files: HashMap<String, Arc<Lts>>,
    processes: Vec<Process>,
    labels: Vec<String>,
    numbers: HashMap<String, u32>,
    remarks: Vec<Remark>,
}

/// The rules of a behaviour by their results.
type ByResult<'r> = HashMap<u32, Vec<&'r Rule>>;

impl<E, L: FnMut(&ProcessFile) -> Result<Lts, E>> Flattener<L> {
    /// Returns the rules of a behaviour, and adds its processes.
    fn behaviour(&mut self, behaviour: &Behaviour) -> Result<Vec<Rule>, CompileError<E>> {
        match behaviour {
            Behaviour::File(file) => {
                let lts = self.file(file)?;
                let name = stem(&file.path);
                self.process(name, lts)
            }
            Behaviour::Lts(lts) => {
                let name = format!("process{}", self.processes.len() + 1);
                self.process(name, Arc::new(lts.clone()))
            }
            Behaviour::Parallel(parallel) => self.parallel(parallel),
            Behaviour::Hide(hide) => {
                let mut rules = self.behaviour(&hide.behaviour)?;
                let purpose = match hide.all_but {
                    true => Purpose::Keep,
                    false => Purpose::Hide,
                };
                self.remark_missing(&hide.labels, hide.matching, purpose, &rules);
                let named: HashSet<&str> = hide.labels.iter().map(String::as_str).collect();
                for rule in &mut rules {
                    let label = &self.labels[rule.result as usize];
                    if named.contains(compared(label, hide.matching)) != hide.all_but {
                        rule.result = HIDDEN;
                    }
                }
                Ok(rules)
            }
            Behaviour::Rename(rename) => {
                let mut rules = self.behaviour(&rename.behaviour)?;
                let old = rename.rules.iter().map(|(old, _)| old);
                self.remark_missing(old, Matching::Total, Purpose::Rename, &rules);
                let mut new = HashMap::new();
                for (from, to) in &rename.rules {
                    let (from, to) = (self.number(from), self.number(to));
                    new.entry(from).or_insert(to);
                }
                for rule in rules.iter_mut().filter(|rule| rule.result != HIDDEN) {
                    rule.result = new.get(&rule.result).copied().unwrap_or(rule.result);
                }
                Ok(rules)
            }
        }
    }

    /// Returns the LTS in a file, which is loaded when it is first needed.
    fn file(&mut self, file: &ProcessFile) -> Result<Arc<Lts>, CompileError<E>> {
        if let Some(lts) = self.files.get(&file.path) {
            return Ok(Arc::clone(lts));
        }
        let lts = (self.load)(file).map_err(|error| CompileError::Process {
            file: file.clone(),
            error,
        })?;
        if lts.is_probabilistic() {
            let file = file.clone();
            return Err(CompileError::Probabilistic { file });
        }
        let lts = Arc::new(lts);
        self.files.insert(file.path.clone(), Arc::clone(&lts));
        Ok(lts)
    }

    /// Adds a process, which takes all of its transitions alone.
    fn process(&mut self, name: String, lts: Arc<Lts>) -> Result<Vec<Rule>, CompileError<E>> {
        let process = self.processes.len() as u32;
        let labels = lts.names().len();
        self.room.take(Some(labels), labels as u64)?;
        let rule = |(label, name): (u32, &String)| Rule {
            parts: Box::new([Part { process, label }]),
            result: self.number(name),
        };
        let rules = (0..).zip(lts.names()).map(rule).collect();
        self.processes.push(Process { name, lts });
        Ok(rules)
    }

    /// Returns the index of a label of the system.
    fn number(&mut self, label: &str) -> u32 {
        if is_internal(label) {
            return HIDDEN;
        }
        if let Some(&number) = self.numbers.get(label) {
            return number;
        }
        let number = self.labels.len() as u32;
        self.labels.push(label.to_owned());
        self.numbers.insert(label.to_owned(), number);
        number
    }

    /// Returns the rules of behaviours in parallel.
    fn parallel(&mut self, parallel: &Parallel) -> Result<Vec<Rule>, CompileError<E>> {
        let mut branches = Vec::with_capacity(parallel.branches.len());
        for branch in &parallel.branches {
            branches.push(self.behaviour(branch)?);
        }
        let by_result: Vec<ByResult<'_>> = branches.iter().map(|rules| group(rules)).collect();
        let mut rules = Vec::new();
        let all = branches.iter().flatten();
        self.keep(all.filter(|rule| rule.result == HIDDEN), &mut rules)?;
        match &parallel.synchronisation {
            Synchronisation::Vectors(vectors) => {
                for vector in vectors {
                    self.vector(vector, &by_result, &mut rules)?;
                }
                self.remark_unused(vectors, &branches);
            }
            Synchronisation::Labels { matching, labels } => {
                let shared = self.keep_unshared(labels, *matching, &branches, &mut rules)?;
                for label in shared {
                    self.shared(label, &by_result, &mut rules)?;
                }
                let all = branches.iter().flatten();
                self.remark_missing(labels, *matching, Purpose::Synchronise, all);
            }
        }
        for branch in &branches {
            self.room.give_back(branch.len(), parts(branch));
        }
        Ok(rules)
    }

    /// Adds rules of behaviours that remain as they are.
    fn keep<'r>(
        &mut self,
        kept: impl Iterator<Item = &'r Rule> + Clone,
        rules: &mut Vec<Rule>,
    ) -> Result<(), CompileError<E>> {
        let parts = parts(kept.clone());
        self.room.take(Some(kept.clone().count()), parts)?;
        rules.extend(kept.cloned());
        Ok(())
    }

    /// Adds the rules with labels on which behaviours do not synchronise. Returns those on which
    /// they do.
    fn keep_unshared(
        &mut self,
        labels: &[String],
        matching: Matching,
        branches: &[Vec<Rule>],
        rules: &mut Vec<Rule>,
    ) -> Result<Vec<u32>, CompileError<E>> {
        let named: HashSet<&str> = labels.iter().map(String::as_str).collect();
        let is_named = |label: &String| named.contains(compared(label, matching));
        let is_shared: Vec<bool> = self.labels.iter().map(is_named).collect();
        let is_shared = |rule: &&Rule| is_shared[rule.result as usize];
        let visible = branches.iter().flatten();
        let visible = visible.filter(|rule| rule.result != HIDDEN);
        self.keep(visible.clone().filter(|rule| !is_shared(rule)), rules)?;
        let mut seen = HashSet::new();
        let shared = visible.filter(is_shared).map(|rule| rule.result);
        Ok(shared.filter(|&label| seen.insert(label)).collect())
    }

    /// Adds the rules of a vector.
    fn vector(
        &mut self,
        vector: &Vector,
        branches: &[ByResult<'_>],
        rules: &mut Vec<Rule>,
    ) -> Result<(), CompileError<E>> {
        let mut involved = Vec::new();
        for (branch, (part, by_result)) in vector.parts.iter().zip(branches).enumerate() {
            let Some(label) = part else { continue };
            if is_internal(label) {
                // The vector states that the behaviour takes its internal transitions, which it
                // does anyway.
                return Ok(());
            }
            match by_result.get(&self.number(label)) {
                Some(own) => involved.push(own.as_slice()),
                None => {
                    self.remarks.push(Remark::NeverApplies {
                        position: vector.position,
                        branch: branch + 1,
                        label: label.clone(),
                    });
                    return Ok(());
                }
            }
        }
        let result = self.number(&vector.result);
        combine(&involved, result, rules, &mut self.room)
    }

    /// Adds the rules of a label on which all behaviours synchronise.
    fn shared(
        &mut self,
        label: u32,
        branches: &[ByResult<'_>],
        rules: &mut Vec<Rule>,
    ) -> Result<(), CompileError<E>> {
        let mut involved = Vec::new();
        for (branch, by_result) in branches.iter().enumerate() {
            match by_result.get(&label) {
                Some(own) => involved.push(own.as_slice()),
                None => {
                    self.remarks.push(Remark::NeverSynchronises {
                        branch: branch + 1,
                        label: self.labels[label as usize].clone(),
                    });
                    return Ok(());
                }
            }
        }
        combine(&involved, label, rules, &mut self.room)
    }

    /// Adds remarks about labels that an operator names, but that no behaviour has.
    fn remark_missing<'r>(
        &mut self,
        labels: impl IntoIterator<Item = &'r String>,
        matching: Matching,
        purpose: Purpose,
        rules: impl IntoIterator<Item = &'r Rule>,
    ) {
        let results = rules.into_iter().map(|rule| rule.result);
        let names: HashSet<u32> = results.filter(|&result| result != HIDDEN).collect();
        let names = names.iter().map(|&name| &self.labels[name as usize]);
        let names: HashSet<&str> = names.map(|name| compared(name, matching)).collect();
        // The internal action may be hidden, whether it occurs or not.
        let missing = labels
            .into_iter()
            .filter(|label| !names.contains(label.as_str()) && !is_internal(label));
        self.remarks.extend(missing.map(|label| Remark::NobodyHas {
            label: label.clone(),
            purpose,
            matching,
        }));
    }

    /// Adds remarks about labels of behaviours that no vector has.
    fn remark_unused(&mut self, vectors: &[Vector], branches: &[Vec<Rule>]) {
        let Some(first) = vectors.first() else { return };
        for (branch, rules) in branches.iter().enumerate() {
            let used = vectors
                .iter()
                .filter_map(|vector| vector.parts[branch].as_deref());
            let used: HashSet<&str> = used.collect();
            let mut told = HashSet::from([HIDDEN]);
            for rule in rules {
                let label = &self.labels[rule.result as usize];
                if !used.contains(label.as_str()) && told.insert(rule.result) {
                    self.remarks.push(Remark::NeverHappens {
                        position: first.position,
                        branch: branch + 1,
                        label: label.clone(),
                    });
                }
            }
        }
    }
}

/// Returns the number of participants of all rules together.
fn parts<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> u64 {
    let each = rules.into_iter().map(|rule| rule.parts.len() as u64);
    each.sum()
}

/// Groups rules by their results.
fn group(rules: &[Rule]) -> ByResult<'_> {
    let mut by_result = ByResult::new();
    for rule in rules {
        by_result.entry(rule.result).or_default().push(rule);
    }
    by_result
}

/// Returns the part of a label that an operator compares.
fn compared(label: &str, matching: Matching) -> &str {
    match matching {
        Matching::Gate => gate(label),
        Matching::Total => label,
    }
}

/// Adds a rule for each way to choose one rule from each list. The choice from the last list
/// changes fastest.
fn combine<E>(
    lists: &[&[&Rule]],
    result: u32,
    rules: &mut Vec<Rule>,
    room: &mut Room,
) -> Result<(), CompileError<E>> {
    let ways = lists
        .iter()
        .try_fold(1_usize, |ways, list| ways.checked_mul(list.len()));
    // Each rule of a list takes part in an equal share of the ways.
    let parts = lists.iter().map(|list| {
        let own = parts(list.iter().copied());
        own.saturating_mul((ways.unwrap_or(usize::MAX) / list.len()) as u64)
    });
    room.take(ways, parts.fold(0, u64::saturating_add))?;
    let ways = ways.unwrap_or(0);
    rules.reserve(ways);
    for way in 0..ways {
        let mut left = way;
        let mut parts = Vec::with_capacity(lists.len());
        for list in lists.iter().rev() {
            parts.extend_from_slice(&list[left % list.len()].parts);
            left /= list.len();
        }
        parts.sort_unstable();
        let parts = parts.into_boxed_slice();
        rules.push(Rule { parts, result });
    }
    Ok(())
}

/// Returns the name of a file without folders and extension, as an identifier.
fn stem(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let plain: String = stem.chars().map(plain).collect();
    match plain.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => plain,
        false => format!("process_{plain}"),
    }
}
