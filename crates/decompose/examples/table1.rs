//! Measures the papers' Table 1 on today's hardware: every column, on graphs from files and
//! generated ones, as Markdown.
//!
//! ```text
//! cargo run --release -p decompose --example table1 -- [--adapter NAME] [--runs 5] GRAPH...
//! ```
//!
//! `support/graphs.rs` says what a GRAPH is; all edges of a state are one choice.
//!
//! A cell is the median of the runs in milliseconds, after half a second of warm-up. As in the
//! papers, the time begins with the uploaded graph and ends when the components' marks are back on
//! the host. Each run is checked against the CPU's answer. Below the times are the rounds, levels
//! of the searches, iterations of trimming, and submissions.

mod support;

use decompose::gpu::{FbtGraph, FbtOptions, HostGraph, Pivot, Statistics};
use decompose::{ComponentSearch, Options, Silent, scc};
use gpu::Gpu;
use mdp_graph::{Components, Digraph, MdpGraph};
use std::time::Duration;
use support::{Arguments, Result, graph, head, median, median_when_warm, ms, short};

fn main() -> Result<()> {
    let arguments = Arguments::parse()?;
    let engine = arguments.open()?;
    let names = || columns().into_iter().map(|column| column.name);
    let first = ["graph", "states", "edges", "out", "SCCs", "Tarjan", "CPU"];
    head(
        &first
            .map(str::to_owned)
            .into_iter()
            .chain(names())
            .collect::<Vec<_>>(),
    );
    let mut details = Vec::new();
    for name in &arguments.graphs {
        details.push(row(&engine, name, arguments.runs)?);
    }
    println!();
    head(
        &std::iter::once("graph".to_owned())
            .chain(names())
            .collect::<Vec<_>>(),
    );
    details.iter().for_each(|row| println!("{row}"));
    println!("\nRounds / levels / trim iterations / submissions.");
    Ok(())
}

/// A column of the table.
struct Column {
    name: String,
    search: ComponentSearch,
    options: FbtOptions,
}

/// Returns the papers' columns, and then the variants that the papers leave out: the other way to
/// select pivots, and no transpose.
fn columns() -> Vec<Column> {
    let configuration = |cache_hops, segment_interval| FbtOptions {
        cache_hops,
        segment_interval,
        ..FbtOptions::default()
    };
    let column = |name: &str, search, options| Column {
        name: name.to_owned(),
        search,
        options,
    };
    vec![
        column("F0,1", ComponentSearch::Fbt, configuration(0, 1)),
        column("F0,7", ComponentSearch::Fbt, configuration(0, 7)),
        column("F3,1", ComponentSearch::Fbt, configuration(3, 1)),
        column("F3,7", ComponentSearch::Fbt, configuration(3, 7)),
        column(
            "F0,1-nh",
            ComponentSearch::Fbt,
            FbtOptions {
                hybrid: false,
                ..configuration(0, 1)
            },
        ),
        column("BFBT0,7", ComponentSearch::Bfbt, configuration(0, 7)),
        column(
            "F0,7 plain pivots",
            ComponentSearch::Fbt,
            FbtOptions {
                pivot: Pivot::Plain,
                ..configuration(0, 7)
            },
        ),
        column(
            "F0,7 no transpose",
            ComponentSearch::Fbt,
            FbtOptions {
                transpose: false,
                ..configuration(0, 7)
            },
        ),
    ]
}

/// Measures and prints a row; returns the row of the table of details.
fn row(engine: &Gpu, name: &str, runs: usize) -> Result<String> {
    let graph = graph(name, usize::MAX)?;
    let digraph = Digraph::new(&graph);
    let on_cpu = |search| {
        let options = Options {
            search,
            ..Options::default()
        };
        median(runs, || Ok(scc(&graph, &options)?))
    };
    let (tarjan, _) = on_cpu(ComponentSearch::Tarjan)?;
    let (pearce, sccs) = on_cpu(ComponentSearch::Auto)?;
    let (n, m) = (digraph.num_states(), digraph.num_edges());
    let out = m as f64 / n as f64;
    print!(
        "| {} | {n} | {m} | {out:.2} | {} | {} | {} |",
        short(name),
        sccs.len(),
        ms(tarjan),
        ms(pearce)
    );
    let known = Known {
        graph: &graph,
        digraph: &digraph,
        sccs: &sccs,
    };
    let mut details = format!("| {} |", short(name));
    for column in columns() {
        let (time, statistics) = measure(engine, known, &column, runs)?;
        let Statistics {
            rounds,
            levels,
            trim_iterations,
            submissions,
            ..
        } = statistics;
        print!(" {} |", ms(time));
        details.push_str(&format!(
            " {rounds} / {levels} / {trim_iterations} / {submissions} |"
        ));
    }
    println!();
    Ok(details)
}

/// A graph with its edges, and the answer of the CPU.
#[derive(Clone, Copy)]
struct Known<'a> {
    graph: &'a MdpGraph,
    digraph: &'a Digraph,
    sccs: &'a Components,
}

/// Measures a search, and checks what it finds.
fn measure(
    engine: &Gpu,
    known: Known<'_>,
    column: &Column,
    runs: usize,
) -> Result<(Duration, Statistics)> {
    let loaded = FbtGraph::load(
        engine,
        HostGraph::Edges(known.digraph),
        &column.options.into(),
    )?;
    let search = || Ok(loaded.find_components(column.search, &Silent)?);
    let (time, (marks, statistics)) = median_when_warm(runs, search)?;
    if Components::from_scc_marks(known.graph, marks) != *known.sccs {
        return Err(format!("{}: the components are not the CPU's", column.name).into());
    }
    if !loaded.is_restored()? {
        return Err(format!("{}: the graph on the device has changed", column.name).into());
    }
    Ok((time, statistics))
}
