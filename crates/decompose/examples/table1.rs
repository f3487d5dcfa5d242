//! The papers' Table 1 on today's hardware: every column, on graphs from files and generated ones, as
//! Markdown.
//!
//! ```text
//! cargo run --release -p decompose --example table1 -- [--adapter NAME] [--runs 5] GRAPH...
//! ```
//!
//! A GRAPH is a file of little-endian words (n, m, n + 1 offsets, m targets), or one of
//! `layers:STATES:DEPTH` (random edges to the next of DEPTH layers, the last of which leads to the
//! first), `path:STATES` (each state may step on or back), `random:STATES:DEGREE`, `dag:STATES:DEGREE`.
//!
//! A cell is the median of the runs after a warm-up, in milliseconds: from an uploaded graph to the
//! components' marks back on the host, as the papers time it. Each run is checked against the CPU's
//! answer. Below the times: rounds, levels of the searches, iterations of trimming, submissions.

use decompose::gpu::{Engine, GpuOptions, Pivot, Statistics};
use decompose::{Options, Search, Silent, scc};
use mdp_graph::{Components, Digraph, MdpGraph, StateId};
use std::error::Error;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut adapter = None;
    let mut runs = 5;
    let mut graphs = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--adapter" => adapter = arguments.next(),
            "--runs" => runs = arguments.next().ok_or("--runs needs a number")?.parse()?,
            _ => graphs.push(argument),
        }
    }
    let engine = Engine::open(adapter.as_deref())?;
    println!(
        "Device: {}. Milliseconds, medians of {runs}.\n",
        engine.name()
    );
    let names: Vec<String> = columns().iter().map(|column| column.name.clone()).collect();
    println!(
        "| graph | states | edges | out | SCCs | Tarjan | CPU | {} |",
        names.join(" | ")
    );
    println!("|{}", " --- |".repeat(7 + names.len()));
    let mut details = Vec::new();
    for name in &graphs {
        details.push(row(&engine, name, runs)?);
    }
    println!("\n| graph | {} |", names.join(" | "));
    println!("|{}", " --- |".repeat(1 + names.len()));
    details.iter().for_each(|row| println!("{row}"));
    println!("\nRounds / levels / trim iterations / submissions.");
    Ok(())
}

/// A column of the table.
struct Column {
    name: String,
    search: Search,
    options: GpuOptions,
}

/// The papers' columns; then what they leave open: the other pivot selection, no transpose.
fn columns() -> Vec<Column> {
    let best = GpuOptions::default;
    let configuration = |cache_hops, segment_interval| GpuOptions {
        cache_hops,
        segment_interval,
        ..best()
    };
    let column = |name: &str, search, options| Column {
        name: name.to_owned(),
        search,
        options,
    };
    vec![
        column("F0,1", Search::Fbt, configuration(0, 1)),
        column("F0,7", Search::Fbt, configuration(0, 7)),
        column("F3,1", Search::Fbt, configuration(3, 1)),
        column("F3,7", Search::Fbt, configuration(3, 7)),
        column(
            "F0,1-nh",
            Search::Fbt,
            GpuOptions {
                hybrid: false,
                ..configuration(0, 1)
            },
        ),
        column("BFBT0,7", Search::Bfbt, configuration(0, 7)),
        column(
            "F0,7 plain pivots",
            Search::Fbt,
            GpuOptions {
                pivot: Pivot::Plain,
                ..best()
            },
        ),
        column(
            "F0,7 no transpose",
            Search::Fbt,
            GpuOptions {
                transpose: false,
                ..best()
            },
        ),
    ]
}

/// Measures and prints a row; returns the row of the table of details.
fn row(engine: &Engine, name: &str, runs: usize) -> Result<String> {
    let graph = graph(name)?;
    let digraph = Digraph::new(&graph);
    let on_cpu = |search| {
        let options = Options {
            search,
            ..Options::default()
        };
        median(runs, || Ok(scc(&graph, &options)?))
    };
    let (tarjan, _) = on_cpu(Search::Tarjan)?;
    let (pearce, expected) = on_cpu(Search::Auto)?;
    let (n, m) = (digraph.num_states(), digraph.num_edges());
    let out = m as f64 / n as f64;
    print!(
        "| {} | {n} | {m} | {out:.2} | {} | {} | {} |",
        short(name),
        expected.len(),
        ms(tarjan),
        ms(pearce)
    );
    let mut details = format!("| {} |", short(name));
    for column in columns() {
        let (time, statistics) = measure(engine, &graph, &digraph, &expected, &column, runs)?;
        let Statistics {
            rounds,
            levels,
            trim_iterations,
            submissions,
        } = statistics;
        print!(" {} |", ms(time));
        details.push_str(&format!(
            " {rounds} / {levels} / {trim_iterations} / {submissions} |"
        ));
    }
    println!();
    Ok(details)
}

