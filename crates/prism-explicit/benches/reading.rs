//! Measures how fast transitions files are read, relative to a bare loop with nom over the same
//! lines.
//!
//! ```text
//! cargo bench -p prism-explicit --bench reading [-- FILE]
//! ```
//!
//! The bare loop parses each line with nom, and neither stores nor checks anything. The reader
//! checks everything, and stores the graph (sources, choice offsets, targets) or the graph and its
//! values. Without FILE, the text is generated: 120 MB shaped like the models of probabilistic
//! protocols. Times are medians of five runs.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{char, u32 as number};
use nom::combinator::opt;
use nom::number::complete::double;
use nom::sequence::preceded;
use nom::{IResult, Parser};
use prism_explicit::{
    Choice, ChunkInfo, ReadOptions, Reward, RewardedTransition, Visitor, read_labels,
    read_state_rewards, read_states, read_transition_rewards, read_transitions, visit_transitions,
    write_state_rewards, write_transition_rewards,
};

fn main() {
    let file = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    let text = match &file {
        Some(path) => {
            let bytes = std::fs::read(path).expect("the file can be read");
            decompress::inflate(&bytes, &Default::default())
                .expect("the archive can be inflated")
                .into_owned()
        }
        None => generated(120_000_000),
    };
    println!(
        "{}: {} bytes",
        file.as_deref().unwrap_or("generated"),
        text.len()
    );

    let bare = measure("bare nom loop, nothing stored", &text, None, || {
        bare_loop(&text)
    });
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads start");
        let run = |name: &str, work: fn(&[u8]) -> u64| {
            let name = format!("{name}, {threads} thread(s)");
            measure(&name, &text, Some(bare), || pool.install(|| work(&text)))
        };
        run("checked", |text| visit(text, |_| ()));
        run("checked, graph stored", |text| visit(text, Graph::new));
        run("checked, graph and values stored", |text| {
            visit(text, Valued::new)
        });
        run("typed model", read);
    }
    annotations();
    rewards();
}

/// Measures the files that accompany the transitions, on one thread.
fn annotations() {
    let (mut states, mut labels) = (
        String::from("(s,x,y,ready)\n"),
        String::from("0=\"init\" 1=\"a\"\n"),
    );
    for state in 0..2_000_000u32 {
        let _ = writeln!(
            states,
            "{state}:({},{},-1,{})",
            state % 7,
            state / 100,
            state % 2 == 0
        );
        let _ = writeln!(labels, "{state}: 0 1");
    }
    let options = ReadOptions::default();
    let read =
        || read_states(states.as_bytes(), None, &options).map_or(0, |rows| rows.num_states());
    measure("states file (.sta)", states.as_bytes(), None, || {
        u64::from(read())
    });
    let read = || read_labels(labels.as_bytes(), None, &options).map_or(0, |all| all.names().len());
    measure("labels file (.lab)", labels.as_bytes(), None, || {
        read() as u64
    });
}

/// Measures rewards files.
fn rewards() {
    const STATES: u32 = 2_000_000;
    let transitions = || {
        (0..STATES).flat_map(|state| {
            let target = move |branch| (state / 3 * 7 + branch * 1000) % STATES;
            (0..3).map(move |branch| {
                let transition = RewardedTransition {
                    state,
                    choice: branch / 2,
                    target: target(branch),
                };
                (transition, f64::from(state % 1000) / 8.0 + 0.5)
            })
        })
    };
    let of_states: Vec<f64> = (0..STATES)
        .map(|state| f64::from(state % 97) + 0.25)
        .collect();
    let (mut states, mut text) = (Vec::new(), Vec::new());
    let counts = (STATES, Some(2 * u64::from(STATES)));
    write_state_rewards(&mut states, None, &of_states).expect("written to memory");
    write_transition_rewards(&mut text, None, counts, transitions).expect("written to memory");
    measure("state rewards (.srew), written", &states, None, || {
        let mut out = Vec::with_capacity(states.len());
        write_state_rewards(&mut out, None, &of_states).map_or(0, |()| out.len() as u64)
    });
    measure("transition rewards (.trew), written", &text, None, || {
        let mut out = Vec::with_capacity(text.len());
        let written = write_transition_rewards(&mut out, None, counts, transitions);
        written.map_or(0, |()| out.len() as u64)
    });
    let options = ReadOptions::default();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads start");
        let name = |what: &str| format!("{what}, {threads} thread(s)");
        measure(&name("state rewards (.srew)"), &states, None, || {
            let mut amounts = vec![0.0; STATES as usize];
            let each = |state: u32, reward: Reward| amounts[state as usize] = reward.to_f64();
            let read = pool.install(|| read_state_rewards(&states, STATES, &options, each));
            read.expect("a good file");
            amounts.len() as u64
        });
        measure(&name("transition rewards (.trew)"), &text, None, || {
            let mut amounts = Vec::with_capacity(3 * STATES as usize);
            let each = |_: RewardedTransition, reward: Reward| {
                amounts.push(reward.to_f64());
                Ok(())
            };
            let choices = counts.1.map(|choices| choices..=choices);
            let read = || read_transition_rewards(&text, STATES, choices.clone(), &options, each);
            pool.install(read).expect("a good file");
            amounts.len() as u64
        });
    }
}

