//! Figures 5 to 7 of Wijs and Bošnački (2014) on this machine: how the paper's search depends on
//! the workgroups and the iterations of a launch, and how its variants compare with each other,
//! with the default search, and with the CPU.
//!
//! ```text
//! cargo run --release -p maxend --example exploring -- \
//!     [--adapter NAME] [--runs 5] [--cells 22] [--out FOLDER]
//! ```
//!
//! Prints a page in Markdown, and writes `figure-5.svg` to `figure-7.svg` and `exploring.json` to
//! the folder. The networks are pipelines of `--cells` cells and 1, 2 and 4 words a state, as many
//! rings as have about as many states, and philosophers. Times are medians, after one run to warm
//! up, from the compiled network to the states; each count is compared with that of the default
//! search.

#[path = "../../../gpu-explore/examples/common/networks.rs"]
mod networks;
mod plots;

use gpu::{Gpu, Request};
use gpu_explore::paper::{Outcome, Paper, Table, count};
use gpu_explore::{Counts, Options};
use networks::{Case, compile, pipeline, rings};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Workgroups of figure 5.
const WORKGROUPS: [u32; 8] = [128, 256, 512, 1024, 2048, 4096, 8192, 16384];
/// Iterations of figure 6.
const ITERATIONS: [u32; 7] = [1, 2, 5, 10, 20, 50, 100];

struct Arguments {
    adapter: Option<String>,
    runs: usize,
    cells: u32,
    out: PathBuf,
}

impl Arguments {
    fn parse() -> Result<Self> {
        let mut parsed = Self {
            adapter: None,
            runs: 5,
            cells: 22,
            out: PathBuf::from("target/exploring"),
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--adapter" => parsed.adapter = Some(value()?),
                "--runs" => parsed.runs = value()?.parse()?,
                "--cells" => parsed.cells = value()?.parse()?,
                "--out" => parsed.out = value()?.into(),
                _ => return Err(format!("what is {word}?").into()),
            }
        }
        Ok(parsed)
    }
}

