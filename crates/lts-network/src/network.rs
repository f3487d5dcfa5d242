//! A compiled network of processes.

use crate::encode::{Tables, encode};
use crate::error::{CompileError, Remark};
use crate::flatten::{Process, flatten};
use crate::layout::{Field, MAX_WORDS, smallest};
use lts_formats::{Behaviour, Lts, ProcessFile};
use std::collections::{HashMap, HashSet};

/// A network of processes: packed states, and the transitions of each.
#[derive(Debug)]
pub struct Network {
    pub(crate) tables: Tables,
    pub(crate) fields: Vec<Field>,
    /// The number of 32-bit words of a packed state.
    num_words: usize,
    initial: Vec<u64>,
    names: Vec<String>,
    actions: Vec<String>,
    remarks: Vec<Remark>,
    num_rules: usize,
}

impl Network {
    /// Compiles a behaviour. `load` reads the LTS in a file, and is called once for each file.
    ///
    /// # Errors
    ///
    /// Every [`CompileError`] is possible.
    pub fn compile<E>(
        behaviour: &Behaviour,
        load: impl FnMut(&ProcessFile) -> Result<Lts, E>,
    ) -> Result<Self, CompileError<E>> {
        Self::compile_within(behaviour, load, u64::MAX)
    }

    /// As [`compile`](Self::compile), but refuses a network whose rules, and the transitions of
    /// processes that take part in them, need more than `memory` bytes. They are counted before
    /// they take memory.
    ///
    /// # Errors
    ///
    /// Every [`CompileError`] is possible.
    pub fn compile_within<E>(
        behaviour: &Behaviour,
        load: impl FnMut(&ProcessFile) -> Result<Lts, E>,
        memory: u64,
    ) -> Result<Self, CompileError<E>> {
        let flat = flatten(behaviour, load, memory)?;
        let counts = flat
            .processes
            .iter()
            .map(|process| process.lts.num_states());
        let (fields, words) = smallest(counts).expect("a number of states has 32 bits");
        if words > MAX_WORDS {
            return Err(CompileError::TooWide { words });
        }
        let mut initial = vec![0; words.div_ceil(2)];
        for (field, process) in fields.iter().zip(&flat.processes) {
            // A process without probabilities has one initial state.
            field.set(&mut initial, process.lts.initial()[0].0);
        }
        Ok(Self {
            tables: encode(&flat)?,
            num_words: words,
            fields,
            initial,
            names: unique(&flat.processes),
            num_rules: flat.rules.len(),
            actions: flat.labels,
            remarks: flat.remarks,
        })
    }

    /// Returns the labels of the system. The first one is the internal action. Action `n` of an
    /// explored choice is label `n - 1`.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.actions
    }

    /// Returns the names of the processes, without duplicates. They are made from the names of
    /// their files.
    #[must_use]
    pub fn process_names(&self) -> &[String] {
        &self.names
    }

    /// Returns the positions of the states of the processes in a packed state.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the number of words of 32 bits of a packed state.
    #[must_use]
    pub fn num_words(&self) -> usize {
        self.num_words
    }

    /// Returns the number of rules.
    #[must_use]
    pub fn num_rules(&self) -> usize {
        self.num_rules
    }

    /// Returns the packed initial state.
    #[must_use]
    pub fn initial_state(&self) -> &[u64] {
        &self.initial
    }

    /// Observations that are not errors, but may not be intended.
    #[must_use]
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Returns a packed state in readable form: `(light=2, pedestrian=0)`.
    #[must_use]
    pub fn show(&self, state: &[u64]) -> String {
        let fields = self.names.iter().zip(&self.fields);
        let shown = fields.map(|(name, field)| format!("{name}={}", field.get(state)));
        let shown: Vec<String> = shown.collect();
        format!("({})", shown.join(", "))
    }
}

/// Returns the names of processes, with numbers added if several have the same name.
fn unique(processes: &[Process]) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for process in processes {
        *counts.entry(&process.name).or_default() += 1;
    }
    // The number that was last added to each name. Later processes of the same name get greater
    // ones.
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = Vec::with_capacity(processes.len());
    for process in processes {
        let mut name = process.name.clone();
        let number = numbers.entry(&process.name).or_default();
        let mut lacks_number = counts[name.as_str()] > 1;
        while lacks_number || taken.contains(&name) {
            *number += 1;
            name = format!("{}_{number}", process.name);
            lacks_number = false;
        }
        taken.insert(name.clone());
        names.push(name);
    }
    names
}
