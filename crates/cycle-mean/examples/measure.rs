//! Measures the searches on generated graphs: `cargo run --release -p cycle-mean --example measure
//! -- random 2000000 25000000 howard`.
//!
//! | shape | numbers | graph |
//! | --- | --- | --- |
//! | `random` | states, edges | one cycle through all states, and random edges, with weights below 10,000 |
//! | `cycle` | states | one cycle |
//! | `grid` | side | a square grid, with edges to the four neighbours, and weights below 10,000 |
//!
//! The last word is `howard`, `lawler` or `yto`.

use cycle_mean::{Goal, Options, Problem, Search, solve};
use mdp_graph::{MdpGraph, StateId};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (rows, search) = match words.as_slice() {
        ["random", states, edges, search] => (random(states.parse()?, edges.parse()?), search),
        ["cycle", states, search] => (random(states.parse()?, states.parse()?), search),
        ["grid", side, search] => (grid(side.parse()?), search),
        _ => return Err("expected a shape, its numbers and a search".into()),
    };
    let search = match *search {
        "howard" => Search::Howard,
        "lawler" => Search::Lawler,
        "yto" => Search::Yto,
        other => return Err(format!("there is no search {other}").into()),
    };
    let (graph, weights) = build(&rows)?;
    drop(rows);
    let start = Instant::now();
    let components = decompose::scc(&graph, &decompose::Options::default())?;
    let decomposed = start.elapsed();
    let start = Instant::now();
    let options = Options {
        search,
        ..Options::default()
    };
    let problem = Problem::mean(&graph, &weights, Goal::Min);
    let answer = cycle_mean::solve_components(&problem, components, &options)?;
    let solved = start.elapsed();
    let optimum = answer.optimal().ok_or("the graph has no cycle")?;
    println!(
        "{} states, {} edges: SCCs {:.3} s, {search:?} {:.3} s, {} iterations, minimum mean {}, cycle of {}",
        graph.num_states(),
        graph.num_branches(),
        decomposed.as_secs_f64(),
        solved.as_secs_f64(),
        optimum.iterations,
        optimum.value,
        optimum.cycle.len(),
    );
    // The whole way, as a caller takes it.
    let start = Instant::now();
    let again = solve(&problem, &options)?;
    println!(
        "again, both together: {:.3} s",
        start.elapsed().as_secs_f64()
    );
    assert_eq!(again.optimal(), answer.optimal());
    Ok(())
}

/// For each state the targets and weights of its edges.
type Rows = Vec<Vec<(u32, i64)>>;

/// A sequence of numbers that look random: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(mixed ^ (mixed >> 31)) * u128::from(limit)) >> 64) as u64
    }

    fn weight(&mut self) -> i64 {
        self.below(10_000) as i64
    }
}

fn random(states: u32, edges: u64) -> Rows {
    let mut random = Random(1);
    let next = |state: u32| (state + 1) % states;
    let mut rows: Rows = (0..states)
        .map(|state| vec![(next(state), random.weight())])
        .collect();
    for _ in u64::from(states)..edges {
        let source = random.below(states.into()) as usize;
        let target = random.below(states.into()) as u32;
        let weight = random.weight();
        rows[source].push((target, weight));
    }
    rows
}

fn grid(side: u32) -> Rows {
    let mut random = Random(1);
    let cell = |place: u32| {
        let (x, y) = (place / side, place % side);
        let around = [
            (x + 1, y),
            (x, y + 1),
            (x.wrapping_sub(1), y),
            (x, y.wrapping_sub(1)),
        ];
        let inside = around.into_iter().filter(|&(x, y)| x < side && y < side);
        inside
            .map(|(x, y)| (x * side + y, random.weight()))
            .collect()
    };
    (0..side * side).map(cell).collect()
}

fn build(rows: &Rows) -> Result<(MdpGraph, Vec<i64>), mdp_graph::BuildError> {
    let edges = rows.iter().flatten();
    let targets: Vec<StateId> = edges.clone().map(|&(target, _)| StateId(target)).collect();
    let weights = edges.map(|&(_, weight)| weight).collect();
    let branches = targets.len() as u32;
    // A state has one choice, to all its targets.
    let ends = rows.iter().scan(0, |end, row| {
        *end += row.len() as u32;
        Some(*end)
    });
    let offsets: Vec<u32> = [0].into_iter().chain(ends).collect();
    debug_assert_eq!(offsets.last(), Some(&branches));
    let states = (0..=rows.len() as u32).collect();
    Ok((MdpGraph::from_parts(states, offsets, targets)?, weights))
}
