//! Measures the searches on generated graphs, checks their answers, and prints one table last:
//! `cargo run --release -p cycle-mean --all-features --example measure`. With `small`, the
//! graphs are small ones, for software adapters.
//!
//! | shape | graph |
//! | --- | --- |
//! | random | one cycle through all states, and random edges, with weights below 10,000 |
//! | grid | a square grid, with edges to the four neighbours, and weights below 10,000 |
//! | cycle | one cycle, with weights below 10,000 |
//!
//! The time of `scc` is that of the components, on the CPU. `GPU` is Howard's algorithm on the best
//! adapter, with the copy of the edges inside components, the upload, and the download. `again` is
//! the best of five more runs, when all kernels are compiled. `upload` and `search` are its parts:
//! until the edges are on the device, and from there to the last policy. `CPU` is Howard's
//! algorithm on one core. `YTO` is the algorithm of Young, Tarjan and Orlin, which is not run on
//! graphs for which it takes too long. All answers are compared, and the potentials that prove them
//! are checked.
//!
//! With `only=SHAPE:EDGES`, only this graph is measured. With `profile`, the times of all kernels
//! in one more run are printed, too. With `gpu`, the searches on one core are left out.

use cycle_mean::{Answer, MeanSearch, Objective, OpenDevice, Options, Problem, solve_components};
use gpu::{Gpu, Request};
use mdp_graph::{Components, MdpGraph, StateId};
use rayon::prelude::*;
use std::error::Error;
use std::time::{Duration, Instant};

/// A graph to be measured, and whether YTO is measured on it.
struct Case {
    name: String,
    rows: Rows,
    with_yto: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|given| given == word);
    let only = words.iter().find_map(|word| word.strip_prefix("only="));
    let aside = Aside {
        profile: has("profile"),
        gpu_alone: has("gpu"),
    };
    let gpu = Gpu::open(&Request {
        allow_software: true,
        ..Request::default()
    })?;
    println!("{}, {} threads", gpu.info(), rayon::current_num_threads());
    let mut table = vec![format!(
        "| {:<6} | {:>9} | {:>10} | {:>7} | {:>7} | {:>7} | {:>7} | {:>7} | {:>7} | {:>7} | {:>8} | \
         {:>9} | {:>6} | value |",
        "shape",
        "states",
        "edges",
        "scc",
        "GPU",
        "again",
        "upload",
        "search",
        "CPU",
        "YTO",
        "policies",
        "doublings",
        "levels"
    )];
    for (name, make) in cases(has("small")) {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        println!("{name} ...");
        table.push(measure(&gpu, &make(), aside)?);
    }
    println!("{}", table.join("\n"));
    Ok(())
}

/// What is measured besides the usual columns.
#[derive(Clone, Copy)]
struct Aside {
    profile: bool,
    gpu_alone: bool,
}

/// A function that makes a graph when it is needed.
type Make = Box<dyn Fn() -> Case>;

/// Returns the graphs, with their shapes and approximate numbers of edges.
fn cases(is_small: bool) -> Vec<(String, Make)> {
    let mut all: Vec<(String, Make)> = Vec::new();
    let shrink = if is_small { 100 } else { 1 };
    for (states, edges) in [
        (50_000, 400_000),
        (400_000, 2_000_000),
        (1_000_000, 10_000_000),
        (2_000_000, 25_000_000),
    ] {
        let (states, edges) = (states / shrink, edges / u64::from(shrink));
        let make = move || Case {
            name: "random".to_owned(),
            rows: random(states, edges),
            with_yto: edges <= 10_000_000,
        };
        all.push((format!("random:{edges}"), Box::new(make)));
    }
    for side in [300, 1000, 2000] {
        let side = if is_small { side / 10 } else { side };
        let make = move || Case {
            name: "grid".to_owned(),
            rows: grid(side),
            with_yto: side <= 300,
        };
        all.push((format!("grid:{}", 4 * side * side), Box::new(make)));
    }
    let make = move || Case {
        name: "cycle".to_owned(),
        rows: random(5_000_000 / shrink, 0),
        with_yto: true,
    };
    all.push((format!("cycle:{}", 5_000_000 / shrink), Box::new(make)));
    all
}

