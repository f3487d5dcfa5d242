//! Measures searches on a GPU: `bfs_bench [ADAPTER] [PERCENT] [GRAPH]...`.
//!
//! The graphs are wide ones (random, R-MAT), grids of several shapes, a hub, and a long path. They
//! are searched by levels, with and without the reverse graph, and by each variant of relaxation.
//! All distances are compared with the CPU's. The time is that of a run on a graph that is on the
//! device: the median of 15 runs, or of three long ones, after half a second of warm-up. The
//! kernels of one more run by levels are timed, too. At least 8 bytes per edge and 12 per state are
//! assumed to be moved. "x bound" is the time divided by the time in which the device copies as
//! many bytes. Relaxation by vertices is not measured on the hub. PERCENT reduces the sizes of the
//! graphs. Named graphs are searched only by levels; some graphs are searched only if they are
//! named.
#![allow(clippy::print_stdout, reason = "it is what the example is for")]

use std::time::{Duration, Instant};

use bfs::gpu::{DeviceEdges, LevelSearch, Parallel, Relaxation, Statistics};
use bfs::{Error, Flags, Options, Silent, search};
use gpu::kernels::basic::Copy;
use gpu::{Buffer, Gpu, Groups, Recording, Request};
use mdp_graph::{MdpGraph, StateId};

/// A variant that takes longer than this is timed three times.
const LONG_MS: f64 = 20.0;
/// The time for which variants run before they are timed, because a device that was idle is slow at
/// first.
const WARM_UP: Duration = Duration::from_millis(500);

/// If a row has more edges, relaxation by vertices is left out, in which one invocation would walk
/// the whole row.
const LONG_ROW: usize = 1 << 18;

/// The name of a graph, and a function that makes a given percentage of it.
type Named = (&'static str, fn(u64) -> MdpGraph);

const GRAPHS: [Named; 22] = [
    ("path", |percent| path(count(percent, 100_000))),
    ("grid", |percent| {
        lattice(&[count(percent, 2000); 2], Lattice::TwoWay)
    }),
    ("hub", |percent| hub(count(percent, 1 << 24))),
    ("R-MAT", |percent| rmat(count(percent, 1 << 20).ilog2(), 16)),
    ("random", |percent| random(count(percent, 1 << 22), 16)),
    ("R-MAT22", |percent| {
        rmat(count(percent, 1 << 22).ilog2(), 16)
    }),
    ("R-MAT23", |percent| {
        rmat(count(percent, 1 << 23).ilog2(), 16)
    }),
    ("random24", |percent| random(count(percent, 1 << 24), 16)),
    ("layers", |percent| layers(count(percent, 1 << 16), 64, 16)),
    ("small", |percent| small_world(count(percent, 1 << 22), 16)),
    ("tree", |percent| tree(count(percent, 1 << 24))),
    ("oblong", |percent| {
        lattice(&[count(percent, 8000), 500], Lattice::TwoWay)
    }),
    ("ladder", |percent| {
        lattice(&[count(percent, 4000), 1000], Lattice::TwoWay)
    }),
    ("wide grid", |percent| {
        lattice(&[count(percent, 5000); 2], Lattice::TwoWay)
    }),
    ("one-way", |percent| {
        lattice(&[count(percent, 2000); 2], Lattice::OneWay)
    }),
    ("torus", |percent| {
        lattice(&[count(percent, 2000); 2], Lattice::Torus)
    }),
    ("3-D", |percent| {
        lattice(&[count(percent, 200); 3], Lattice::TwoWay)
    }),
    ("3-D small", |percent| {
        lattice(&[count(percent, 100); 3], Lattice::TwoWay)
    }),
    ("roads", |percent| {
        lattice(&[count(percent, 2000); 2], Lattice::Roads)
    }),
    ("300 a layer", |percent| {
        layers(300, count(percent, 4000), 4)
    }),
    ("10,000 a layer", |percent| {
        layers(10_000, count(percent, 400), 4)
    }),
    ("20,000 a layer", |percent| {
        layers(20_000, count(percent, 200), 8)
    }),
];

/// If no graph is named, this many of the first ones are measured.
const USUAL: usize = 5;

fn count(percent: u64, states: u64) -> u32 {
    (states * percent / 100).max(16) as u32
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let adapter = arguments.next().filter(|name| !name.is_empty());
    let percent = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(100);
    let gpu = Gpu::open(&adapter.map_or_else(Request::hardware, Request::named))?;
    let names: Vec<String> = arguments.collect();
    let mut bench = Bench {
        gpu: &gpu,
        bandwidth: bandwidth(&gpu)?,
        relaxes: names.is_empty(),
        rows: Vec::new(),
    };
    let all = match names.is_empty() {
        true => &GRAPHS[..USUAL],
        false => &GRAPHS[..],
    };
    for &(name, make) in all {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            eprintln!("{name}");
            let graph = make(percent);
            bench.measure(name, &graph)?;
        }
    }
    println!("{}, copies {:.0} GB/s", gpu.info(), bench.bandwidth / 1e9);
    println!(
        "{:14} {:>9} {:>10} {:16} {:>9} {:>7} {:>10} {:>8} {:>7} {:>8}",
        "graph",
        "states",
        "edges",
        "search",
        "ms",
        "levels",
        "iterations",
        "us/level",
        "GB/s",
        "x bound"
    );
    bench.rows.iter().for_each(|row| println!("{row}"));
    Ok(())
}

