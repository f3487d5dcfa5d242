//! The measurements as Markdown.

use super::Row;
use super::measure::Cell;
use super::models::Peers;
use super::record::Record;
use std::io::{self, Write};

/// Writes all tables.
pub(crate) fn write(out: &mut dyn Write, record: &Record<'_>) -> io::Result<()> {
    writeln!(
        out,
        "{}; milliseconds, medians of {}.",
        record.device, record.runs
    )?;
    fast(out, &record.rows)?;
    beside_peers(out, &record.rows)?;
    for (number, experiment) in record.experiments.iter().enumerate() {
        let columns = experiment.columns.iter().map(|column| column.name);
        let columns: Vec<&str> = ["model", "maxend"].into_iter().chain(columns).collect();
        writeln!(out, "\n{}\n", experiment.name)?;
        head(out, &columns)?;
        for row in &record.rows {
            let ours = row.cell(experiment.kind);
            write!(out, "| {} | {ours} |", row.model.name)?;
            for cell in &row.papers[number] {
                write!(out, " {cell} |")?;
            }
            writeln!(out)?;
        }
    }
    for (name, rows) in &record.growing {
        growing(out, name, rows)?;
    }
    Ok(())
}

/// A number with this many digits, if it is known.
fn known(value: f64, digits: usize) -> String {
    match value.is_finite() {
        true => format!("{value:.digits$}"),
        false => String::new(),
    }
}

fn head(out: &mut dyn Write, columns: &[&str]) -> io::Result<()> {
    writeln!(out, "| {} |", columns.join(" | "))?;
    writeln!(out, "| ---{} |", " | --:".repeat(columns.len() - 1))
}

/// The worklist engine, its marks, and the floor.
fn fast(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    writeln!(out)?;
    let columns = [
        "model", "states", "edges", "branches", "floor", "SCC", "floors", "marks", "CPU", "MEC",
        "marks", "CPU",
    ];
    head(out, &columns)?;
    for row in rows {
        let marks = |cell: &Cell| match cell {
            Cell::Measured(times) => format!("{:.2}", times.marks_ms),
            _ => String::new(),
        };
        writeln!(
            out,
            "| {} | {} | {} | {} | {:.3} | {} | {} | {} | {:.0} | {} | {} | {:.0} |",
            row.model.name,
            row.states,
            row.edges,
            row.branches,
            row.floor_ms(),
            row.sccs,
            known(row.sccs.search_ms() / row.floor_ms(), 0),
            marks(&row.sccs),
            row.cpu_ms[0],
            row.mecs,
            marks(&row.mecs),
            row.cpu_ms[1],
        )?;
    }
    Ok(())
}

/// What the others take, and how much of its aim each time is.
fn beside_peers(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    let compared = rows
        .iter()
        .filter_map(|row| Some((row, row.model.peers.as_ref()?)));
    let compared: Vec<(&Row, &Peers)> = compared.collect();
    if compared.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let columns = [
        "model",
        "SCC, of its aim",
        "ECL-SCC / ours",
        "scipy / ours",
        "MEC, of its aim",
        "Storm / ours",
    ];
    head(out, &columns)?;
    for (row, peers) in &compared {
        let (sccs, mecs) = (row.sccs.search_ms(), row.mecs.search_ms());
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            row.model.name,
            known(sccs / peers.aims_ms[0], 2),
            known(peers.ecl_ms / sccs, 1),
            known(peers.scipy_s * 1e3 / sccs, 0),
            known(mecs / peers.aims_ms[1], 2),
            known(peers.storm_s * 1e3 / mecs, 0),
        )?;
    }
    let mean = |ratio: &dyn Fn(&Row, &Peers) -> f64| {
        let ratios = compared.iter().map(|&(row, peers)| ratio(row, peers));
        let ratios: Vec<f64> = ratios.filter(|ratio| ratio.is_finite()).collect();
        let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        known((sum / ratios.len() as f64).exp(), 2)
    };
    writeln!(
        out,
        "\nGeometric means: ECL-SCC / ours {}; scipy / ours {}; Storm / ours {}.",
        mean(&|row, peers| peers.ecl_ms / row.sccs.search_ms()),
        mean(&|row, peers| peers.scipy_s * 1e3 / row.sccs.search_ms()),
        mean(&|row, peers| peers.storm_s * 1e3 / row.mecs.search_ms()),
    )
}

/// A family of models of growing size, and by which power of the edges the time grows.
fn growing(out: &mut dyn Write, name: &str, rows: &[Row]) -> io::Result<()> {
    writeln!(out, "\n{name}\n")?;
    let columns = [
        "model",
        "states",
        "edges",
        "SCC",
        "ns an edge",
        "MEC",
        "ns an edge",
    ];
    head(out, &columns)?;
    for row in rows {
        let an_edge = |cell: &Cell| cell.search_ms() * 1e6 / row.edges as f64;
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            row.model.name,
            row.states,
            row.edges,
            row.sccs,
            known(an_edge(&row.sccs), 2),
            row.mecs,
            known(an_edge(&row.mecs), 2),
        )?;
    }
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Ok(());
    };
    let edges = last.edges as f64 / first.edges as f64;
    writeln!(
        out,
        "\nFrom the first to the last, {edges:.0} times the edges:"
    )?;
    for (what, time) in [
        ("SCCs", (|row| row.sccs.search_ms()) as fn(&Row) -> f64),
        ("MECs", |row| row.mecs.search_ms()),
    ] {
        writeln!(
            out,
            "{what} take {:.0} times the time; fitted, edges to the power of {:.2}, of the three largest {:.2}.",
            time(last) / time(first),
            exponent(rows, time),
            exponent(&rows[rows.len().saturating_sub(3)..], time),
        )?;
    }
    Ok(())
}

/// The power of the edges that fits the times best: the slope of the least squares between
/// logarithms.
pub(crate) fn exponent(rows: &[Row], time: fn(&Row) -> f64) -> f64 {
    let points = rows
        .iter()
        .map(|row| ((row.edges as f64).ln(), time(row).ln()));
    let points: Vec<(f64, f64)> = points.collect();
    let count = points.len() as f64;
    let mean_x = points.iter().map(|point| point.0).sum::<f64>() / count;
    let mean_y = points.iter().map(|point| point.1).sum::<f64>() / count;
    let covariance: f64 = points
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    let variance: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
}