/// Prints a line, and returns the median time in seconds.
fn measure(name: &str, text: &[u8], bare: Option<f64>, mut work: impl FnMut() -> u64) -> f64 {
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let median = times[2];
    let speed = text.len() as f64 / median / 1e6;
    let ratio = bare.map_or(1.0, |bare| bare / median);
    println!(
        "{name:45} {:8.1} ms {speed:8.0} MB/s {ratio:6.2} x bare",
        median * 1e3
    );
    median
}

/// Parses a line of an MDP with nom. Fields are separated by one blank.
fn bare_line(text: &[u8]) -> IResult<&[u8], ()> {
    let action = preceded(char(' '), take_while1(|byte| byte != b'\n'));
    let fields = (
        number,
        char(' '),
        number,
        char(' '),
        number,
        char(' '),
        double,
    );
    (fields, opt(action), tag("\n")).map(|_| ()).parse(text)
}

fn bare_loop(text: &[u8]) -> u64 {
    let comment = |line: &[u8]| line.starts_with(b"#");
    let mut rest = text;
    let mut header = true;
    while header {
        let end = memchr::memchr(b'\n', rest).expect("a header");
        header = comment(rest);
        rest = &rest[end + 1..];
    }
    let mut lines = 0;
    while !rest.is_empty() {
        rest = bare_line(rest).expect("an MDP in PRISM's own layout").0;
        lines += 1;
    }
    lines
}

/// The arrays of a graph: the state and the first branch of each choice, and the targets.
struct Graph {
    choices: Vec<(u32, u32)>,
    targets: Vec<u32>,
}

impl Graph {
    fn new(chunk: ChunkInfo) -> Self {
        let lines = chunk.bytes / 14;
        Self {
            choices: Vec::with_capacity(lines),
            targets: Vec::with_capacity(lines),
        }
    }
}

impl Visitor for Graph {
    fn choice(&mut self, choice: Choice<'_>) {
        self.choices.push((choice.state, self.targets.len() as u32));
        self.targets.extend_from_slice(choice.targets);
    }
}

/// A graph and its values.
struct Valued(Graph, Vec<f64>);

impl Valued {
    fn new(chunk: ChunkInfo) -> Self {
        let graph = Graph::new(chunk);
        let values = Vec::with_capacity(graph.targets.capacity());
        Self(graph, values)
    }
}

impl Visitor for Valued {
    fn choice(&mut self, choice: Choice<'_>) {
        self.0.choice(choice);
        self.1.extend_from_slice(choice.values);
    }
}

fn visit<V: Visitor>(text: &[u8], make_visitor: impl Fn(ChunkInfo) -> V + Sync) -> u64 {
    let options = ReadOptions::default();
    let visited = visit_transitions(text, &options, |_, chunk| make_visitor(chunk));
    black_box(visited.expect("a good file"))
        .info
        .num_transitions
}

fn read(text: &[u8]) -> u64 {
    let model = read_transitions(text, &ReadOptions::default()).expect("a good file");
    black_box(model).info().num_transitions
}

/// Returns an MDP of about `bytes` bytes. It has two choices per state on average; most choices
/// have one branch, some have an action, and most targets are near.
fn generated(bytes: usize) -> Vec<u8> {
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    let mut body = String::with_capacity(bytes + 1000);
    let (mut state, mut choices, mut lines) = (0u64, 0u64, 0u64);
    let most_states = bytes as u64 / 55;
    while body.len() < bytes {
        for choice in 0..=next(3) {
            let values: &[&str] = match next(8) {
                0 => &["0.5", "0.5"],
                1 => &["0.3333333333333333", "0.6666666666666667"],
                _ => &["1"],
            };
            let named = next(4) == 0;
            let first = if next(4) == 0 {
                next(most_states)
            } else {
                state + next(50)
            };
            for (branch, value) in (0u64..).zip(values) {
                let target = (first + branch) % most_states;
                let _ = write!(body, "{state} {choice} {target} {value}");
                body.push_str(if named { " send\n" } else { "\n" });
                lines += 1;
            }
            choices += 1;
        }
        state += 1;
    }
    format!("{} {choices} {lines}\n{body}", state.max(most_states)).into_bytes()
}
