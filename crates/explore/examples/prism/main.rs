//! Builds a model in PRISM's language, and prints how much time and memory it took: `prism MODEL
//! THREADS[,THREADS]... [NAME=VALUE]...`

// This code belongs to the command line, on which no example of this crate can depend.
#[path = "../../../cli/src/load/program/system.rs"]
mod system;

use explore::{Exploration, Observer, Options, Progress, explore};
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use system::PrismSystem;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, threads, constants @ ..] = arguments.as_slice() else {
        return Err("usage: prism MODEL THREADS[,THREADS]... [NAME=VALUE]...".into());
    };
    let constants: Option<Vec<(&str, &str)>> =
        constants.iter().map(|text| text.split_once('=')).collect();
    let constants = constants.ok_or("a constant is NAME=VALUE")?;
    let program = prism_language::parse(&std::fs::read(file)?)?.compile(&constants)?;
    println!(
        "{file} {constants:?}: {} bits in {} words",
        program.bits(),
        program.words()
    );
    let system = PrismSystem(program);
    for threads in threads.split(',') {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.parse()?)
            .build()?;
        let peak = Peak::default();
        let options = Options {
            observer: &peak,
            ..Options::default()
        };
        let began = Instant::now();
        let found = pool.install(|| explore(&system, &options))?;
        print(threads, &found, began.elapsed(), &peak);
    }
    Ok(())
}

/// Records the largest amount of memory that was held.
#[derive(Default)]
struct Peak(AtomicU64);

impl Observer for Peak {
    fn progress(&self, progress: Progress, _: Duration) {
        self.0.fetch_max(progress.bytes, Ordering::Relaxed);
    }
}

fn print(threads: &str, found: &Exploration, elapsed: Duration, peak: &Peak) {
    let graph = &found.graph;
    let (states, choices, branches) = (
        graph.num_states(),
        graph.num_choices(),
        graph.num_branches(),
    );
    let seconds = elapsed.as_secs_f64();
    let graph_bytes = (states + choices + branches + 2) * 4;
    let state_bytes = found.states.packed().len() * 8;
    println!(
        "{threads} threads: {states} states, {choices} choices, {branches} branches, {} deadlocks",
        found.deadlocks
    );
    println!(
        "  {seconds:.3} s: {:.2} M states/s, {:.1} ns a branch; graph {} MiB, states {} MiB, held at most {} MiB",
        states as f64 / seconds / 1e6,
        seconds * 1e9 / branches as f64,
        graph_bytes >> 20,
        state_bytes >> 20,
        peak.0.load(Ordering::Relaxed) >> 20,
    );
}
