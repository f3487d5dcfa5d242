//! Compares the times of certificates with those of the decompositions on the CPU, as Markdown.
//!
//! ```text
//! cargo run --release -p certify --example cost -- [--runs 5] MODEL.tra...
//! ```
//!
//! Times are medians, in milliseconds. Ratios are relative to the time of the decomposition in the
//! same row and, for the check of MECs, also to the time of the SCCs.

use certify::produce;
use decompose::{Options, mec, scc};
use mdp_graph::{Chunk, ChunkBuilder, Components, Deadlocks, MdpGraph, StateId, assemble};
use prism_explicit::{Choice, ReadOptions, Visitor, visit_transitions};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut runs = 5;
    let mut models = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => runs = arguments.next().ok_or("--runs needs a number")?.parse()?,
            _ => models.push(argument),
        }
    }
    println!(
        "| model | branches | SCC | produce | check | both / SCC | MEC | produce | check | produce / MEC | check / SCC |"
    );
    println!("| --- |{}", " --: |".repeat(10));
    for model in &models {
        row(Path::new(model), runs)?;
    }
    Ok(())
}

fn row(path: &Path, runs: usize) -> Result<()> {
    let graph = read(path)?;
    let options = Options::default();
    let sccs = Costs::measure(&graph, runs, || Ok(scc(&graph, &options)?))?;
    let mecs = Costs::measure(&graph, runs, || Ok(mec(&graph, &options)?))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    println!(
        "| {name} | {} | {:.0} | {:.0} | {:.0} | {:.2} | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} |",
        graph.num_branches(),
        sccs.decompose,
        sccs.produce,
        sccs.check,
        (sccs.produce + sccs.check) / sccs.decompose,
        mecs.decompose,
        mecs.produce,
        mecs.check,
        mecs.produce / mecs.decompose,
        mecs.check / sccs.decompose,
    );
    Ok(())
}

/// The times, in milliseconds.
struct Costs {
    decompose: f64,
    produce: f64,
    check: f64,
}

impl Costs {
    /// Measures all three by turns.
    fn measure(
        graph: &MdpGraph,
        runs: usize,
        decompose: impl Fn() -> Result<Components>,
    ) -> Result<Self> {
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..runs {
            let (time, components) = timed(&decompose)?;
            times[0].push(time);
            let (time, certificate) = timed(|| Ok(produce(graph, &components)?))?;
            times[1].push(time);
            let (time, ()) = timed(|| Ok(certificate.check(graph, &components)?))?;
            times[2].push(time);
        }
        let [decompose, produce, check] = times.map(median);
        Ok(Self {
            decompose,
            produce,
            check,
        })
    }
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(Duration, T)> {
    let start = Instant::now();
    let result = work()?;
    Ok((start.elapsed(), result))
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn read(path: &Path) -> Result<MdpGraph> {
    struct Gather(ChunkBuilder);
    impl Visitor for Gather {
        fn choice(&mut self, choice: Choice<'_>) {
            self.0
                .push_choice(StateId(choice.state), StateId::cast_slice(choice.targets));
        }
    }
    let text = std::fs::read(path)?;
    let visited = visit_transitions(&text, &ReadOptions::default(), |_, _| {
        Gather(ChunkBuilder::default())
    })?;
    let chunks = visited.chunks.into_iter().map(|chunk| chunk.0.finish());
    let chunks: Vec<Chunk> = chunks.collect();
    Ok(assemble(visited.info.num_states, chunks, Deadlocks::SelfLoop)?.graph)
}
