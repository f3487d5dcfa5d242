//! Prints the numbers of states, choices and branches of a DRN file, and its labels:
//! `cargo run -p drn --example counts -- model.drn`.

use drn::{Choice, ReadOptions, State, Visitor, visit};
use std::collections::BTreeMap;

/// The number of states that have each label.
#[derive(Default)]
struct Labels(BTreeMap<String, u64>);

impl Visitor for Labels {
    fn state(&mut self, state: State<'_>) {
        for &label in state.labels {
            *self.0.entry(label.to_owned()).or_default() += 1;
        }
    }

    fn choice(&mut self, _: Choice<'_>) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a DRN file")?;
    let text = std::fs::read(&path)?;
    let visited = visit(&text, &ReadOptions::default(), |_, _| Labels::default())?;
    println!(
        "{} of {} states",
        visited.header.model_type, visited.header.num_states
    );
    println!(
        "{} choices, {} branches",
        visited.num_choices, visited.num_branches
    );
    let mut all = BTreeMap::new();
    for (label, states) in visited.chunks.into_iter().flat_map(|chunk| chunk.0) {
        *all.entry(label).or_insert(0) += states;
    }
    for (label, states) in all {
        println!("{label}: {states} states");
    }
    Ok(())
}
