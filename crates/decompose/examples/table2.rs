//! Measures maximal end components on today's hardware: the papers' Table 2 (2014) and Figure 9
//! (2016), and where the time goes, as Markdown.
//!
//! ```text
//! cargo run --release -p decompose --example table2 -- [--adapter NAME] [--runs 5] GRAPH...
//! cargo run --release -p decompose --example table2 -- --dump GRAPH.mdp GRAPH.tra
//! ```
//!
//! `support/graphs.rs` says what a GRAPH is. In graphs without choices, two edges of a state are a
//! choice. With `--dump` nothing is measured: the graph is written as a dump, which other machines
//! can read fast.
//!
//! A cell is the median of the runs in milliseconds, after half a second of warm-up. The time
//! begins with the uploaded graph and ends when the components' marks are back on the host. Each
//! answer is checked against the CPU's. *BM* is the basic algorithm on the CPU and *GM* the papers'
//! best configuration on the GPU, as in Table 2.

mod support;

use decompose::gpu::{Candidates, FbtGraph, FbtOptions, HostGraph, Pivot, Statistics};
use decompose::{ComponentSearch, Observer, Options, Phase, Silent, mec};
use gpu::Gpu;
use mdp_graph::Components;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use support::{Arguments, Result, graph, graphs, head, median, median_when_warm, ms, short};

/// How many edges are a choice where the graph does not say.
const TOGETHER: usize = 2;

fn main() -> Result<()> {
    let arguments = Arguments::parse()?;
    if let Some(path) = &arguments.dump {
        let [name] = &arguments.graphs[..] else {
            return Err("one graph is to be dumped at a time".into());
        };
        return graphs::write(&graph(name, TOGETHER)?, path);
    }
    let engine = arguments.open()?;
    let first = [
        "graph", "states", "choices", "branches", "MECs", "BM", "CPU",
    ];
    let names = columns().into_iter().map(|column| column.name.to_owned());
    head(
        &first
            .map(str::to_owned)
            .into_iter()
            .chain(names)
            .collect::<Vec<_>>(),
    );
    let mut rows = Vec::new();
    for name in &arguments.graphs {
        rows.push(row(&engine, name, arguments.runs)?);
    }
    println!(
        "\nMEC rounds / rounds of pivots / levels / trim iterations / attractor steps / submissions:\n"
    );
    let names = columns().into_iter().map(|column| column.name.to_owned());
    head(
        &std::iter::once("graph".to_owned())
            .chain(names)
            .collect::<Vec<_>>(),
    );
    rows.iter().for_each(|row| println!("{}", row.details));
    println!(
        "\nWhere the time of GM goes: kernels on the device (timed one by one), transfers by the host's clock:\n"
    );
    let parts = ["graph"].into_iter().chain(PARTS.map(|part| part.0));
    let parts = parts.chain(["layout and upload", "download"]);
    head(&parts.map(str::to_owned).collect::<Vec<_>>());
    rows.iter().for_each(|row| println!("{}", row.parts));
    Ok(())
}

/// What is printed about a graph after the table of times.
struct Row {
    details: String,
    parts: String,
}

/// A column of the table.
struct Column {
    name: &'static str,
    search: ComponentSearch,
    options: FbtOptions,
}

/// Returns GM, then the ways to select pivots (Figure 9), then the other options.
fn columns() -> Vec<Column> {
    let gm = || FbtOptions {
        cache_hops: 0,
        ..FbtOptions::default()
    };
    let pivots = |pivot, candidates| FbtOptions {
        pivot,
        candidates,
        ..gm()
    };
    let fbt = |name, options| Column {
        name,
        search: ComponentSearch::Fbt,
        options,
    };
    vec![
        fbt("GM: FBT0,7", gm()),
        fbt("plain", pivots(Pivot::Plain, Candidates::All)),
        fbt("plain, J", pivots(Pivot::Plain, Candidates::Join)),
        fbt("aggregated, J", pivots(Pivot::Aggregated, Candidates::Join)),
        Column {
            search: ComponentSearch::Bfbt,
            ..fbt("BFBT0,7", gm())
        },
        fbt(
            "FBT3,7",
            FbtOptions {
                cache_hops: 3,
                ..gm()
            },
        ),
        fbt(
            "FBT0,1",
            FbtOptions {
                segment_interval: 1,
                ..gm()
            },
        ),
        fbt(
            "no transpose",
            FbtOptions {
                transpose: false,
                ..gm()
            },
        ),
    ]
}

