//! Prints a small graph as compressed sparse rows and in warp-interleaved segments.
//!
//! ```text
//! cargo run -p warp-segments --example print -- [LANES [INTERVAL]]
//! ```
//!
//! The graph is the running example of the 2016 paper (figure 3). LANES is the number of states in
//! a segment, 4 by default. INTERVAL is the maximum number of edges of a state in a segment, 3 by
//! default.

use mdp_graph::StateId;
use std::env;
use std::error::Error;
use warp_segments::{Directions, EMPTY, EdgeRows, Layout, Segments, Shape};

const OFFSETS: [u32; 9] = [0, 3, 8, 9, 10, 12, 16, 19, 21];
const TARGETS: [u32; 21] = [
    1, 2, 4, 1, 2, 2, 3, 3, 2, 3, 5, 6, 2, 4, 6, 7, 4, 5, 6, 2, 3,
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = env::args().skip(1).map(|word| word.parse::<u32>());
    let lanes = numbers.next().transpose()?.unwrap_or(4);
    let interval = numbers.next().transpose()?.unwrap_or(3);

    let rows = EdgeRows {
        offsets: &OFFSETS,
        targets: StateId::cast_slice(&TARGETS),
    };
    let plain = Layout::of_edges(rows, Shape { lanes, interval: 0 }, Directions::Forward)?;
    println!("compressed sparse rows");
    print_rows(&plain);

    let segments = Layout::of_edges(rows, Shape { lanes, interval }, Directions::Forward)?;
    println!("\nsegments of {lanes} states with at most {interval} edges each");
    print_rows(&segments);
    print_segments(&segments.forward);
    Ok(())
}

/// Prints the arrays of a layout, and the numbering of its states.
fn print_rows(layout: &Layout) {
    let states = (0..layout.order.len()).map(StateId::from_index);
    let old: Vec<u32> = states.map(|new| layout.order.to_old(new).0).collect();
    println!("  states   {}", words(&old));
    println!("  offsets  {}", words(layout.forward.offsets()));
    println!("  entries  {}", words(layout.forward.entries()));
    println!("  padding  {}", layout.forward.padding());
}

/// Prints each segment as a block, with a column for each state and a line for each place in its
/// row.
fn print_segments(segments: &Segments) {
    let interleaved = segments.num_interleaved();
    for first in (0..interleaved).step_by(segments.lanes() as usize) {
        let row = segments.row(StateId(first));
        println!("\n  segment of the states from {first} on");
        let entries = &segments.entries()[row.start as usize..row.end as usize];
        for line in entries.chunks(row.step as usize) {
            println!("    {}", words(line));
        }
    }
}

/// Formats numbers side by side. A dash stands for padding.
fn words(numbers: &[u32]) -> String {
    let word = |&number: &u32| match number {
        EMPTY => " -".to_owned(),
        number => format!("{number:>2}"),
    };
    numbers.iter().map(word).collect::<Vec<_>>().join(" ")
}