/// Returns the number of bytes that the device reads and writes per second when it copies memory.
fn bandwidth(gpu: &Gpu) -> Result<f64, Error> {
    const BYTES: u64 = 128 << 20;
    const COPIES: u32 = 64;
    let buffer = |name| gpu.zeroed::<[u32; 4]>(name, BYTES / 16);
    let (from, to) = (buffer("from")?, buffer("to")?);
    let pass = Copy {
        from_blocks: &from,
        to_blocks: &to,
    };
    let mut recording = Recording::new();
    for _ in 0..COPIES {
        recording.dispatch(&pass, Groups::Over(from.len()));
    }
    recording.read(&to, 0..1);
    gpu.run(&recording)?;
    let start = Instant::now();
    gpu.run(&recording)?;
    Ok(2.0 * BYTES as f64 * f64::from(COPIES) / start.elapsed().as_secs_f64())
}

/// The measurements on a device.
struct Bench<'a> {
    gpu: &'a Gpu,
    /// The number of bytes that the device copies per second, read and written ones.
    bandwidth: f64,
    /// Whether relaxation is measured, too.
    relaxes: bool,
    /// A line of the table for each graph and search.
    rows: Vec<String>,
}

impl Bench<'_> {
    /// Times all searches on a graph.
    fn measure(&mut self, name: &str, graph: &MdpGraph) -> Result<(), Error> {
        let Self {
            gpu,
            bandwidth,
            relaxes,
            ref mut rows,
        } = *self;
        let sources = [StateId(0)];
        let expected = search(graph, &sources, &Options::default())?;
        let levels = expected.level_sizes().len();
        let bytes = (8 * graph.num_branches() + 12 * graph.num_states()) as f64;
        let mut time =
            |what: &str, run: &dyn Fn() -> Result<Statistics, Error>, found: &Buffer<u32>| {
                let warm_up = Instant::now();
                let mut statistics = run()?;
                while warm_up.elapsed() < WARM_UP {
                    statistics = run()?;
                }
                let mut each = Vec::new();
                while each.len() < 3 || each.len() < 15 && each[0] < LONG_MS {
                    let start = Instant::now();
                    statistics = run()?;
                    each.push(start.elapsed().as_secs_f64() * 1e3);
                }
                assert_eq!(
                    gpu.read(found)?,
                    expected.distances(),
                    "{name}, {what}: a wrong answer"
                );
                each.sort_by(f64::total_cmp);
                let ms = each[each.len() / 2];
                rows.push(format!(
                    "{name:14} {:9} {:10} {what:16} {ms:9.3} {levels:7} {:10} {:8.2} {:7.1} {:8.1}",
                    graph.num_states(),
                    graph.num_branches(),
                    statistics.iterations,
                    1e3 * ms / levels as f64,
                    bytes / ms / 1e6,
                    ms / 1e3 * bandwidth / bytes,
                ));
                Ok::<_, Error>(())
            };
        let loaded = DeviceEdges::upload(gpu, graph)?;
        let by_levels = LevelSearch::new(&loaded, &sources)?;
        time("levels", &|| by_levels.run(&Silent), by_levels.distances())?;
        print_profile(name, "levels", &by_levels)?;
        let longest = graph.states().map(|state| graph.successors(state).len());
        let has_long_rows = longest.max().is_some_and(|longest| longest > LONG_ROW);
        let parallels = [Parallel::Vertices, Parallel::Edges];
        for parallel in parallels.into_iter().filter(|_| relaxes) {
            for flags in Flags::ALL {
                if has_long_rows && parallel == Parallel::Vertices {
                    continue;
                }
                let what = match parallel {
                    Parallel::Vertices => format!("vertex, {} flags", flags.count()),
                    Parallel::Edges => format!("edge, {} flags", flags.count()),
                };
                let relaxation = Relaxation::new(&loaded, &sources, parallel, flags)?;
                time(&what, &|| relaxation.run(&Silent), relaxation.distances())?;
            }
        }
        let loaded = loaded.with_reverse()?;
        let both_ways = LevelSearch::new(&loaded, &sources)?;
        time(
            "levels, reverse",
            &|| both_ways.run(&Silent),
            both_ways.distances(),
        )?;
        print_profile(name, "levels, reverse", &both_ways)
    }
}

