//! The worklist engine beside its peers and the papers' variants, on models of the literature at
//! full size.
//!
//! ```text
//! cargo run --release -p maxend --example paper -- SOURCES
//! ```
//!
//! `SOURCES` is the folder with the models in PRISM's language; `--help` says what else there is.
//! Milliseconds, medians after two seconds of warm-up. Each answer is compared with the CPU's, and
//! that with its certificate.

mod arguments;
mod columns;
mod measure;
mod models;
mod plots;
mod record;
#[path = "../../src/load/program/system.rs"]
mod system;
mod tables;
mod tunings;

use arguments::Arguments;
use clap::Parser;
use columns::{Experiment, experiments};
use decompose::gpu::worklist::Profile;
use gpu::{Gpu, Request};
use mdp_graph::ComponentKind;
use measure::{Budget, Cell, Known};
use models::{GROWING, LARGE, MODELS, Model, build};
use record::Record;
use std::error::Error;
use std::time::Instant;
use tunings::tuning;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Bytes a millisecond that an H200 copies.
const BANDWIDTH: f64 = 4.2e9;

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let (Some(old), Some(folder)) = (&arguments.redraw, &arguments.record) {
        return plots::write(&serde_json::from_slice(&std::fs::read(old)?)?, folder);
    }
    let budget = arguments.budget(Instant::now());
    let adapter = arguments.adapter.as_deref();
    let engine = Gpu::open(&adapter.map_or_else(Request::hardware, Request::named))?;
    let experiments = match arguments.papers {
        true => experiments(&arguments.column),
        false => Vec::new(),
    };
    let mut record = Record::new(engine.info().to_string(), budget.runs, &experiments);
    let save = |record: &Record<'_>| match &arguments.record {
        Some(folder) => record.write(folder),
        None => Ok(()),
    };
    // The models of growing size first: they are few numbers, and all are wanted.
    for family in GROWING.iter().filter(|_| arguments.growing) {
        record.growing.push((family.name, Vec::new()));
        for model in &family.models {
            let row = row(model, &engine, &arguments, &budget, &[])?;
            record.grow(row);
            save(&record)?;
        }
    }
    for model in wanted(&arguments) {
        record
            .rows
            .push(row(model, &engine, &arguments, &budget, &experiments)?);
        save(&record)?;
    }
    tables::write(&mut std::io::stdout(), &record)?;
    Ok(())
}

/// All models; or those that are named, in that order.
fn wanted(arguments: &Arguments) -> Vec<&'static Model> {
    let large = LARGE.iter().filter(|_| arguments.large);
    let all: Vec<&Model> = MODELS.iter().chain(large).collect();
    if arguments.only.is_empty() {
        return all;
    }
    let named = arguments.only.iter().flat_map(|text| {
        let named = all
            .iter()
            .filter(|model| model.name.contains(text.as_str()));
        named.copied()
    });
    named.collect()
}

/// The facts about a model.
struct Row {
    model: &'static Model,
    states: usize,
    edges: usize,
    branches: usize,
    /// Milliseconds of maxend on all cores of the CPU, SCCs and MECs.
    cpu_ms: [f64; 2],
    sccs: Cell,
    mecs: Cell,
    /// The columns of each experiment.
    papers: Vec<Vec<Cell>>,
}

fn row(
    model: &'static Model,
    engine: &Gpu,
    arguments: &Arguments,
    budget: &Budget,
    experiments: &[Experiment],
) -> Result<Row> {
    let start = Instant::now();
    let step = |what: &str| {
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("{seconds:7.2} s {}: {what}", model.name);
    };
    let sources = arguments.sources.as_deref();
    let graph = build(
        model,
        sources.ok_or("the folder with the sources is missing")?,
    )?;
    step("built");
    let known = Known::new(graph, !arguments.no_certificates)?;
    step("known");
    let sccs = known.by_worklist(ComponentKind::Scc, engine, None, budget)?;
    let mecs = known.by_worklist(ComponentKind::Mec, engine, None, budget)?;
    step(&format!("SCCs {sccs}, MECs {mecs}"));
    if arguments.parts {
        parts(&format!("{}, SCCs", model.name), &sccs);
        parts(&format!("{}, MECs", model.name), &mecs);
    }
    if arguments.steps {
        steps(&format!("{}, SCCs", model.name), &sccs);
        steps(&format!("{}, MECs", model.name), &mecs);
    }
    for text in arguments.tunings() {
        let tuning = tuning(text)?;
        let sccs = known.by_worklist(ComponentKind::Scc, engine, Some(&tuning), budget)?;
        let mecs = known.by_worklist(ComponentKind::Mec, engine, Some(&tuning), budget)?;
        println!("{}, {text}: SCCs {sccs}, MECs {mecs}", model.name);
    }
    let mut papers = Vec::new();
    for experiment in experiments {
        let tell = |column: &str, cell: &Cell| {
            step(&format!("{}, {column}: {cell}", experiment.name));
        };
        papers.push(known.experiment(engine, experiment, budget, &tell)?);
    }
    Ok(Row {
        model,
        states: known.graph.num_states(),
        edges: known.edges.num_edges(),
        branches: known.graph.num_branches(),
        cpu_ms: known.cpu_ms,
        sccs,
        mecs,
        papers,
    })
}

impl Row {
    /// The least milliseconds that reading the edges from both sides and writing the states takes.
    fn floor_ms(&self) -> f64 {
        (8 * self.edges + 12 * self.states) as f64 / BANDWIDTH
    }
}

/// Where the time of a search goes.
fn parts(what: &str, cell: &Cell) {
    let Cell::Measured(times) = cell else {
        return;
    };
    let Some(profile) = times.profile.as_deref() else {
        return;
    };
    let Profile {
        rounds,
        iterations,
        submissions,
        ..
    } = profile;
    println!(
        "{what}: {:.2} ms, {:.2} on the device; {rounds} rounds, {iterations} iterations, {submissions} submissions",
        times.search_ms,
        profile.nanoseconds() as f64 / 1e6
    );
    for part in profile.phases.iter().filter(|part| part.iterations > 0) {
        println!(
            "    {:8} {:8.3} ms {:6} iterations {:10} entries",
            part.name,
            part.nanoseconds as f64 / 1e6,
            part.iterations,
            part.entries
        );
    }
}

/// Each iteration of a search by itself.
fn steps(what: &str, cell: &Cell) {
    let Cell::Measured(times) = cell else {
        return;
    };
    println!("{what}, iteration by iteration:");
    let profile = times.profile.as_deref();
    for step in profile
        .iter()
        .flat_map(|profile| profile.steps.iter().flatten())
    {
        println!(
            "    {:8} {:9.1} us {:6} workgroups {:10} entries",
            profile.map_or("", |profile| profile.phases[step.phase].name),
            step.nanoseconds as f64 / 1e3,
            step.groups,
            step.entries
        );
    }
}
