//! Measures the worklist engine next to a column of the papers, as Markdown.
//!
//! ```text
//! cargo run --release -p decompose --example worklist_bench -- [--adapter NAME] [--runs 7]
//! [--papers] [--sweep] [--steps] [--traps] [--mecs]
//! [--random 1000 [--seed 0] [--states 1000000]] GRAPH...
//! ```
//!
//! `support/graphs.rs` says what a GRAPH is. Times are medians in milliseconds after half a second
//! of warm-up. `search` begins with an uploaded graph and ends when every state is in a component.
//! `marks` ends when the components' marks are back on the host, as in the papers. `device` is the
//! sum of the iterations on the device, in a run of its own. `CPU` is the CPU's search on one
//! thread, against which each run is checked. `--papers` adds `F3,7`. `--sweep` repeats the row for
//! other ways to distribute work. `--steps` prints the time of each iteration. `--traps` adds
//! generated models, each of which is the worst for some search, with about ten million edges. With
//! `--mecs`, maximal end components are searched. `--random` measures this many graphs with random
//! parameters (`support/drawn.rs`), for SCCs and MECs by turns. It prints those for which the
//! device takes longest, compared with twice the CPU's time and 50 ms more.

mod support;

use decompose::gpu::worklist::{Profile, Tuning, WorklistGraph};
use decompose::gpu::{FbtGraph, GpuOptions, HostGraph};
use decompose::{ComponentSearch, Observer, Options, Phase, Silent, mec, scc};
use gpu::Gpu;
use mdp_graph::{ComponentKind, Components, Digraph, MdpGraph};
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use support::drawn::Drawn;
use support::graphs::traps;
use support::{Arguments, Result, graph, head, median, middle, ms, short, warm_up};

const COLUMNS: [&str; 16] = [
    "graph",
    "states",
    "edges",
    "components",
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
    let (papers, sweep, steps) = (flag("--papers"), flag("--sweep"), flag("--steps"));
    let kind = match flag("--mecs") {
        true => ComponentKind::Mec,
        false => ComponentKind::Scc,
    };
    if flag("--traps") {
        arguments.graphs.extend(traps(NonZeroU32::MIN));
    }
    let count = arguments.number("--random", 0)?;
    let (seed, most) = (
        arguments.number("--seed", 0)?,
        arguments.number("--states", 1_000_000)?,
    );
    let engine = arguments.open()?;
    if count > 0 {
        return search_at_random(&engine, count, seed, u32::try_from(most)?);
    }
    head(&COLUMNS.map(str::to_owned));
    for name in &arguments.graphs {
        rows(&engine, name, kind, arguments.runs, (sweep, steps))?;
        if papers {
            let time = measure_papers(&engine, &graph(name, 1)?, arguments.runs)?;
            println!("| {} | | | | F3,7 | | {} |", short(name), ms(time));
        }
    }
    Ok(())
}

/// Returns the default tuning, and tunings that differ from it in one number.
fn tunings(sweep: bool) -> Vec<(String, Tuning)> {
    let base = Tuning::default();
    let mut all = vec![("default".to_owned(), base)];
    if sweep {
        let mut add = |name: &str, values: &[u32], set: fn(&mut Tuning, u32)| {
            for &value in values {
                let mut tuning = base;
                set(&mut tuning, value);
                all.push((format!("{name} {value}"), tuning));
            }
        };
        add("share", &[8, 128], |tuning, n| tuning.share = n);
        add("hops", &[0, 16, 64], |tuning, n| tuning.hops = n);
        add("narrow", &[64, 1024], |tuning, n| tuning.narrow = n);
        add("spill_limit", &[1024, 1 << 16], |tuning, n| {
            tuning.spill_limit = n;
        });
        add("groups", &[528, 8192], |tuning, n| tuning.most_groups = n);
        add("most_thin", &[2, 4, 16, 32], |tuning, n| {
            tuning.most_thin = n;
        });
        add("left_times", &[1, 2, 8, 1000], |tuning, n| {
            tuning.left_times = n;
        });
        add("most_slow_rounds", &[8, 32], |tuning, n| {
            tuning.most_slow_rounds = n;
        });
        add("any degree", &[0], |tuning, _| tuning.by_degree = false);
    }
    all
}

/// Loads a graph for the components of a kind.
fn load<'g>(
    engine: &Gpu,
    model: &'g MdpGraph,
    digraph: &'g Digraph,
    kind: ComponentKind,
) -> Result<WorklistGraph<'g>> {
    let graph = match kind {
        ComponentKind::Scc | ComponentKind::Bscc => HostGraph::Edges(digraph),
        ComponentKind::Mec => HostGraph::Choices(model),
    };
    Ok(WorklistGraph::load(engine, graph, &GpuOptions::default())?)
}

/// Returns the components that the marks represent.
fn components(kind: ComponentKind, model: &MdpGraph, marks: Vec<u32>) -> Components {
    match kind {
        ComponentKind::Scc | ComponentKind::Bscc => Components::from_scc_marks(model, marks),
        ComponentKind::Mec => Components::from_mec_marks(marks),
    }
}

fn rows(
    engine: &Gpu,
    name: &str,
    kind: ComponentKind,
    runs: usize,
    (sweep, steps): (bool, bool),
) -> Result<()> {
    let model = graph(name, 1)?;
    let digraph = Digraph::new(&model);
    let (on_cpu, expected) = on_one_thread(&model, kind)?;
    let mut loaded = load(engine, &model, &digraph, kind)?;
    let m = match kind {
        ComponentKind::Scc | ComponentKind::Bscc => digraph.num_edges(),
        ComponentKind::Mec => model.num_branches(),
    };
    let (n, components) = (digraph.num_states(), expected.len());
    for (label, tuning) in tunings(sweep) {
        let (search, marks, profile) = measure(&mut loaded, &model, &expected, &tuning, runs)?;
        let timed = loaded.profile()?;
        let device = Duration::from_nanos(timed.nanoseconds());
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
        if steps {
            print_steps(&timed);
        }
    }
    Ok(())
}