fn measure(
    engine: &Engine,
    graph: &MdpGraph,
    digraph: &Digraph,
    expected: &Components,
    column: &Column,
    runs: usize,
) -> Result<(Duration, Statistics)> {
    let loaded = engine.load(digraph, &column.options)?;
    let search = || Ok(loaded.sccs(column.search, &Silent)?);
    search()?;
    let (time, (marks, statistics)) = median(runs, search)?;
    if Components::from_scc_marks(graph, marks) != *expected {
        return Err(format!("{}: the components are not the CPU's", column.name).into());
    }
    if !loaded.is_restored()? {
        return Err(format!("{}: the graph on the device has changed", column.name).into());
    }
    Ok((time, statistics))
}

/// The median time of `work`, and its last result.
fn median<T>(runs: usize, mut work: impl FnMut() -> Result<T>) -> Result<(Duration, T)> {
    let mut times = Vec::new();
    loop {
        let start = Instant::now();
        let result = work()?;
        times.push(start.elapsed());
        if times.len() >= runs {
            times.sort();
            return Ok((times[times.len() / 2], result));
        }
    }
}

fn ms(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn graph(name: &str) -> Result<MdpGraph> {
    let parts: Vec<&str> = name.split(':').collect();
    match parts[..] {
        ["layers", n, depth] => layers(n.parse()?, depth.parse()?),
        ["path", n] => path(n.parse()?),
        ["random", n, degree] => random(n.parse()?, degree.parse()?, |n, _, draw| draw % n),
        ["dag", n, degree] => random(n.parse()?, degree.parse()?, |n, s, draw| {
            s + draw % (n - s).clamp(1, 1000)
        }),
        _ => read(name),
    }
}

/// A graph of one choice a state, or none, from its rows.
fn from_rows(offsets: &[u32], targets: Vec<StateId>) -> Result<MdpGraph> {
    let mut choices = vec![0];
    let mut branches = vec![0];
    for pair in offsets.windows(2) {
        if pair[0] < pair[1] {
            branches.push(pair[1]);
        }
        choices.push(branches.len() as u32 - 1);
    }
    Ok(MdpGraph::from_parts(choices, branches, targets)?)
}

fn read(path: &str) -> Result<MdpGraph> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let [n, m, rows @ ..] = &words[..] else {
        return Err(format!("{path}: too short").into());
    };
    let (n, m) = (*n as usize, *m as usize);
    if rows.len() != n + 1 + m {
        return Err(format!(
            "{path}: {n} states and {m} edges take {} words, not {}",
            n + m + 3,
            words.len()
        )
        .into());
    }
    let (offsets, targets) = rows.split_at(n + 1);
    from_rows(offsets, StateId::cast_slice(targets).to_vec())
}

/// Fixed degree; `target` makes a target of the number of states, the state and a draw.
fn random(n: u32, degree: u32, target: impl Fn(u32, u32, u32) -> u32) -> Result<MdpGraph> {
    let mut draw = draws();
    let mut targets = Vec::with_capacity(n as usize * degree as usize);
    for state in 0..n {
        targets.extend((0..degree).map(|_| StateId(target(n, state, draw()))));
    }
    let offsets: Vec<u32> = (0..=n).map(|state| state * degree).collect();
    from_rows(&offsets, targets)
}

/// Three random edges to the next layer, so that a search takes a level a layer.
fn layers(n: u32, depth: u32) -> Result<MdpGraph> {
    let width = (n / depth).max(1);
    let n = width * depth;
    random(n, 3, |_, state, draw| {
        (state / width + 1) % depth * width + draw % width
    })
}

fn path(n: u32) -> Result<MdpGraph> {
    let targets = (0..n).flat_map(|s| [StateId(s.saturating_sub(1)), StateId((s + 1).min(n - 1))]);
    let offsets: Vec<u32> = (0..=n).map(|state| 2 * state).collect();
    from_rows(&offsets, targets.collect())
}

/// Fixed pseudo-random numbers (xorshift), so that two runs see the same graphs.
fn draws() -> impl FnMut() -> u32 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    }
}