/// Prints how long the device was busy with each kernel of a search by levels.
fn print_profile(name: &str, what: &str, search: &LevelSearch<'_>) -> Result<(), Error> {
    for time in search.profile(&Silent)? {
        let microseconds = time.nanoseconds as f64 / 1e3;
        println!(
            "{name}, {what}: {microseconds:.1} us, {} x {}",
            time.calls, time.name
        );
    }
    Ok(())
}

/// Returns a graph with this number of edges for each state, and their targets in order.
fn graph(degrees: impl Iterator<Item = u32>, targets: Vec<u32>) -> MdpGraph {
    let (mut choices, mut branches) = (vec![0], vec![0]);
    let mut end = 0;
    for degree in degrees {
        if degree > 0 {
            end += degree;
            branches.push(end);
        }
        choices.push(branches.len() as u32 - 1);
    }
    let targets = targets.into_iter().map(StateId).collect();
    MdpGraph::from_parts(choices, branches, targets).expect("a graph")
}

/// A generator of random numbers (S. Vigna: SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u32) -> u32 {
        (((self.next() >> 32) * u64::from(n)) >> 32) as u32
    }
}

fn path(n: u32) -> MdpGraph {
    graph(
        (0..n).map(|state| u32::from(state + 1 < n)),
        (1..n).collect(),
    )
}

/// The edges of a lattice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lattice {
    /// Each state leads to its neighbours.
    TwoWay,
    /// Each state leads to the neighbours of larger coordinates.
    OneWay,
    /// The first and the last state of a line are neighbours, too.
    Torus,
    /// Seven pairs of neighbours in ten lead to each other.
    Roads,
}

/// Returns a lattice with this many states along each axis.
fn lattice(sides: &[u32], kind: Lattice) -> MdpGraph {
    let n: u32 = sides.iter().product();
    let mut degrees = Vec::new();
    let mut targets = Vec::new();
    for state in 0..n {
        let before = targets.len();
        let mut stride = 1;
        for &side in sides {
            let at = state / stride % side;
            let back = match at {
                0 => (kind == Lattice::Torus).then(|| state + (side - 1) * stride),
                _ => (kind != Lattice::OneWay).then(|| state - stride),
            };
            let on = match at + 1 == side {
                true => (kind == Lattice::Torus).then(|| state - (side - 1) * stride),
                false => Some(state + stride),
            };
            let pairs = [(back, back), (on, Some(state))];
            targets.extend(pairs.into_iter().filter_map(|(to, first)| {
                let pair = u64::from(first? * 4 + stride.min(3));
                let is_there = kind != Lattice::Roads || Random(pair).below(10) < 7;
                is_there.then_some(to?)
            }));
            stride *= side;
        }
        degrees.push((targets.len() - before) as u32);
    }
    graph(degrees.into_iter(), targets)
}

