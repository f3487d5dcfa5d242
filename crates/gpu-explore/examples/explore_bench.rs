//! Measures states per second on networks with states of 1, 2 and 4 words, compared with the CPU
//! and with insertions into the hash table alone, as Markdown.
//!
//! ```text
//! cargo run --release -p gpu-explore --example explore_bench -- \
//!     [--adapter NAME] [--runs 5] [--cells N]... [--workgroups N] [--counting] [--profile]
//! ```
//!
//! A *pipeline* of n cells, each of which is empty or full, has 2^n states and 2^n + (n - 1) 2^(n -
//! 2) transitions. Each cell may consist of several processes that move together, so that states
//! have more words. *Rings* have 32 states each, and do not synchronise with one another.
//!
//! `counting` is the time from a compiled network to the counts, and `exploring` the time to the
//! graph and the states on the host. Both are medians, after one run to warm up. `inserting`
//! inserts as many different states into an empty table, which becomes as full as that of the
//! search; its speed is the upper bound. Each answer is compared with the formula, and a small
//! network of each kind with the CPU. `--cells` (24 and 26 by default) may be repeated; the CPU
//! explores the first of these sizes. With `--counting`, nothing is explored. `--profile` prints
//! the times of the kernels.

#[path = "common/networks.rs"]
mod networks;

use gpu::kernels::ExploreParams;
use gpu::kernels::explore::{BUCKET, CONTROL_WORDS, KNOWN_STATES, Rehash};
use gpu::{Gpu, Groups, Recording, Request, RunOptions};
use gpu_explore::{Options, count, explore, profile};
use networks::{Case, pipeline, rings};
use std::error::Error;
use std::time::{Duration, Instant};

/// The numbers of processes of a cell, for networks of 1, 2 and 4 words.
const REPLICAS: [usize; 3] = [1, 2, 4];

struct Arguments {
    adapter: Option<String>,
    runs: usize,
    cells: Vec<u32>,
    workgroups: Option<u32>,
    /// Whether states are only counted, and not explored. The CPU then does nothing.
    counting: bool,
    profile: bool,
}

impl Arguments {
    fn parse() -> Result<Self, Box<dyn Error>> {
        let mut parsed = Self {
            adapter: None,
            runs: 5,
            cells: Vec::new(),
            workgroups: None,
            counting: false,
            profile: false,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--adapter" => parsed.adapter = Some(value()?),
                "--runs" => parsed.runs = value()?.parse()?,
                "--cells" => parsed.cells.push(value()?.parse()?),
                "--workgroups" => parsed.workgroups = Some(value()?.parse()?),
                "--counting" => parsed.counting = true,
                "--profile" => parsed.profile = true,
                _ => return Err(format!("what is {word}?").into()),
            }
        }
        if parsed.cells.is_empty() {
            parsed.cells = vec![24, 26];
        }
        Ok(parsed)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse()?;
    let request = arguments
        .adapter
        .as_ref()
        .map_or_else(Request::hardware, Request::named);
    let gpu = Gpu::open(&request)?;
    for replicas in REPLICAS {
        same_as_cpu(&gpu, &pipeline(12, replicas)?)?;
    }
    same_as_cpu(&gpu, &rings(2)?)?;
    let mut cases = vec![rings(arguments.cells[0] / 5)?];
    for replicas in REPLICAS {
        for &cells in &arguments.cells {
            cases.push(pipeline(cells, replicas)?);
        }
    }
    let mut rows = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let on_cpu =
            !arguments.counting && (number == 0 || (number - 1) % arguments.cells.len() == 0);
        rows.push(row(&gpu, case, &arguments, on_cpu)?);
        if arguments.profile {
            passes(&gpu, case)?;
        }
    }
    println!("{}, {} threads\n", gpu.info(), rayon::current_num_threads());
    println!(
        "| network | words | states | transitions | counting, s | states/s | exploring, s | \
         states/s | CPU, s | states/s | inserting, states/s | counting / inserting |"
    );
    println!("| --- |{}", " ---: |".repeat(11));
    rows.iter().for_each(|row| println!("{row}"));
    Ok(())
}

/// Returns an error unless the device and the CPU find the same states and transitions.
fn same_as_cpu(gpu: &Gpu, case: &Case) -> Result<(), Box<dyn Error>> {
    let mut options = Options::new(gpu);
    options.explore.actions = true;
    let found = explore(gpu, &case.network, &options)?;
    let expected = explore::explore(&case.network, &options.explore)?;
    let is_same = found.graph == expected.graph
        && found.states == expected.states
        && found.actions == expected.actions;
    match is_same {
        true => Ok(()),
        false => Err(format!("{}: wrong", case.name).into()),
    }
}

