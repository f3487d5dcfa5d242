//! How fast DRN is read, beside explicit transitions of the same model.
//!
//! ```text
//! cargo bench -p drn --bench reading
//! ```
//!
//! The model is made here: 2,000,000 states of an MDP with three choices each, of one or two
//! branches, in the form in which Storm writes it. The graph is stored. Medians of five runs.

use prism_explicit::visit_transitions;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

const STATES: u32 = 2_000_000;

fn main() {
    let (mut drn, mut tra) = (String::new(), String::new());
    let (choices, branches) = (3 * STATES, 4 * STATES);
    let _ = write!(
        drn,
        "@type: MDP\n@nr_states\n{STATES}\n@nr_choices\n{choices}\n@model\n"
    );
    let _ = writeln!(tra, "{STATES} {choices} {branches}");
    for state in 0..STATES {
        let near = |step: u32| (state + step) % STATES;
        let (one, two, far) = (near(1), near(2), near(state / 2));
        let label = if state % 7 == 0 { " goal" } else { "" };
        let _ = writeln!(drn, "state {state}{label}");
        let _ = writeln!(drn, "\taction toss\n\t\t{one} : 0.5\n\t\t{two} : 0.5");
        let _ = writeln!(
            drn,
            "\taction go\n\t\t{far} : 1\n\taction __NOLABEL__\n\t\t{state} : 1"
        );
        let _ = writeln!(tra, "{state} 0 {one} 0.5 toss\n{state} 0 {two} 0.5 toss");
        let _ = writeln!(tra, "{state} 1 {far} 1 go\n{state} 2 {state} 1");
    }
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads");
        measure(&format!(".tra, {threads} thread(s)"), &tra, || {
            pool.install(|| read_tra(&tra))
        });
        measure(&format!(".drn, {threads} thread(s)"), &drn, || {
            pool.install(|| read_drn(&drn))
        });
    }
}

fn measure(name: &str, text: &str, mut work: impl FnMut() -> u64) {
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(black_box(work()), u64::from(3 * STATES));
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (megabytes, median) = (text.len() as f64 / 1e6, times[2]);
    println!(
        "{name:20} {megabytes:6.0} MB {:6.0} ms {:6.0} MB/s",
        median * 1e3,
        megabytes / median
    );
}

/// The targets of all choices, and where those of each begin.
#[derive(Default)]
struct Graph {
    offsets: Vec<usize>,
    targets: Vec<u32>,
}

impl Graph {
    fn add(&mut self, targets: &[u32]) {
        self.offsets.push(self.targets.len());
        self.targets.extend_from_slice(targets);
    }
}

impl drn::Visitor for Graph {
    fn state(&mut self, _: drn::State<'_>) {}

    fn choice(&mut self, choice: drn::Choice<'_>) {
        self.add(choice.targets);
    }
}

impl prism_explicit::Visitor for Graph {
    fn choice(&mut self, choice: prism_explicit::Choice<'_>) {
        self.add(choice.targets);
    }
}

fn read_drn(text: &str) -> u64 {
    let read = drn::visit(text.as_bytes(), &Default::default(), |_, _| {
        Graph::default()
    });
    let read = read.expect("a good file");
    read.chunks
        .iter()
        .map(|graph| graph.offsets.len() as u64)
        .sum()
}

fn read_tra(text: &str) -> u64 {
    let read = visit_transitions(text.as_bytes(), &Default::default(), |_, _| {
        Graph::default()
    });
    let read = read.expect("a good file");
    read.chunks
        .iter()
        .map(|graph| graph.offsets.len() as u64)
        .sum()
}