/// Prints the time of each iteration on the device.
fn print_steps(profile: &Profile) {
    for step in profile.steps.iter().flatten() {
        println!(
            "    {:<16} {:>6} groups {:>9} entries {:>10.1} µs",
            profile.phases[step.phase].name,
            step.groups,
            step.entries,
            step.nanoseconds as f64 / 1e3
        );
    }
}

/// Returns the time of the CPU's search on one thread, and its answer.
fn on_one_thread(model: &MdpGraph, kind: ComponentKind) -> Result<(Duration, Components)> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let options = Options::default();
    let start = Instant::now();
    let components = pool.install(|| match kind {
        ComponentKind::Scc | ComponentKind::Bscc => scc(model, &options),
        ComponentKind::Mec => mec(model, &options),
    })?;
    Ok((start.elapsed(), components))
}

/// The times for a graph with random parameters.
struct Found {
    drawn: Drawn,
    kind: ComponentKind,
    edges: usize,
    on_device: Duration,
    on_cpu: Duration,
    profile: Profile,
}

impl Found {
    /// Returns the device's time divided by the most that it may take: twice the CPU's time, and 50
    /// ms.
    fn excess(&self) -> f64 {
        let most = 2 * self.on_cpu + Duration::from_millis(50);
        self.on_device.as_secs_f64() / most.as_secs_f64()
    }

    fn ratio(&self) -> f64 {
        self.on_device.as_secs_f64() / self.on_cpu.as_secs_f64()
    }
}

/// Measures graphs with random parameters of up to `most` states, SCCs and MECs by turns, and
/// prints the worst ones.
fn search_at_random(engine: &Gpu, count: u64, seed: u64, most: u32) -> Result<()> {
    const WORST: usize = 10;
    let mut all = Vec::new();
    for i in seed..seed + count {
        let drawn = Drawn::new(i, most);
        let kind = match i % 2 {
            0 => ComponentKind::Scc,
            _ => ComponentKind::Mec,
        };
        let model = drawn.graph()?;
        let digraph = Digraph::new(&model);
        let (first, expected) = on_one_thread(&model, kind)?;
        let on_cpu = first.min(on_one_thread(&model, kind)?.0);
        let loaded = load(engine, &model, &digraph, kind)?;
        let mut times = Vec::new();
        let mut profile = None;
        for _ in 0..3 {
            let start = Instant::now();
            let (marks, taken) = loaded.find_components(&Silent)?;
            times.push(start.elapsed());
            profile = Some(taken);
            if components(kind, &model, marks) != expected {
                return Err(format!("{kind:?}, {drawn}: the components are not the CPU's").into());
            }
        }
        all.push(Found {
            drawn,
            kind,
            edges: digraph.num_edges(),
            on_device: middle(times),
            on_cpu,
            profile: profile.ok_or("no run")?,
        });
    }
    let beyond = all.iter().filter(|found| found.excess() > 1.0).count();
    let slower = all.iter().filter(|found| found.ratio() > 1.5).count();
    println!("{count} graphs from seed {seed}: {beyond} beyond twice the CPU's time and 50 ms,");
    println!("{slower} slower than 1.5 times the CPU's.\n");
    all.sort_by(|a, b| b.excess().total_cmp(&a.excess()));
    print_found(
        "time / (2 CPU + 50 ms)",
        &all[..all.len().min(WORST)],
        Found::excess,
    );
    all.retain(|found| found.on_device >= Duration::from_millis(3));
    all.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    println!("\nOf those that take 3 ms or more:\n");
    print_found("time / CPU", &all[..all.len().min(2 * WORST)], Found::ratio);
    Ok(())
}

fn print_found(measure: &str, found: &[Found], measured: impl Fn(&Found) -> f64) {
    let columns = [
        "what",
        "graph",
        "edges",
        "GPU",
        "CPU",
        measure,
        "rounds",
        "iterations",
        "left to the host",
    ];
    head(&columns.map(str::to_owned));
    for one in found {
        let Profile {
            rounds,
            iterations,
            host_states,
            ..
        } = one.profile;
        println!(
            "| {:?} | {} | {} | {} | {} | {:.2} | {rounds} | {iterations} | {host_states} |",
            one.kind,
            one.drawn,
            one.edges,
            ms(one.on_device),
            ms(one.on_cpu),
            measured(one),
        );
    }
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
    warm_up(|| Ok(loaded.find_components(&Silent)?))?;
    let (mut searches, mut all) = (Vec::new(), Vec::new());
    let mut last = loaded.profile()?;
    for _ in 0..runs {
        let start = Instant::now();
        let watch = Watch(Mutex::new(start));
        let (marks, profile) = loaded.find_components(&watch)?;
        all.push(start.elapsed());
        searches.push(*watch.0.lock().map_err(|_| "a watch broke")? - start);
        if components(expected.kind(), model, marks) != *expected {
            return Err(format!("{tuning:?}: the components are not the CPU's").into());
        }
        last = profile;
    }
    Ok((middle(searches), middle(all), last))
}

fn measure_papers(engine: &Gpu, model: &MdpGraph, runs: usize) -> Result<Duration> {
    let loaded = FbtGraph::load(
        engine,
        HostGraph::Edges(&Digraph::new(model)),
        &GpuOptions::default(),
    )?;
    loaded.find_components(ComponentSearch::Fbt, &Silent)?;
    Ok(median(runs, || {
        Ok(loaded.find_components(ComponentSearch::Fbt, &Silent)?)
    })?
    .0)
}
