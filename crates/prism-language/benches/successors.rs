//! How many branches a second one core computes, without storing them:
//! `cargo bench -p prism-language -- model.prism N=7 K=2`
//!
//! The states are found first, by a search that is not timed.

use std::collections::HashSet;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use prism_language::{ActionId, Visitor, parse};

/// This many states are enough to leave the caches.
const MAX_STATES: usize = 1_000_000;

#[derive(Default)]
struct Find {
    found: HashSet<Box<[u64]>>,
    states: Vec<Box<[u64]>>,
}

impl Visitor for Find {
    fn choice(&mut self, _: Option<ActionId>) {}

    fn branch(&mut self, _: f64, target: &[u64]) {
        if self.states.len() < MAX_STATES && self.found.insert(target.into()) {
            self.states.push(target.into());
        }
    }
}

/// Reads all that it is told, so that nothing is optimised away.
#[derive(Default)]
struct Sum {
    choices: u64,
    branches: u64,
    weights: f64,
    bits: u64,
}

impl Visitor for Sum {
    fn choice(&mut self, _: Option<ActionId>) {
        self.choices += 1;
    }

    fn branch(&mut self, weight: f64, target: &[u64]) {
        self.branches += 1;
        self.weights += weight;
        self.bits ^= target.iter().fold(0, |bits, word| bits ^ word);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let Some((file, constants)) = arguments.split_first() else {
        println!("no model was named: nothing is measured");
        return Ok(());
    };
    let constants: Vec<(&str, &str)> = constants
        .iter()
        .filter_map(|constant| constant.split_once('='))
        .collect();
    let program = parse(&std::fs::read(file)?)?.compile(&constants)?;

    let mut find = Find::default();
    program.initial_states(|state| {
        find.branch(1.0, state);
        ControlFlow::Continue(())
    })?;
    let mut scratch = program.scratch();
    let mut next = 0;
    while let Some(state) = find.states.get(next).cloned() {
        program.successors(&mut scratch, &state, &mut find)?;
        next += 1;
    }

    let mut best = Duration::MAX;
    let mut sum = Sum::default();
    for _ in 0..5 {
        sum = Sum::default();
        let start = Instant::now();
        for state in &find.states {
            program.successors(&mut scratch, state, &mut sum)?;
        }
        best = best.min(start.elapsed());
    }
    let seconds = best.as_secs_f64();
    println!(
        "{} states of {} bits, {} branches in {:.3} s: {:.2} M states/s, {:.2} M branches/s ({:.0}, {:x})",
        find.states.len(),
        program.bits(),
        sum.branches,
        seconds,
        find.states.len() as f64 / seconds / 1e6,
        sum.branches as f64 / seconds / 1e6,
        sum.weights,
        sum.bits,
    );
    Ok(())
}
