//! Counts the states, choices and branches of a model by a breadth-first search:
//! `cargo run --release --example count -- model.prism N=7 K=2`

use std::collections::HashMap;
use std::error::Error;
use std::ops::ControlFlow;

use prism_language::{ActionId, Visitor, parse};

#[derive(Default)]
struct Search {
    numbers: HashMap<Box<[u64]>, u32>,
    states: Vec<Box<[u64]>>,
    choices: u64,
    branches: u64,
    /// The targets of the current choice.
    targets: Vec<u32>,
}

impl Search {
    fn number(&mut self, state: &[u64]) -> u32 {
        if let Some(&number) = self.numbers.get(state) {
            return number;
        }
        let number = self.states.len() as u32;
        self.states.push(state.into());
        self.numbers.insert(state.into(), number);
        number
    }

    /// Counts the targets of the choice that ends, without duplicates.
    fn end_choice(&mut self) {
        self.targets.sort_unstable();
        self.targets.dedup();
        self.branches += self.targets.len() as u64;
        self.targets.clear();
    }
}

impl Visitor for Search {
    fn choice(&mut self, _: Option<ActionId>) {
        self.end_choice();
        self.choices += 1;
    }

    fn branch(&mut self, _: f64, target: &[u64]) {
        let number = self.number(target);
        self.targets.push(number);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, constants) = arguments.split_first().ok_or("no model")?;
    let constants: Vec<(&str, &str)> = constants
        .iter()
        .filter_map(|constant| constant.split_once('='))
        .collect();
    let program = parse(&std::fs::read(file)?)?.compile(&constants)?;

    let mut search = Search::default();
    program.initial_states(|state| {
        search.number(state);
        ControlFlow::Continue(())
    })?;
    let mut scratch = program.scratch();
    let mut deadlocks = 0;
    let mut next = 0;
    while let Some(state) = search.states.get(next).cloned() {
        let before = search.choices;
        program.successors(&mut scratch, &state, &mut search)?;
        search.end_choice();
        deadlocks += u64::from(search.choices == before);
        next += 1;
    }
    println!(
        "{} states, {} choices, {} branches, {deadlocks} deadlocks",
        search.states.len(),
        search.choices,
        search.branches
    );
    Ok(())
}