/// Solves a graph by each search, and compares the answers. Returns a line of the table.
fn measure(gpu: &Gpu, case: &Case, aside: Aside) -> Result<String, Box<dyn Error>> {
    let (graph, weights) = build(&case.rows)?;
    let start = Instant::now();
    let components = decompose::scc(&graph, &decompose::Options::default())?;
    let decomposed = start.elapsed();
    let problem = Problem::mean(&graph, &weights, Objective::Min);
    let timed = |search, device, time_passes| -> Result<(Answer, Duration), cycle_mean::Error> {
        let options = Options {
            search,
            device,
            time_passes,
            ..Options::default()
        };
        let components: Components = components.clone();
        let start = Instant::now();
        let answer = solve_components(&problem, components, &options)?;
        Ok((answer, start.elapsed()))
    };
    let run = |search, device| timed(search, device, false);
    let (on_gpu, first) = run(MeanSearch::Howard, OpenDevice::Gpu(gpu.clone()))?;
    let (mut second, mut again) = run(MeanSearch::Howard, OpenDevice::Gpu(gpu.clone()))?;
    for _ in 0..4 {
        let (answer, time) = run(MeanSearch::Howard, OpenDevice::Gpu(gpu.clone()))?;
        if time < again {
            (second, again) = (answer, time);
        }
    }
    if aside.profile {
        let (answer, _) = timed(MeanSearch::Howard, OpenDevice::Gpu(gpu.clone()), true)?;
        print_passes(&answer);
    }
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let cpu = match aside.gpu_alone {
        true => Duration::ZERO,
        false => {
            let (on_cpu, cpu) = one_core.install(|| run(MeanSearch::Howard, OpenDevice::Cpu))?;
            assert_eq!(on_gpu.optima(), on_cpu.optima(), "GPU and CPU agree");
            assert_eq!(
                on_gpu.potentials(),
                on_cpu.potentials(),
                "GPU and CPU agree"
            );
            cpu
        }
    };
    check(&problem, &on_gpu);
    let yto = match case.with_yto && !aside.gpu_alone {
        true => {
            let (answer, time) = one_core.install(|| run(MeanSearch::Yto, OpenDevice::Cpu))?;
            let value = |answer: &Answer| answer.optimal().map(|optimum| optimum.value);
            assert_eq!(value(&answer), value(&on_gpu), "YTO agrees with the GPU");
            shown(time)
        }
        false => "-".to_owned(),
    };
    let work = second.work().cloned().unwrap_or_default();
    println!(
        "{} policies of {} were evaluated twice",
        work.repeated, work.policies
    );
    if work.host_states > 0 {
        println!("{} states were left to the host", work.host_states);
    }
    let times = [decomposed, first, again, work.upload, work.search, cpu].map(shown);
    let value = second.optimal().map(|optimum| optimum.value.to_string());
    Ok(format!(
        "| {:<6} | {:>9} | {:>10} | {:>7} | {:>7} | {:>7} | {:>7} | {:>7} | {:>7} | {:>7} | {:>8} | \
         {:>9} | {:>6} | {} |",
        case.name,
        graph.num_states(),
        graph.num_branches(),
        times[0],
        times[1],
        times[2],
        times[3],
        times[4],
        times[5],
        yto,
        work.policies,
        work.doublings,
        work.levels,
        value.unwrap_or_default(),
    ))
}

/// Prints the time of each kernel.
fn print_passes(answer: &Answer) {
    let mut passes = answer
        .work()
        .map_or_else(Vec::new, |work| work.passes.clone());
    passes.sort_by_key(|pass| std::cmp::Reverse(pass.time));
    for pass in passes {
        let micros = pass.time.as_secs_f64() * 1e6;
        let each = micros / pass.calls.max(1) as f64;
        println!(
            "{:<32} {:>6} {micros:>10.0} us {each:>8.1} us each",
            pass.name, pass.calls
        );
    }
}

/// Formats a time in seconds, with three digits.
fn shown(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// Checks that no cycle has a value below the one that was found: q weight - p + V(u) - V(v) >= 0
/// for each edge u -> v inside a component.
fn check(problem: &Problem<'_>, answer: &Answer) {
    let (graph, components) = (problem.graph(), answer.components());
    let mut values = vec![None; components.len()];
    for optimum in answer.optima() {
        values[optimum.component.index()] = Some(optimum.value);
    }
    let potential = |state: StateId| i128::from(answer.potentials()[state.index()]);
    let is_proved = |state: usize| {
        let source = StateId::from_index(state);
        graph.branch_range(source).all(|branch| {
            let target = graph.all_targets()[branch];
            let component = components.component(source);
            if component != components.component(target) {
                return true;
            }
            let Some(value) = component.and_then(|id| values[id.index()]) else {
                return false;
            };
            let (p, q) = (value.numerator(), i128::from(value.denominator()));
            q * i128::from(problem.weights()[branch]) - p + potential(source) >= potential(target)
        })
    };
    let all = (0..graph.num_states()).into_par_iter().all(is_proved);
    assert!(all, "the potentials prove the values");
}

/// The targets and weights of the edges of each state.
type Rows = Vec<Vec<(u32, i64)>>;

/// A generator of numbers that look random (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(mixed ^ (mixed >> 31)) * u128::from(limit)) >> 64) as u64
    }

    fn weight(&mut self) -> i64 {
        self.below(10_000) as i64
    }
}

/// Returns a graph with a cycle through all states, and random edges until there are this many
/// edges.
fn random(states: u32, edges: u64) -> Rows {
    let mut random = Random(1);
    let next = |state: u32| (state + 1) % states;
    let mut rows: Rows = (0..states)
        .map(|state| vec![(next(state), random.weight())])
        .collect();
    for _ in u64::from(states)..edges {
        let source = random.below(states.into()) as usize;
        let target = random.below(states.into()) as u32;
        let weight = random.weight();
        rows[source].push((target, weight));
    }
    rows
}

fn grid(side: u32) -> Rows {
    let mut random = Random(1);
    let cell = |place: u32| {
        let (x, y) = (place / side, place % side);
        let around = [
            (x + 1, y),
            (x, y + 1),
            (x.wrapping_sub(1), y),
            (x, y.wrapping_sub(1)),
        ];
        let inside = around.into_iter().filter(|&(x, y)| x < side && y < side);
        inside
            .map(|(x, y)| (x * side + y, random.weight()))
            .collect()
    };
    (0..side * side).map(cell).collect()
}

fn build(rows: &Rows) -> Result<(MdpGraph, Vec<i64>), mdp_graph::BuildError> {
    let edges = rows.iter().flatten();
    let targets: Vec<StateId> = edges.clone().map(|&(target, _)| StateId(target)).collect();
    let weights = edges.map(|&(_, weight)| weight).collect();
    // Each state has one choice, which leads to all of its targets.
    let ends = rows.iter().scan(0, |end, row| {
        *end += row.len() as u32;
        Some(*end)
    });
    let offsets: Vec<u32> = [0].into_iter().chain(ends).collect();
    let states = (0..=rows.len() as u32).collect();
    Ok((MdpGraph::from_parts(states, offsets, targets)?, weights))
}
