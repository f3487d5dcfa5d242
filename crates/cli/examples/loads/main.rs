//! The client and server systems of Barnat, Bauch, Brim and Češka, *Computing optimal cycle mean in
//! parallel on CUDA* (2011), section 4: the worst load that clients can keep up, as a table, and
//! the time to compute it against the size of the graph (figures 3 and 4).
//!
//! ```text
//! cargo run --release -p maxend --example loads -- --figures FOLDER
//! ```
//!
//! The systems are those of `fixtures/clients.prism` and `fixtures/server.prism`, for any number of
//! clients. Without `--figures` only the table of loads is printed. With it, each system is solved
//! by Howard's algorithm on a GPU and on one core, and by the algorithm of Young, Tarjan and Orlin,
//! until that takes more than `--limit` seconds; values are compared, and `FOLDER` gets
//! `figure-3.svg`, `figure-4.svg` and `loads.json`. `--redraw OLD` draws an old record again.

mod plots;
mod system;

use clap::Parser;
use cycle_mean::{Answer, MeanSearch, Objective, OpenDevice, Options, Problem, solve_components};
use gpu::{Gpu, Request};
use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use system::{Graph, System};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[derive(Debug, Parser)]
struct Arguments {
    /// Measure, and draw into this folder
    #[arg(long, value_name = "FOLDER")]
    figures: Option<PathBuf>,
    /// Draw this record instead of measuring
    #[arg(long, value_name = "FILE", requires = "figures")]
    redraw: Option<PathBuf>,
    /// The most edges of a graph
    #[arg(long, value_name = "N", default_value = "30000000")]
    edges: usize,
    /// Leave out a search on the CPU once it took so many seconds
    #[arg(long, value_name = "S", default_value = "20")]
    limit: f64,
    /// Runs of the GPU for a median
    #[arg(long, value_name = "N", default_value = "5")]
    runs: usize,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let Some(folder) = &arguments.figures else {
        return print_loads();
    };
    let record = match &arguments.redraw {
        Some(old) => serde_json::from_slice(&std::fs::read(old)?)?,
        None => measure_all(&arguments)?,
    };
    plots::write(&record, folder)
}

/// Prints the worst load that clients can keep up, for each number of editors and readers.
fn print_loads() -> Result<()> {
    println!("| editors | readers | without a server | with a server |");
    println!("| --: | --: | --: | --: |");
    for (editors, readers) in numbers_of_clients(5) {
        let load = |served| -> Result<String> {
            let graph = System::new(editors, readers, served).graph();
            Ok(shown(&solve(&graph, &Options::default())?))
        };
        let (free, served) = (load(false)?, load(true)?);
        println!("| {editors} | {readers} | {free} | {served} |");
    }
    Ok(())
}

/// The editors and readers of up to so many clients.
fn numbers_of_clients(most: u32) -> impl Iterator<Item = (u32, u32)> {
    (1..=most).flat_map(|clients| (0..=clients).map(move |readers| (clients - readers, readers)))
}

/// The greatest cycle mean. The graphs are strongly connected, but nobody says so to the search.
fn solve(graph: &Graph, options: &Options<'_>) -> Result<Answer> {
    let components = decompose::scc(&graph.graph, &decompose::Options::default())?;
    let problem = Problem::mean(&graph.graph, &graph.weights, Objective::Max);
    Ok(solve_components(&problem, components, options)?)
}

/// The value of an answer as text.
fn shown(answer: &Answer) -> String {
    let optimal = answer.optimal().map(|optimum| optimum.value.to_string());
    optimal.unwrap_or_default()
}

/// Measures both kinds of systems, from small ones to large ones.
fn measure_all(arguments: &Arguments) -> Result<Value> {
    let gpu = Gpu::open(&Request {
        allow_software: true,
        ..Request::default()
    })?;
    let device = gpu.info().to_string();
    println!("{device}");
    println!(
        "| server | editors | readers | states | edges | GPU | one core | YTO | policies | load |"
    );
    println!("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |");
    let mut systems = Vec::new();
    for served in [false, true] {
        let mut last_times = [Duration::ZERO; 2];
        for clients in 2u32.. {
            let graph = System::new(clients.div_ceil(2), clients / 2, served).graph();
            if graph.weights.len() > arguments.edges {
                break;
            }
            systems.push(measure(&gpu, arguments, clients, &graph, &mut last_times)?);
        }
    }
    Ok(json!({"device": device, "systems": systems}))
}

/// Measures one system; `last_times` has the times of the searches on the CPU for the last one.
fn measure(
    gpu: &Gpu,
    arguments: &Arguments,
    clients: u32,
    graph: &Graph,
    last_times: &mut [Duration; 2],
) -> Result<Value> {
    let on_gpu = Options {
        device: OpenDevice::Gpu(gpu.clone()),
        ..Options::default()
    };
    let (answer, first) = timed(graph, &on_gpu)?;
    let mut times = vec![first];
    while times.len() < arguments.runs.max(1) {
        times.push(timed(graph, &on_gpu)?.1);
    }
    times.sort();
    let median = times[times.len() / 2];
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut on_cpu = [None; 2];
    for (which, search) in [MeanSearch::Howard, MeanSearch::Yto]
        .into_iter()
        .enumerate()
    {
        if last_times[which].as_secs_f64() > arguments.limit {
            continue;
        }
        let options = Options {
            search,
            ..Options::default()
        };
        let (other, time) =
            one_core.install(|| timed(graph, &options).map_err(|error| error.to_string()))?;
        assert_eq!(shown(&answer), shown(&other), "{search:?}");
        last_times[which] = time;
        on_cpu[which] = Some(time.as_secs_f64());
    }
    let cell = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), |time| format!("{time:.4}"));
    let work = answer.work().cloned().unwrap_or_default();
    let row = [
        graph.is_served.to_string(),
        clients.div_ceil(2).to_string(),
        (clients / 2).to_string(),
        graph.graph.num_states().to_string(),
        graph.weights.len().to_string(),
        cell(Some(median.as_secs_f64())),
        cell(on_cpu[0]),
        cell(on_cpu[1]),
        work.policies.to_string(),
        shown(&answer),
    ];
    println!("| {} |", row.join(" | "));
    Ok(json!({
        "served": graph.is_served,
        "clients": clients,
        "states": graph.graph.num_states(),
        "edges": graph.weights.len(),
        "gpu": median.as_secs_f64(),
        "howard": on_cpu[0],
        "yto": on_cpu[1],
        "policies": work.policies,
        "load": shown(&answer),
    }))
}

/// An answer, and how long the search took when components were known.
fn timed(graph: &Graph, options: &Options<'_>) -> Result<(Answer, Duration)> {
    let components = decompose::scc(&graph.graph, &decompose::Options::default())?;
    let problem = Problem::mean(&graph.graph, &graph.weights, Objective::Max);
    let start = Instant::now();
    let answer = solve_components(&problem, components, options)?;
    Ok((answer, start.elapsed()))
}