/// Returns a graph in which state 0 leads to all others, and these lead back.
fn hub(n: u32) -> MdpGraph {
    let degrees = std::iter::once(n - 1).chain((1..n).map(|_| 1));
    let targets = (1..n).chain((1..n).map(|_| 0)).collect();
    graph(degrees, targets)
}

/// Returns a graph in which each state has this many edges to random states.
fn random(n: u32, degree: u32) -> MdpGraph {
    let mut random = Random(1);
    let targets = (0..n as usize * degree as usize).map(|_| random.below(n));
    let targets = targets.collect();
    graph((0..n).map(|_| degree), targets)
}

/// Returns layers of this many states, each of which leads to random states of the next layer.
fn layers(width: u32, layers: u32, degree: u32) -> MdpGraph {
    let mut random = Random(3);
    let inner = (layers - 1) * width;
    let first = (0..width).map(|state| state + 1);
    let others = (0..inner * degree).map(|edge| {
        let next = edge / degree / width + 1;
        1 + next * width + random.below(width)
    });
    let targets = first.chain(others).collect();
    let degrees = std::iter::once(width).chain((0..inner).map(|_| degree));
    graph(degrees.chain((0..width).map(|_| 0)), targets)
}

/// Returns a ring whose states lead to their `degree` next neighbours, but with one edge in ten to
/// a random state (D. J. Watts, S. H. Strogatz, 1998).
fn small_world(n: u32, degree: u32) -> MdpGraph {
    let mut random = Random(4);
    let mut targets = Vec::new();
    for state in 0..n {
        for i in 1..=degree / 2 {
            for near in [(state + i) % n, (state + n - i) % n] {
                targets.push(match random.below(10) {
                    0 => random.below(n),
                    _ => near,
                });
            }
        }
    }
    graph((0..n).map(|_| degree), targets)
}

/// Returns a binary tree, numbered level by level, whose edges lead downward.
fn tree(n: u32) -> MdpGraph {
    let children = |state: u32| (n - 1).saturating_sub(2 * state).min(2);
    graph((0..n).map(children), (1..n).collect())
}

/// Returns an R-MAT graph of 2^scale states (D. Chakrabarti, Y. Zhan, C. Faloutsos, 2004) with the
/// probabilities of the Graph 500. It is undirected: there are `degree` edges per state, each in
/// both directions.
fn rmat(scale: u32, degree: u32) -> MdpGraph {
    let mut random = Random(2);
    let n = 1_usize << scale;
    let edge = |random: &mut Random| {
        let (mut a, mut b) = (0_u32, 0_u32);
        for _ in 0..scale {
            let (right, down) = match random.below(100) {
                0..57 => (0, 0),
                57..76 => (1, 0),
                76..95 => (0, 1),
                _ => (1, 1),
            };
            (a, b) = (2 * a + down, 2 * b + right);
        }
        (a, b)
    };
    let edges: Vec<(u32, u32)> = (0..n * degree as usize / 2)
        .map(|_| edge(&mut random))
        .collect();
    let mut degrees = vec![0_u32; n];
    for &(a, b) in &edges {
        degrees[a as usize] += 1;
        degrees[b as usize] += 1;
    }
    let mut next: Vec<usize> = Vec::with_capacity(n);
    let mut end = 0;
    for &degree in &degrees {
        next.push(end);
        end += degree as usize;
    }
    let mut targets = vec![0; end];
    for &(a, b) in &edges {
        for (from, to) in [(a, b), (b, a)] {
            let place = &mut next[from as usize];
            targets[*place] = to;
            *place += 1;
        }
    }
    graph(degrees.into_iter(), targets)
}
