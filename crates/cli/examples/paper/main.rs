//! The fast engine beside its peers and the papers' variants, on models of the literature at full size.
//!
//! ```text
//! cargo run --release -p maxend --example paper -- SOURCES [--adapter NAME] [--runs 7] [--only TEXT]... [--large]
//!     [--papers] [--column NAME]... [--no-certificates] [--parts] [--steps] [--sweep] [--tune KEY=VALUE,...]...
//!     [--growing] [--limit 10] [--until SECONDS] [--record FOLDER]
//! ```
//!
//! `SOURCES` is the folder with the models in PRISM's language. Milliseconds, medians after two seconds of warm-up.
//! Each answer is compared with the CPU's, and that with its certificate.
//!
//! - `--only` names models by parts of their names, to be measured in that order.
//! - `--large` adds the papers' own models, which take up to ten gigabytes.
//! - `--papers` adds every column of the papers' experiments (`columns.rs`), or those that `--column` names;
//!   `--growing` adds models of growing size.
//! - `--parts` says where the time goes on the device, `--steps` iteration by iteration.
//! - `--tune` tries another way to share out the work (`tunings.rs`), `--sweep` several.
//! - A run is broken off after `--limit` seconds; after `--until` seconds no further column of the papers' begins.
//! - `--record FOLDER` writes what is printed as Markdown, JSON, and plots as SVG (`record.rs`), model by model.

mod columns;
mod measure;
mod models;
mod record;
#[path = "../../src/load/program/system.rs"]
mod system;
mod tables;
mod tunings;

use columns::{Experiment, experiments};
use decompose::gpu::Engine;
use decompose::gpu::fast::{Profile, Tuning};
use measure::{Cell, Known, Patience};
use models::{GROWING, LARGE, MODELS, Model, build};
use record::Record;
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tunings::{SWEEP, tuning};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Bytes a millisecond that an H200 copies.
const BANDWIDTH: f64 = 4.2e9;

/// What is asked for.
struct Arguments {
    sources: PathBuf,
    adapter: Option<String>,
    only: Vec<String>,
    large: bool,
    papers: bool,
    columns: Vec<String>,
    no_certificates: bool,
    parts: bool,
    steps: bool,
    tunings: Vec<String>,
    record: Option<PathBuf>,
    growing: bool,
    patience: Patience,
}

fn arguments() -> Result<Arguments> {
    let mut all = Arguments {
        sources: PathBuf::new(),
        adapter: None,
        only: Vec::new(),
        large: false,
        papers: false,
        columns: Vec::new(),
        no_certificates: false,
        parts: false,
        steps: false,
        tunings: Vec::new(),
        record: None,
        growing: false,
        patience: Patience {
            runs: 7,
            limit: Duration::from_secs(10),
            until: None,
        },
    };
    let start = Instant::now();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let seconds = |text: String| Ok::<_, Box<dyn Error>>(Duration::from_secs(text.parse()?));
        match word.as_str() {
            "--adapter" => all.adapter = Some(value()?),
            "--runs" => all.patience.runs = value()?.parse::<usize>()?.max(1),
            "--only" => all.only.push(value()?),
            "--large" => all.large = true,
            "--papers" => all.papers = true,
            "--column" => all.columns.push(value()?),
            "--no-certificates" => all.no_certificates = true,
            "--parts" => all.parts = true,
            "--steps" => all.steps = true,
            "--sweep" => all.tunings.extend(SWEEP.map(str::to_owned)),
            "--tune" => all.tunings.push(value()?),
            "--record" => all.record = Some(value()?.into()),
            "--growing" => all.growing = true,
            "--limit" => all.patience.limit = seconds(value()?)?,
            "--until" => all.patience.until = Some(start + seconds(value()?)?),
            _ if word.starts_with("--") => return Err(format!("there is no option {word}").into()),
            _ => all.sources = word.into(),
        }
    }
    Ok(all)
}

fn main() -> Result<()> {
    let arguments = arguments()?;
    let engine = Engine::open(arguments.adapter.as_deref())?;
    let experiments = match arguments.papers {
        true => experiments(&arguments.columns),
        false => Vec::new(),
    };
    let mut record = Record::new(engine.name(), arguments.patience.runs, &experiments);
    let save = |record: &Record<'_>| match &arguments.record {
        Some(folder) => record.write(folder),
        None => Ok(()),
    };
    // The models of growing size first: they are few numbers, and all are wanted.
    for family in GROWING.iter().filter(|_| arguments.growing) {
        record.growing.push((family.name, Vec::new()));
        for model in &family.models {
            let row = row(model, &engine, &arguments, &[])?;
            record.grow(row);
            save(&record)?;
        }
    }
    for model in wanted(&arguments) {
        record
            .rows
            .push(row(model, &engine, &arguments, &experiments)?);
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

/// What is known of a model.
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
    engine: &Engine,
    arguments: &Arguments,
    experiments: &[Experiment],
) -> Result<Row> {
    let start = Instant::now();
    let step = |what: &str| {
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("{seconds:7.2} s {}: {what}", model.name);
    };
    let graph = build(model, &arguments.sources)?;
    step("built");
    let known = Known::new(graph, !arguments.no_certificates)?;
    step("known");
    let patience = &arguments.patience;
    let sccs = known.sccs(engine, &Tuning::default(), patience)?;
    let mecs = known.mecs(engine, &Tuning::default(), patience)?;
    step(&format!("SCCs {sccs}, MECs {mecs}"));
    if arguments.parts {
        parts(&format!("{}, SCCs", model.name), &sccs);
        parts(&format!("{}, MECs", model.name), &mecs);
    }
    if arguments.steps {
        steps(&format!("{}, SCCs", model.name), &sccs);
        steps(&format!("{}, MECs", model.name), &mecs);
    }
    for text in &arguments.tunings {
        let tuning = tuning(text)?;
        let sccs = known.sccs(engine, &tuning, patience)?;
        let mecs = known.mecs(engine, &tuning, patience)?;
        println!("{}, {text}: SCCs {sccs}, MECs {mecs}", model.name);
    }
    let mut papers = Vec::new();
    for experiment in experiments {
        let tell = |column: &str, cell: &Cell| {
            step(&format!("{}, {column}: {cell}", experiment.name));
        };
        papers.push(known.experiment(engine, experiment, patience, &tell)?);
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
    for part in profile.parts.iter().filter(|part| part.iterations > 0) {
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
            profile.map_or("", |profile| profile.parts[step.part].name),
            step.nanoseconds as f64 / 1e3,
            step.groups,
            step.entries
        );
    }
}