/// Measures a network. Returns its line of the table. The CPU explores it, too, if `on_cpu`.
fn row(
    gpu: &Gpu,
    case: &Case,
    arguments: &Arguments,
    on_cpu: bool,
) -> Result<String, Box<dyn Error>> {
    let mut options = Options::new(gpu);
    options.tuning.workgroups = arguments.workgroups.unwrap_or(options.tuning.workgroups);
    let counting = median(arguments.runs, || {
        let found = count(gpu, &case.network, &options)?;
        match found == case.counts {
            true => Ok(()),
            false => Err(format!("{}: {found:?}, not {:?}", case.name, case.counts).into()),
        }
    })?;
    let explore_all = || {
        let found = explore(gpu, &case.network, &options)?;
        match found.graph.num_choices() as u64 == case.counts.transitions {
            true => Ok(()),
            false => Err(format!("{}: another graph", case.name).into()),
        }
    };
    let exploring = (!arguments.counting).then(|| median(1, explore_all));
    let exploring = exploring.transpose()?;
    let cpu = on_cpu.then(|| {
        let start = Instant::now();
        explore::explore(&case.network, &options.explore).map(|_| start.elapsed())
    });
    let cpu = cpu.transpose()?;
    let (states, words) = (case.counts.states, case.network.num_words());
    let inserting = inserting(gpu, states, words as u64)?;
    let rate = |time: Duration| states as f64 / time.as_secs_f64();
    let both = |time: Duration| format!("{:.3} | {:.3e}", time.as_secs_f64(), rate(time));
    Ok(format!(
        "| {} | {words} | {states} | {} | {} | {} | {} | {:.3e} | {:.2} |",
        case.name,
        case.counts.transitions,
        both(counting),
        exploring.map_or("| ".to_owned(), both),
        cpu.map_or("| ".to_owned(), both),
        rate(inserting),
        rate(counting) / rate(inserting),
    ))
}

/// Returns the median time of this many runs, after one to warm up.
fn median(
    runs: usize,
    mut run: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    run()?;
    let mut times = Vec::new();
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2])
}

/// Returns the time in which the device inserts this many different states into an empty table.
fn inserting(gpu: &Gpu, count: u64, words: u64) -> Result<Duration, Box<dyn Error>> {
    let state = |number: u64| {
        // Odd factors permute the values of the first word.
        let word = move |word: u64| (number * 0x9e37_79b1 + word * (number >> 3)) as u32;
        (0..words).map(word)
    };
    let states = gpu.zeroed::<u32>("states", count * words)?;
    for first in (0..count).step_by(1 << 22) {
        let piece: Vec<u32> = (first..count.min(first + (1 << 22)))
            .flat_map(state)
            .collect();
        gpu.write(&states, first * words, &piece)?;
    }
    let slots = (2 * count).next_power_of_two();
    let slots = gpu.zeroed::<u32>("slots", slots)?;
    let mut control = [0_u32; CONTROL_WORDS as usize];
    control[KNOWN_STATES as usize] = count as u32;
    let control = gpu.upload("control", &control)?;
    let tallies = gpu.zeroed::<u32>("tallies", 4)?;
    let pass = Rehash {
        states: &states,
        control: &control,
        slots: &slots,
        tallies: &tallies,
        params: ExploreParams {
            bucket_mask: (slots.len() / u64::from(BUCKET)) as u32 - 1,
            index_bits: count.ilog2() + 1,
            ..ExploreParams::default()
        },
        words: words as u32,
        whole: words == 1,
    };
    let mut time = Duration::MAX;
    for _ in 0..3 {
        let mut recording = Recording::new();
        recording.fill(&slots, 0);
        gpu.run(&recording)?;
        let mut recording = Recording::new();
        recording.dispatch(&pass, Groups::Over(count));
        let homeless = recording.read(&tallies, 0..1);
        let mut run_options = RunOptions {
            time_passes: gpu.info().timestamps,
            ..RunOptions::default()
        };
        let start = Instant::now();
        let outcome = gpu.run_with(&recording, &mut run_options)?;
        if outcome.get(homeless) != [0] {
            return Err("the table overflows".into());
        }
        let own = outcome.times.first().map(|pass| pass.nanoseconds);
        time = time.min(own.map_or(start.elapsed(), Duration::from_nanos));
    }
    Ok(time)
}

/// Prints the times of the kernels.
fn passes(gpu: &Gpu, case: &Case) -> Result<(), Box<dyn Error>> {
    let (_, times) = profile(gpu, &case.network, &Options::new(gpu))?;
    println!("{}:", case.name);
    for pass in times {
        let milliseconds = pass.nanoseconds as f64 / 1e6;
        println!("  {milliseconds:9.2} ms  {:6} x {}", pass.calls, pass.name);
    }
    Ok(())
}
