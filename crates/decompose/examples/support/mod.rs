//! What the examples have in common: graphs, arguments, and measurements of time.
#![allow(dead_code)]

pub(crate) mod drawn;
pub(crate) mod graphs;

use gpu::{Gpu, Request};
use std::time::{Duration, Instant};

pub(crate) use graphs::{Result, graph, short};

/// `[--adapter NAME] [--runs 5] [--dump PATH] GRAPH...`
pub(crate) struct Arguments {
    adapter: Option<String>,
    pub(crate) runs: usize,
    /// The file to which the only graph is written, instead of measuring.
    pub(crate) dump: Option<String>,
    pub(crate) graphs: Vec<String>,
}

impl Arguments {
    pub(crate) fn parse() -> Result<Self> {
        let mut all = Self {
            adapter: None,
            runs: 5,
            dump: None,
            graphs: Vec::new(),
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--adapter" => all.adapter = arguments.next(),
                "--runs" => all.runs = arguments.next().ok_or("--runs needs a number")?.parse()?,
                "--dump" => all.dump = Some(arguments.next().ok_or("--dump needs a path")?),
                _ => all.graphs.push(argument),
            }
        }
        Ok(all)
    }

    /// Removes `NAME NUMBER` from the names of the graphs. Returns the number, or the default.
    pub(crate) fn number(&mut self, name: &str, default: u64) -> Result<u64> {
        let Some(at) = self.graphs.iter().position(|graph| graph == name) else {
            return Ok(default);
        };
        let given: Vec<String> = self
            .graphs
            .drain(at..(at + 2).min(self.graphs.len()))
            .collect();
        let number = given.get(1).ok_or(format!("{name} needs a number"))?;
        Ok(number.parse()?)
    }

    /// Opens the device, and prints its name.
    pub(crate) fn open(&self) -> Result<Gpu> {
        let adapter = self.adapter.as_deref();
        let engine = Gpu::open(&adapter.map_or_else(Request::hardware, Request::named))?;
        let runs = self.runs;
        println!(
            "Device: {}. Milliseconds, medians of {runs}.\n",
            engine.info()
        );
        Ok(engine)
    }
}

/// Prints the head of a Markdown table.
pub(crate) fn head(columns: &[String]) {
    println!("| {} |", columns.join(" | "));
    println!("|{}", " --- |".repeat(columns.len()));
}

/// How long a device is kept busy before anything is timed, because an idle device lowers its clock
/// rates.
const WARM_UP: Duration = Duration::from_millis(500);

/// Returns the median time of `work` on a device that is warm, and its last result.
pub(crate) fn median_when_warm<T>(
    runs: usize,
    mut work: impl FnMut() -> Result<T>,
) -> Result<(Duration, T)> {
    warm_up(&mut work)?;
    median(runs, work)
}

/// Repeats `work` until the device is warm.
pub(crate) fn warm_up<T>(mut work: impl FnMut() -> Result<T>) -> Result<()> {
    let start = Instant::now();
    while start.elapsed() < WARM_UP {
        work()?;
    }
    Ok(())
}

/// Returns the median time of `work`, and its last result.
pub(crate) fn median<T>(runs: usize, mut work: impl FnMut() -> Result<T>) -> Result<(Duration, T)> {
    let mut times = Vec::new();
    loop {
        let start = Instant::now();
        let result = work()?;
        times.push(start.elapsed());
        if times.len() >= runs {
            return Ok((middle(times), result));
        }
    }
}

/// Returns the median of times, of which there is at least one.
pub(crate) fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

pub(crate) fn ms(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}
