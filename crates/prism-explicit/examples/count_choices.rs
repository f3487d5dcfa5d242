//! Counts the states that have 0, 1, 2, ... choices, without holding the model in memory.
//!
//! ```text
//! cargo run --release -p prism-explicit --example count_choices -- model.tra[.gz]
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::process::exit;

use prism_explicit::{Choice, ReadOptions, Visitor, visit_transitions};

/// The number of states by their number of choices, for one chunk of the file.
#[derive(Default)]
struct Histogram {
    states: BTreeMap<u32, u64>,
    /// The last state, and the number of its choices so far.
    open: Option<(u32, u32)>,
}

impl Histogram {
    fn close(&mut self) {
        if let Some((_, choices)) = self.open.take() {
            *self.states.entry(choices).or_default() += 1;
        }
    }
}

impl Visitor for Histogram {
    fn choice(&mut self, choice: Choice<'_>) {
        if self.open.is_some_and(|(state, _)| state != choice.state) {
            self.close();
        }
        self.open = Some((choice.state, choice.index + 1));
    }
}

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: count_choices MODEL")?;
    let bytes = std::fs::read(path)?;
    let text = decompress::inflate(&bytes, &Default::default())?;
    let visited = visit_transitions(&text, &ReadOptions::default(), |_, _| Histogram::default())?;

    let mut total: BTreeMap<u32, u64> = BTreeMap::new();
    for mut chunk in visited.chunks {
        chunk.close(); // a chunk ends with a whole state
        for (choices, states) in chunk.states {
            *total.entry(choices).or_default() += states;
        }
    }
    let info = visited.info;
    let deadlocks = u64::from(info.num_states) - total.values().sum::<u64>();
    if deadlocks > 0 {
        total.insert(0, deadlocks);
    }
    println!(
        "{} of {} states, {} choices",
        info.model_type, info.num_states, info.num_choices
    );
    for (choices, states) in total {
        println!("{states:>12} with {choices}");
    }
    Ok(())
}
