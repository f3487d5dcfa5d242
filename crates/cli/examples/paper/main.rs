//! The fast engine beside its peers, on models of the literature at full size: a table in Markdown.
//!
//! ```text
//! cargo run --release -p maxend --example paper -- SOURCES [--adapter NAME] [--runs 7] [--only TEXT]...
//!     [--papers] [--no-certificates] [--parts] [--sweep] [--record FOLDER [--growing]]
//! ```
//!
//! `--record FOLDER` writes the numbers as JSON too, and plots as SVG (`record.rs`), with `--growing` also of one model at
//! five sizes.
//!
//! `SOURCES` is the folder with the models in PRISM's language. Milliseconds, medians after two seconds of warm-up.
//! Each answer is compared with the CPU's, and that with its certificate. `--papers` adds the papers' engine (`F0,7`);
//! `--parts` says where the time goes on the device; `--sweep` tries other ways to share out the work.

mod measure;
mod models;
mod record;
#[path = "../../src/load/program/system.rs"]
mod system;

use decompose::gpu::Engine;
use decompose::gpu::fast::{Profile, Tuning};
use measure::{Known, Times};
use models::{GROWING, MODELS, Model, Peers, build};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Bytes a millisecond that an H200 copies.
const BANDWIDTH: f64 = 4.2e9;

/// What is asked for.
#[derive(Default)]
struct Arguments {
    sources: PathBuf,
    adapter: Option<String>,
    runs: usize,
    only: Vec<String>,
    papers: bool,
    no_certificates: bool,
    parts: bool,
    sweep: bool,
    record: Option<PathBuf>,
    growing: bool,
}

fn arguments() -> Result<Arguments> {
    let mut all = Arguments {
        runs: 7,
        ..Arguments::default()
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--adapter" => all.adapter = Some(value()?),
            "--runs" => all.runs = value()?.parse::<usize>()?.max(1),
            "--only" => all.only.push(value()?),
            "--papers" => all.papers = true,
            "--no-certificates" => all.no_certificates = true,
            "--parts" => all.parts = true,
            "--sweep" => all.sweep = true,
            "--record" => all.record = Some(value()?.into()),
            "--growing" => all.growing = true,
            _ => all.sources = word.into(),
        }
    }
    Ok(all)
}

fn main() -> Result<()> {
    let arguments = arguments()?;
    let engine = Engine::open(arguments.adapter.as_deref())?;
    println!(
        "{}; milliseconds, medians of {}.\n",
        engine.name(),
        arguments.runs
    );
    let mut rows = Vec::new();
    for model in &MODELS {
        let is_wanted = |text: &String| model.name.contains(text.as_str());
        if arguments.only.is_empty() || arguments.only.iter().any(is_wanted) {
            rows.push(row(model, &engine, &arguments)?);
        }
    }
    table(&rows);
    if let Some(folder) = &arguments.record {
        let growing = GROWING.iter().filter(|_| arguments.growing);
        let growing = growing.map(|model| row(model, &engine, &arguments));
        let growing = growing.collect::<Result<Vec<_>>>()?;
        record::write(folder, &engine.name(), arguments.runs, &rows, &growing)?;
    }
    Ok(())
}

/// The times of a model.
struct Row<'a> {
    model: &'a Model,
    states: usize,
    edges: usize,
    branches: usize,
    sccs: Times,
    mecs: Times,
    papers: Option<Times>,
}

fn row<'a>(model: &'a Model, engine: &Engine, arguments: &Arguments) -> Result<Row<'a>> {
    let start = Instant::now();
    let step = |what: &str| {
        eprintln!(
            "{:7.2} s {}: {what}",
            start.elapsed().as_secs_f64(),
            model.name
        );
    };
    let graph = build(model, &arguments.sources)?;
    step("built");
    let known = Known::new(graph, !arguments.no_certificates)?;
    step("known");
    let sccs = known.sccs(engine, &Tuning::default(), arguments.runs)?;
    let mecs = known.mecs(engine, &Tuning::default(), arguments.runs)?;
    step("searched");
    let papers = arguments
        .papers
        .then(|| known.papers(engine, arguments.runs));
    let papers = papers.transpose()?;
    step("measured");
    if arguments.parts {
        parts(&format!("{}, SCCs", model.name), &sccs);
        parts(&format!("{}, MECs", model.name), &mecs);
    }
    if arguments.sweep {
        sweep(model.name, &known, engine)?;
    }
    Ok(Row {
        model,
        states: known.graph.num_states(),
        edges: known.edges.num_edges(),
        branches: known.graph.num_branches(),
        sccs,
        mecs,
        papers,
    })
}

