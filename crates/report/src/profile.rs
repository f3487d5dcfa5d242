//! The time of each part of a run, as tables for users.

use crate::limit::limit;
use crate::run::Phase;
use crate::table;
use crate::timeline::{Level, Timeline, Work};
use mdp_graph::{counted, grouped};
use std::io::{self, Write};

/// The largest number of floors that is printed. If it is exceeded, the device is almost always
/// waiting, and the number has no meaning.
const MAX_FLOORS: f64 = 1e6;

/// Writes a table of the phases, and one of the work of the device.
///
/// # Errors
/// Errors of `out`.
pub fn write_profile(out: &mut dyn Write, timeline: &Timeline<'_>) -> io::Result<()> {
    write_phases(out, timeline)?;
    match &timeline.work {
        Some(work) => {
            writeln!(out)?;
            write_passes(out, work)
        }
        None => Ok(()),
    }
}

fn write_phases(out: &mut dyn Write, timeline: &Timeline<'_>) -> io::Result<()> {
    let phases = timeline.phases.iter().map(|span| span.phase);
    let phases: Vec<Phase<'_>> = phases.collect();
    let total: f64 = phases.iter().map(|phase| phase.time.as_secs_f64()).sum();
    let row = |name: &str, seconds: f64| {
        vec![
            name.to_owned(),
            milliseconds(seconds),
            percent(seconds, total),
        ]
    };
    let mut rows = vec![["phase", "ms", "share"].map(str::to_owned).to_vec()];
    rows.extend(phases.iter().map(|p| row(p.name, p.time.as_secs_f64())));
    rows.push(row("total", total));
    table::write_columns(out, &rows)?;
    match limit(&phases) {
        Some(limit) => writeln!(out, "\nLimited by {limit}."),
        None => Ok(()),
    }
}

/// The totals of all levels of a pass.
#[derive(Clone, Copy, Default)]
struct Sum {
    levels: u64,
    dispatches: u64,
    /// The number of entries; `None` if there is no queue.
    entries: Option<u64>,
    seconds: f64,
}

impl Sum {
    fn add(&mut self, level: &Level<'_>) {
        self.levels += 1;
        self.dispatches += u64::from(level.dispatches);
        if let Some(entries) = level.entries {
            *self.entries.get_or_insert(0) += u64::from(entries);
        }
        self.seconds += level.time.as_secs_f64();
    }
}

/// Returns the totals of the levels of each pass, and the totals of all passes.
fn sums<'w>(work: &Work<'w>) -> (Vec<(&'w str, Sum)>, Sum) {
    let mut passes: Vec<(&str, Sum)> = Vec::new();
    let mut total = Sum::default();
    for level in work.levels {
        total.add(level);
        match passes.iter_mut().find(|(pass, _)| *pass == level.pass) {
            Some((_, sum)) => sum.add(level),
            None => {
                let mut sum = Sum::default();
                sum.add(level);
                passes.push((level.pass, sum));
            }
        }
    }
    passes.push(("total", total));
    (passes, total)
}

fn write_passes(out: &mut dyn Write, work: &Work<'_>) -> io::Result<()> {
    let counts = work.counts.iter();
    let counts = counts.map(|&(name, count)| format!("{name}: {}", grouped(count)));
    writeln!(out, "{}\n", counts.collect::<Vec<_>>().join(", "))?;
    let (passes, total) = sums(work);
    let floor = work.floor();
    let touched = |pass: &str| match pass {
        _ if work.edges_touched.is_empty() => None,
        "total" => Some(work.edges_touched.iter().map(|(_, edges)| edges).sum()),
        _ => work
            .edges_touched
            .iter()
            .find_map(|&(name, edges)| (name == pass).then_some(edges)),
    };
    let row = |&(pass, sum): &(&str, Sum)| {
        let mut row = vec![pass.to_owned()];
        row.extend([sum.levels, sum.dispatches].map(grouped));
        row.extend([sum.entries, touched(pass)].map(|count| count.map_or("-".to_owned(), grouped)));
        // If the device cannot measure time, question marks are printed.
        row.extend(match total.seconds > 0.0 {
            true => [
                milliseconds(sum.seconds),
                percent(sum.seconds, total.seconds),
                floors(sum.seconds, floor),
            ],
            false => ["?", "?", "?"].map(str::to_owned),
        });
        row
    };
    let header = [
        "pass",
        "levels",
        "dispatches",
        "entries",
        "edges",
        "ms",
        "share",
        "floors",
    ];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(passes.iter().map(row));
    table::write_columns(out, &rows)?;
    let rate = work.bandwidth / 1e9;
    writeln!(
        out,
        "\nA floor is {}: 8 bytes an edge and 12 a state, for {} and {},\n\
         which is {}, at {} GB/s, at which {} copies.",
        short_time(floor),
        counted(work.edges, "edge", "edges"),
        counted(work.states, "state", "states"),
        amount(work.floor_bytes()),
        match rate < 100.0 {
            true => format!("{rate:.1}"),
            false => grouped(rate.round() as u64),
        },
        work.device,
    )
}

/// Milliseconds or, below a thousandth of one, nanoseconds.
fn short_time(seconds: f64) -> String {
    match seconds {
        0.0..1e-9 => "less than 1 ns".to_owned(),
        1e-9..1e-6 => format!("{:.0} ns", seconds * 1e9),
        _ => format!("{} ms", milliseconds(seconds)),
    }
}

/// Megabytes or, below a tenth of one, bytes.
fn amount(bytes: f64) -> String {
    match bytes < 1e5 {
        true => counted(bytes as u64, "byte", "bytes"),
        false => format!("{:.1} MB", bytes / 1e6),
    }
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.3}", seconds * 1e3)
}

/// Returns the ratio of a time to the floor. If the graph is so small that the floor is not
/// meaningful, there is no number.
fn floors(seconds: f64, floor: f64) -> String {
    let floors = seconds / floor;
    match floors {
        0.0..100.0 => format!("{floors:.1}"),
        100.0..MAX_FLOORS => grouped(floors as u64),
        _ => "-".to_owned(),
    }
}

/// Returns the share of `part` in `whole` in percent; 0 if `whole` is 0.
fn percent(part: f64, whole: f64) -> String {
    match whole > 0.0 {
        true => format!("{:.1} %", 100.0 * part / whole),
        false => "0.0 %".to_owned(),
    }
}