/// The ways to search of figure 7.
fn variants() -> [(&'static str, Paper); 4] {
    let plain = Paper::default();
    let cached = Paper {
        local_cache: true,
        ..plain
    };
    let forwarding = Paper {
        forwarding: true,
        ..cached
    };
    let cuckoo = Paper {
        table: Table::Cuckoo,
        ..forwarding
    };
    [
        ("NC", plain),
        ("DH", cached),
        ("DH+F", forwarding),
        ("cuckoo+F", cuckoo),
    ]
}

/// Philosophers who take a fork on the left, then one on the right, and put both back.
fn philosophers(n: usize) -> Result<Case> {
    let vector = |who: usize, fork: usize, step: &str, act: &str| {
        let part = |process| match process {
            p if p == who => step,
            p if p == n + fork => act,
            _ => "_",
        };
        let parts: Vec<&str> = (0..2 * n).map(part).collect();
        format!("{} -> {step}{who}", parts.join(" * "))
    };
    let vectors: Vec<String> = (0..n)
        .flat_map(|who| {
            let right = (who + 1) % n;
            [
                vector(who, who, "left", "take"),
                vector(who, right, "right", "take"),
                vector(who, who, "back", "put"),
                vector(who, right, "leave", "put"),
            ]
        })
        .collect();
    let philosopher = "des (0, 4, 4) (0, left, 1) (1, right, 2) (2, back, 3) (3, leave, 0)";
    let fork = "des (0, 2, 2) (0, take, 1) (1, put, 0)";
    let processes = [vec![philosopher; n], vec![fork; n]].concat();
    let text = format!(
        "par using {} in {} end par",
        vectors.join(", "),
        processes.join(" || ")
    );
    let network = compile(&text)?;
    let found = explore::explore(&network, &explore::Options::default())?;
    Ok(Case {
        name: format!("{n} philosophers"),
        counts: Counts::of(&found),
        network,
    })
}

/// What is measured on.
struct Bench {
    gpu: Gpu,
    runs: usize,
}

impl Bench {
    /// The median time of the paper's search, and its last outcome.
    fn paper(&self, case: &Case, paper: &Paper, workgroups: Option<u32>) -> Result<Value> {
        let mut options = Options::new(&self.gpu);
        if let Some(workgroups) = workgroups {
            options.tuning.workgroups = workgroups;
        }
        let mut times = Vec::new();
        let mut last = None;
        for _ in 0..=self.runs {
            let found = count(&self.gpu, &case.network, &options, paper)?;
            // The search deals with deadlocks; the formula has none.
            if found.counts.states != case.counts.states {
                return Err(format!("{}: {found:?}, not {:?}", case.name, case.counts).into());
            }
            times.push(found.exploring);
            last = Some(found);
        }
        let Some(Outcome {
            expanded, launches, ..
        }) = last
        else {
            return Err("no run".into());
        };
        Ok(json!({
            "seconds": median(&times),
            "expanded": expanded as f64 / case.counts.states as f64,
            "launches": launches,
        }))
    }

    /// The median time of the default search, which only counts, and of the CPU.
    fn others(&self, case: &Case) -> Result<[f64; 2]> {
        let options = Options::new(&self.gpu);
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..=self.runs {
            let begin = Instant::now();
            let found = gpu_explore::count(&self.gpu, &case.network, &options)?;
            times[0].push(begin.elapsed());
            if found.states != case.counts.states {
                return Err(format!("{}: {found:?}, not {:?}", case.name, case.counts).into());
            }
        }
        for _ in 0..=self.runs.min(3) {
            let begin = Instant::now();
            explore::explore(&case.network, &options.explore)?;
            times[1].push(begin.elapsed());
        }
        Ok([median(&times[0]), median(&times[1])])
    }
}

/// The median of all times but the first, in seconds.
fn median(times: &[Duration]) -> f64 {
    let mut times = times[1..].to_vec();
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn main() -> Result<()> {
    let arguments = Arguments::parse()?;
    let request = arguments
        .adapter
        .as_ref()
        .map_or_else(Request::hardware, Request::named);
    let bench = Bench {
        gpu: Gpu::open(&request)?,
        runs: arguments.runs.max(1),
    };
    let cells = arguments.cells;
    let cases = [
        pipeline(cells, 1)?,
        pipeline(cells, 2)?,
        pipeline(cells, 4)?,
        rings(cells / 5)?,
        philosophers(cells as usize * 6 / 11)?,
    ];
    let best = variants()[2].1;
    let mut networks = Vec::new();
    for case in &cases {
        eprintln!("{}: {} states", case.name, case.counts.states);
        let by_workgroups: Vec<Value> = WORKGROUPS
            .iter()
            .map(|&number| bench.paper(case, &best, Some(number)))
            .collect::<Result<_>>()?;
        let by_iterations: Vec<Value> = ITERATIONS
            .iter()
            .map(|&iterations| bench.paper(case, &Paper { iterations, ..best }, None))
            .collect::<Result<_>>()?;
        let by_variant: Vec<Value> = variants()
            .iter()
            .map(|(_, paper)| bench.paper(case, paper, None))
            .collect::<Result<_>>()?;
        let [default, cpu] = bench.others(case)?;
        networks.push(json!({
            "name": case.name,
            "states": case.counts.states,
            "transitions": case.counts.transitions,
            "words": case.network.num_words(),
            "workgroups": by_workgroups,
            "iterations": by_iterations,
            "variants": by_variant,
            "default": default,
            "cpu": cpu,
        }));
    }
    let record = json!({
        "device": bench.gpu.info().to_string(),
        "threads": std::thread::available_parallelism()?.get(),
        "runs": bench.runs,
        "networks": networks,
    });
    plots::write(&record, &arguments.out)?;
    plots::print(&record);
    Ok(())
}
