//! The times of the decompositions on the CPU, with several numbers of threads, as Markdown.
//!
//! ```text
//! cargo run --release -p decompose --no-default-features --example cpu_bench -- [--runs 5] [--threads 1,2] [--check] GRAPH...
//! ```
//!
//! `support/graphs.rs` says what a GRAPH is. Milliseconds, medians. `--check` compares the answers
//! with Tarjan's search before.

#[path = "support/graphs.rs"]
#[allow(dead_code)]
mod graphs;

use decompose::{Options, Search, mec, scc};
use graphs::{Result, graph, short};
use mdp_graph::{Components, MdpGraph};
use std::time::Instant;

fn main() -> Result<()> {
    let (mut runs, mut threads, mut names) = (5, vec![1, 2], Vec::new());
    let mut check = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--runs" => runs = value()?.parse()?,
            "--threads" => {
                let counts: std::result::Result<_, _> =
                    value()?.split(',').map(str::parse).collect();
                threads = counts?;
            }
            "--check" => check = true,
            _ => names.push(argument),
        }
    }
    let columns: Vec<String> = threads.iter().map(|n| format!("{n} threads")).collect();
    println!("| graph | what | {} |", columns.join(" | "));
    println!("| --- | --- |{}", " --: |".repeat(columns.len()));
    for name in &names {
        let graph = graph(name, 1)?;
        for (what, search) in [("SCC", scc as Decomposition), ("MEC", mec)] {
            let mut cells = Vec::new();
            let expected = check.then(|| tarjan(&graph, search));
            for &count in &threads {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
                let found = || search(&graph, &Options::default());
                if expected
                    .as_ref()
                    .is_some_and(|expected| *expected != pool.install(found))
                {
                    return Err(format!("{name}: the searches disagree on {what}s").into());
                }
                let time = pool.install(|| measure(&graph, search, runs));
                cells.push(format!("{time:.1}"));
            }
            println!("| {} | {what} | {} |", short(name), cells.join(" | "));
        }
    }
    Ok(())
}

type Answer = std::result::Result<Components, decompose::Error>;
type Decomposition = fn(&MdpGraph, &Options<'_>) -> Answer;

fn tarjan(graph: &MdpGraph, search: Decomposition) -> Answer {
    let options = Options {
        search: Search::Tarjan,
        ..Options::default()
    };
    search(graph, &options)
}

/// The median of the milliseconds.
fn measure(graph: &MdpGraph, search: Decomposition, runs: usize) -> f64 {
    let mut times: Vec<f64> = (0..runs.max(1))
        .map(|_| {
            let start = Instant::now();
            let components = search(graph, &Options::default());
            let time = start.elapsed().as_secs_f64() * 1e3;
            drop(components);
            time
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
