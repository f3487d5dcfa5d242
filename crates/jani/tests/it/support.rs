//! What several tests need: a sequential search.

use jani::{Program, Widths};
use prism_language::{ActionId, ErrorKind, Visitor};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The models that this crate is tested with.
pub(crate) fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let entries = std::fs::read_dir(folder).expect("the models are there");
    let mut models: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    models.sort();
    models
}

/// The constants that a model leaves open.
pub(crate) fn constants(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "walk" => &[("N", "4")],
        _ => &[],
    }
}

/// A choice: its action, and its targets with their probabilities.
type Choice = (Option<ActionId>, BTreeMap<usize, f64>);

/// The states of a program with their choices, as a breadth-first search finds them.
#[derive(Default)]
pub(crate) struct Space {
    numbers: HashMap<Vec<u64>, usize>,
    pub(crate) states: Vec<Vec<u64>>,
    pub(crate) choices: Vec<Vec<Choice>>,
}

impl Space {
    fn number(&mut self, state: &[u64]) -> usize {
        let next = self.states.len();
        let number = *self.numbers.entry(state.to_vec()).or_insert(next);
        if number == next {
            self.states.push(state.to_vec());
        }
        number
    }

    fn explore(&mut self, program: &Program) -> Result<(), prism_language::Error> {
        program.initial_states(|state| {
            self.number(state);
            ControlFlow::Continue(())
        })?;
        let mut scratch = program.scratch();
        while self.choices.len() < self.states.len() {
            let state = self.states[self.choices.len()].clone();
            self.choices.push(Vec::new());
            program.successors(&mut scratch, &state, self)?;
        }
        Ok(())
    }
}

impl Visitor for Space {
    fn choice(&mut self, action: Option<ActionId>) {
        let choices = self.choices.last_mut().expect("a state is explored");
        choices.push((action, BTreeMap::new()));
    }

    fn branch(&mut self, weight: f64, target: &[u64]) {
        let target = self.number(target);
        let choices = self.choices.last_mut().expect("a state is explored");
        let (_, branches) = choices.last_mut().expect("a choice comes first");
        *branches.entry(target).or_default() += weight;
    }
}

/// Compiles a model and finds its states, with as many bits for unbounded variables as it takes.
pub(crate) fn explored(
    text: &[u8],
    constants: &[(&str, &str)],
) -> Result<(Program, Space), String> {
    let model = jani::parse(text).map_err(|error| error.to_string())?;
    let mut widths = Widths::default();
    loop {
        let program = model.compile_with(constants, &mut widths);
        let program = program.map_err(|error| error.to_string())?;
        let mut space = Space::default();
        match space.explore(&program) {
            Ok(()) => return Ok((program, space)),
            Err(error) => match error.kind() {
                kind @ ErrorKind::ValueTooWide { .. } if widths.widen(kind) => {}
                _ => return Err(error.to_string()),
            },
        }
    }
}
