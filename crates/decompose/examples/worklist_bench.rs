//! The worklist engine's times, beside a column of the papers', as Markdown.
//!
//! ```text
//! cargo run --release -p decompose --example worklist_bench -- [--adapter NAME] [--runs 7]
//! [--papers] [--sweep] [--traps] GRAPH...
//! ```
//!
//! `support/graphs.rs` says what a GRAPH is. Milliseconds, medians after half a second of warm-up:
//! `search` from an uploaded graph until every state is in a component; `marks` with the
//! components' marks back on the host too, as the papers time it; `device` the sum of its
//! iterations there, in a run of its own; `CPU` the CPU's search on one thread. Each run is checked
//! against that answer. `--papers` adds `F3,7`; `--sweep` repeats the row for other ways to share
//! out the work; `--traps` adds generated models that are the worst for some search, of some ten
//! million edges.

mod support;

use decompose::gpu::worklist::{Profile, Tuning, WorklistGraph};
use decompose::gpu::{GpuContext, GpuOptions};
use decompose::{Observer, Options, Phase, Search, Silent, scc};
use mdp_graph::{Components, Digraph, MdpGraph};
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use support::graphs::traps;
use support::{Arguments, Result, graph, head, median, ms, short};

/// A device that has been idle takes its time to clock up.
const WARM_UP: Duration = Duration::from_millis(500);

const COLUMNS: [&str; 16] = [
    "graph",
    "states",
    "edges",
    "SCCs",
    "tuning",
    "search",
    "marks",
    "device",
    "rounds",
    "iterations",
    "trimming",
    "searching",
    "added to the queue",
    "submissions",
    "left to the host",
    "CPU",
];

fn main() -> Result<()> {
    let mut arguments = Arguments::parse()?;
    let mut flag = |name: &str| {
        let before = arguments.graphs.len();
        arguments.graphs.retain(|argument| argument != name);
        arguments.graphs.len() < before
    };
    let (papers, sweep) = (flag("--papers"), flag("--sweep"));
    if flag("--traps") {
        arguments.graphs.extend(traps(NonZeroU32::MIN));
    }
    let engine = arguments.open()?;
    head(&COLUMNS.map(str::to_owned));
    for name in &arguments.graphs {
        rows(&engine, name, arguments.runs, sweep)?;
        if papers {
            let time = measure_papers(&engine, &graph(name, 1)?, arguments.runs)?;
            println!("| {} | | | | F3,7 | | {} |", short(name), ms(time));
        }
    }
    Ok(())
}

/// The default, and what differs from it in one number.
fn tunings(sweep: bool) -> Vec<(String, Tuning)> {
    let base = Tuning::default();
    let mut all = vec![("default".to_owned(), base)];
    if sweep {
        for share in [8, 128] {
            all.push((format!("share {share}"), Tuning { share, ..base }));
        }
        for hops in [0, 16, 64] {
            all.push((format!("hops {hops}"), Tuning { hops, ..base }));
        }
        for narrow in [64, 1024] {
            all.push((format!("narrow {narrow}"), Tuning { narrow, ..base }));
        }
        for spill_limit in [1024, 1 << 16] {
            all.push((
                format!("spill_limit {spill_limit}"),
                Tuning {
                    spill_limit,
                    ..base
                },
            ));
        }
        for most_groups in [528, 8192] {
            all.push((
                format!("groups {most_groups}"),
                Tuning {
                    most_groups,
                    ..base
                },
            ));
        }
        all.push((
            "any degree".to_owned(),
            Tuning {
                by_degree: false,
                ..base
            },
        ));
    }
    all
}

fn rows(engine: &GpuContext, name: &str, runs: usize, sweep: bool) -> Result<()> {
    let model = graph(name, 1)?;
    let digraph = Digraph::new(&model);
    let (on_cpu, expected) = on_one_thread(&model)?;
    let mut loaded = engine.load_worklist(&digraph, &GpuOptions::default())?;
    let (n, m, components) = (digraph.num_states(), digraph.num_edges(), expected.len());
    for (label, tuning) in tunings(sweep) {
        let (search, marks, profile) = measure(&mut loaded, &model, &expected, &tuning, runs)?;
        let device = Duration::from_nanos(loaded.profile()?.nanoseconds());
        let Profile {
            rounds,
            iterations,
            submissions,
            host_states,
            ..
        } = profile;
        let part = |name| profile.phases.iter().find(|part| part.name == name);
        let [(trims, trimmed), (searches, searched)] = ["trim", "search"]
            .map(|name| part(name).map_or((0, 0), |part| (part.iterations, part.entries)));
        println!(
            "| {} | {n} | {m} | {components} | {label} | {} | {} | {} | {rounds} | {iterations} | {trims} | {searches} \
             | {trimmed}, {searched} | {submissions} | {host_states} | {} |",
            short(name),
            ms(search),
            ms(marks),
            ms(device),
            ms(on_cpu)
        );
    }
    Ok(())
}

/// The CPU's search on one thread: how long it takes, and its answer.
fn on_one_thread(model: &MdpGraph) -> Result<(Duration, Components)> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let start = Instant::now();
    let components = pool.install(|| scc(model, &Options::default()))?;
    Ok((start.elapsed(), components))
}

/// Notes when the search has ended.
struct Watch(Mutex<Instant>);

impl Observer for Watch {
    fn phase(&self, phase: Phase) {
        if phase == Phase::Download {
            *self
                .0
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner) = Instant::now();
        }
    }
}

fn measure(
    loaded: &mut WorklistGraph<'_>,
    model: &MdpGraph,
    expected: &Components,
    tuning: &Tuning,
    runs: usize,
) -> Result<(Duration, Duration, Profile)> {
    loaded.tune(tuning)?;
    let start = Instant::now();
    while start.elapsed() < WARM_UP {
        loaded.sccs(&Silent)?;
    }
    let (mut searches, mut all) = (Vec::new(), Vec::new());
    let mut last = loaded.profile()?;
    for _ in 0..runs {
        let start = Instant::now();
        let watch = Watch(Mutex::new(start));
        let (marks, profile) = loaded.sccs(&watch)?;
        all.push(start.elapsed());
        searches.push(*watch.0.lock().map_err(|_| "a watch broke")? - start);
        if Components::from_scc_marks(model, marks) != *expected {
            return Err(format!("{tuning:?}: the components are not the CPU's").into());
        }
        last = profile;
    }
    Ok((middle(searches), middle(all), last))
}

fn measure_papers(engine: &GpuContext, model: &MdpGraph, runs: usize) -> Result<Duration> {
    let loaded = engine.load_fbt(&Digraph::new(model), &GpuOptions::default())?;
    loaded.sccs(Search::Fbt, &Silent)?;
    Ok(median(runs, || Ok(loaded.sccs(Search::Fbt, &Silent)?))?.0)
}

/// The one in the middle.
fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
