//! The times of the decompositions on the CPU, with several numbers of threads, as Markdown.
//!
//! ```text
//! cargo run --release -p decompose --no-default-features --example cpu_bench -- [--runs 5]
//! [--threads 1,2] [--check] [--traps 1] GRAPH...
//! ```
//!
//! `support/graphs.rs` says what a GRAPH is. `--traps N` adds generated models, each of which is
//! the worst for some search, with about ten million edges divided by N. Times are medians in
//! milliseconds. The numbers of threads take turns, after a turn that does not count. `--check`
//! first compares the answers with those of Tarjan's search; without it, answers are compared with
//! those of the first number of threads. `ratio` is the time with the first number of threads
//! divided by the time with the last one. `slowest` is the greatest time with the last number of
//! threads, divided by the median. The last line is the geometric mean of `ratio` over the graphs
//! with more than ten million edges.

#[path = "support/graphs.rs"]
#[allow(dead_code)]
mod graphs;

use decompose::{ComponentSearch, Options, mec, scc};
use graphs::{Result, graph, short, traps};
use mdp_graph::{Components, MdpGraph};
use std::num::NonZeroU32;
use std::time::Instant;

struct Arguments {
    runs: usize,
    threads: Vec<usize>,
    check: bool,
    names: Vec<String>,
}

fn arguments() -> Result<Arguments> {
    let mut all = Arguments {
        runs: 5,
        threads: vec![1, 2],
        check: false,
        names: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--runs" => all.runs = value()?.parse()?,
            "--threads" => {
                let counts: std::result::Result<_, _> =
                    value()?.split(',').map(str::parse).collect();
                all.threads = counts?;
            }
            "--check" => all.check = true,
            "--traps" => {
                let divisor: NonZeroU32 = value()?.parse()?;
                all.names.extend(traps(divisor));
            }
            _ => all.names.push(argument),
        }
    }
    match all.threads.is_empty() {
        true => Err("--threads needs numbers".into()),
        false => Ok(all),
    }
}

fn main() -> Result<()> {
    let arguments = arguments()?;
    let columns = arguments.threads.iter().map(|n| format!(" {n} threads |"));
    let columns: String = columns.collect();
    let right = " --: |".repeat(arguments.threads.len() + 2);
    println!("| graph | states | edges | what | components |{columns} ratio | slowest |");
    println!("| --- | --: | --: | --- | --: |{right}");
    let (mut ratios, mut failed) = (Vec::new(), false);
    for name in &arguments.names {
        let graph = graph(name, 1)?;
        let (states, edges) = (graph.num_states(), graph.num_branches());
        for (what, search) in [("SCC", scc as Decomposition), ("MEC", mec)] {
            let (times, components) = match times(&graph, search, &arguments) {
                Ok(found) => found,
                Err(error) => {
                    println!(
                        "| {} | {states} | {edges} | {what} | {error} |",
                        short(name)
                    );
                    failed = true;
                    continue;
                }
            };
            let (first, last) = (&times[0], &times[times.len() - 1]);
            let (ratio, slowest) = (first.median / last.median, last.greatest / last.median);
            let medians = times.iter().map(|times| format!(" {:.1} |", times.median));
            let medians: String = medians.collect();
            let name = short(name);
            println!(
                "| {name} | {states} | {edges} | {what} | {components} |{medians} {ratio:.2} | \
                 {slowest:.2} |"
            );
            if edges > 10_000_000 {
                ratios.push(ratio.ln());
            }
        }
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().sum::<f64>() / ratios.len() as f64).exp();
        println!("\nGeometric mean of the ratio over graphs of more than 10 M edges: {mean:.2}");
    }
    match failed {
        true => Err("not all searches agree".into()),
        false => Ok(()),
    }
}

type Answer = std::result::Result<Components, decompose::Error>;
type Decomposition = fn(&MdpGraph, &Options<'_>) -> Answer;

/// The times of runs with the same number of threads, in milliseconds.
struct Times {
    median: f64,
    greatest: f64,
}

impl Times {
    /// `times`: at least one.
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self {
            median: times[times.len() / 2],
            greatest: times[times.len() - 1],
        }
    }
}

/// Returns the times with each number of threads, and the number of components.
fn times(
    graph: &MdpGraph,
    search: Decomposition,
    arguments: &Arguments,
) -> Result<(Vec<Times>, usize)> {
    let tarjan = Options {
        search: ComponentSearch::Tarjan,
        ..Options::default()
    };
    let mut expected = match arguments.check {
        true => Some(search(graph, &tarjan)?),
        false => None,
    };
    let build = |&count: &usize| rayon::ThreadPoolBuilder::new().num_threads(count).build();
    let pools: std::result::Result<Vec<_>, _> = arguments.threads.iter().map(build).collect();
    let pools = pools?;
    let mut times = vec![Vec::new(); pools.len()];
    // The numbers of threads take turns, because the speed of the machine may change. The first
    // turn gets memory from the system.
    for turn in 0..=arguments.runs.max(1) {
        for (pool, times) in pools.iter().zip(&mut times) {
            let start = Instant::now();
            let found = pool.install(|| search(graph, &Options::default()))?;
            if turn > 0 {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
            if expected.get_or_insert_with(|| found.clone()) != &found {
                let count = pool.current_num_threads();
                return Err(format!("{count} threads find other components").into());
            }
        }
    }
    let times = times.into_iter().map(Times::of).collect();
    Ok((times, expected.map_or(0, |components| components.len())))
}