/// Measures and prints a row.
fn row(engine: &Gpu, name: &str, runs: usize) -> Result<Row> {
    let graph = graph(name, TOGETHER)?;
    let on_cpu = |search| {
        let options = Options {
            search,
            ..Options::default()
        };
        median(runs.min(3), || Ok(mec(&graph, &options)?))
    };
    let (basic, _) = on_cpu(ComponentSearch::Tarjan)?;
    let (fast, expected) = on_cpu(ComponentSearch::Auto)?;
    let (n, c, m) = (
        graph.num_states(),
        graph.num_choices(),
        graph.num_branches(),
    );
    let (mecs, name) = (expected.len(), short(name));
    print!(
        "| {name} | {n} | {c} | {m} | {mecs} | {} | {} |",
        ms(basic),
        ms(fast)
    );
    let mut row = Row {
        details: format!("| {name} |"),
        parts: format!("| {name} |"),
    };
    for (number, column) in columns().iter().enumerate() {
        let start = Instant::now();
        let loaded = FbtGraph::load(engine, HostGraph::Choices(&graph), &column.options.into())?;
        let upload = start.elapsed();
        let (time, statistics) = measure(&loaded, &expected, column, runs)?;
        print!(" {} |", ms(time));
        row.details += &details(&statistics);
        if number == 0 {
            row.parts += &parts(&loaded, column.search, upload)?;
        }
    }
    println!();
    Ok(row)
}

fn measure(
    loaded: &FbtGraph,
    expected: &Components,
    column: &Column,
    runs: usize,
) -> Result<(Duration, Statistics)> {
    let search = || Ok(loaded.find_components(column.search, &Silent)?);
    let (time, (marks, statistics)) = median_when_warm(runs, search)?;
    if Components::from_mec_marks(marks) != *expected {
        return Err(format!("{}: the components are not the CPU's", column.name).into());
    }
    if !loaded.is_restored()? {
        return Err(format!("{}: the graph on the device has changed", column.name).into());
    }
    Ok((time, statistics))
}

fn details(of: &Statistics) -> String {
    let counts = [
        of.mec_rounds,
        of.rounds,
        of.levels,
        of.trim_iterations,
        of.attractor_steps,
        of.submissions,
    ];
    format!(" {} |", counts.map(|count| count.to_string()).join(" / "))
}

/// The parts of a decomposition, and what the names of their kernels begin with.
const PARTS: [(&str, &[&str]); 6] = [
    ("trimming", &["fbt/trim"]),
    ("searches", &["fbt/search", "fbt/merge"]),
    (
        "pivots",
        &[
            "fbt/select",
            "fbt/follow",
            "fbt/restore",
            "fbt/start",
            "fbt/mec_unlock",
        ],
    ),
    ("U", &["fbt/mec_leaving"]),
    ("attractors", &["fbt/mec_starve", "fbt/mec_attract"]),
    ("the rest", &["fbt/mec_settle", "fbt/count", "basic/"]),
];

/// Runs a search in which each kernel is timed, and one in which the download is timed.
fn parts(loaded: &FbtGraph, search: ComponentSearch, upload: Duration) -> Result<String> {
    let times = loaded.profile(search)?;
    let mut cells = String::new();
    for (_, kernels) in PARTS {
        let ours = |name: &str| kernels.iter().any(|start| name.starts_with(start));
        let sum: u64 = times
            .iter()
            .filter(|time| ours(&time.name))
            .map(|time| time.nanoseconds)
            .sum();
        cells += &match times.is_empty() {
            true => " not timed |".to_owned(),
            false => format!(" {} |", ms(Duration::from_nanos(sum))),
        };
    }
    let download = Download::default();
    loaded.find_components(search, &download)?;
    let began = download
        .0
        .into_inner()
        .ok()
        .flatten()
        .ok_or("there was no download")?;
    cells += &format!(" {} | {} |", ms(upload), ms(began.elapsed()));
    Ok(cells)
}

/// Notes when the download begins.
#[derive(Default)]
struct Download(Mutex<Option<Instant>>);

impl Observer for Download {
    fn phase(&self, phase: Phase) {
        if phase == Phase::Download
            && let Ok(mut began) = self.0.lock()
        {
            *began = Some(Instant::now());
        }
    }
}