/// The least that reading `edges` edges twice and writing `states` states takes.
fn floor(edges: usize, states: usize) -> f64 {
    (8 * edges + 12 * states) as f64 / BANDWIDTH
}

fn table(rows: &[Row<'_>]) {
    println!(
        "| model | states | edges | branches | SCC | marks | of the aim | ECL-SCC / ours | times the floor | MEC | marks \
         | of the aim | Storm / ours | F0,7 |"
    );
    println!("|{}|", ["---"; 14].join("|"));
    let compared = rows
        .iter()
        .filter_map(|row| Some((row, row.model.peers.as_ref()?)));
    let compared: Vec<(&Row<'_>, &Peers)> = compared.collect();
    for &(row, peers) in &compared {
        let Row {
            model, sccs, mecs, ..
        } = row;
        let papers = row.papers.as_ref();
        let papers = papers.map_or(String::new(), |times| format!("{:.2}", times.search_ms));
        println!(
            "| {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.1} | {:.0} | {:.2} | {:.2} | {:.2} | {:.0} | {papers} |",
            model.name,
            row.states,
            row.edges,
            row.branches,
            sccs.search_ms,
            sccs.marks_ms,
            sccs.search_ms / peers.aims_ms[0],
            peers.ecl_ms / sccs.search_ms,
            sccs.search_ms / floor(row.edges, row.states),
            mecs.search_ms,
            mecs.marks_ms,
            mecs.search_ms / peers.aims_ms[1],
            peers.storm_s * 1e3 / mecs.search_ms,
        );
    }
    let mean = |ratio: &dyn Fn(&Row<'_>, &Peers) -> f64| {
        let sum: f64 = compared
            .iter()
            .map(|&(row, peers)| ratio(row, peers).ln())
            .sum();
        (sum / compared.len() as f64).exp()
    };
    println!(
        "\nGeometric means: ECL-SCC / ours {:.2}; scipy / ours {:.0}; Storm / ours {:.0}.",
        mean(&|row, peers| peers.ecl_ms / row.sccs.search_ms),
        mean(&|row, peers| peers.scipy_s * 1e3 / row.sccs.search_ms),
        mean(&|row, peers| peers.storm_s * 1e3 / row.mecs.search_ms),
    );
}

/// Where the time of a search goes.
fn parts(what: &str, times: &Times) {
    let Some(profile) = &times.profile else {
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

/// Other ways to share out the work, one number changed at a time.
fn sweep(name: &str, known: &Known, engine: &Engine) -> Result<()> {
    let base = Tuning::default();
    let mut tunings = vec![("default".to_owned(), base)];
    for pull in [0, 3, 20, 50] {
        tunings.push((format!("pull {pull}"), Tuning { pull, ..base }));
    }
    for share in [8, 64] {
        tunings.push((format!("share {share}"), Tuning { share, ..base }));
    }
    for hops in [16, 64] {
        tunings.push((format!("hops {hops}"), Tuning { hops, ..base }));
    }
    for narrow in [128, 512] {
        tunings.push((format!("narrow {narrow}"), Tuning { narrow, ..base }));
    }
    for handover in [256, 4096] {
        tunings.push((format!("handover {handover}"), Tuning { handover, ..base }));
    }
    for most_groups in [1056, 4096] {
        tunings.push((
            format!("groups {most_groups}"),
            Tuning {
                most_groups,
                ..base
            },
        ));
    }
    for (label, tuning) in tunings {
        let times = known.sccs(engine, &tuning, 5)?;
        println!("{name}, {label}: {:.2}", times.search_ms);
    }
    Ok(())
}
