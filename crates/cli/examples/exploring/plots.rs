//! The record as tables and figures.

use super::{ITERATIONS, Result, WORKGROUPS, variants};
use report::{Bar, Bars, Points, Series, write_bars, write_points};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// The networks of a record.
fn networks(record: &Value) -> &[Value] {
    record["networks"].as_array().map_or(&[], Vec::as_slice)
}

/// The milliseconds of each measurement under a key.
fn milliseconds(network: &Value, key: &str) -> Vec<f64> {
    let all = network[key].as_array().map_or(&[][..], Vec::as_slice);
    let seconds = all.iter().filter_map(|one| one["seconds"].as_f64());
    seconds.map(|seconds| 1000.0 * seconds).collect()
}

fn name(network: &Value) -> &str {
    network["name"].as_str().unwrap_or_default()
}

/// Writes the record and draws its figures into `folder`, which need not be there.
pub(crate) fn write(record: &Value, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut text = serde_json::to_string_pretty(record)?;
    text.push('\n');
    fs::write(folder.join("exploring.json"), text)?;
    let curves = [
        ("figure-5.svg", "workgroups", &WORKGROUPS[..]),
        ("figure-6.svg", "iterations", &ITERATIONS[..]),
    ];
    for (file, key, numbers) in curves {
        curve(record, key, numbers, &folder.join(file))?;
    }
    bars(record, &folder.join("figure-7.svg"))
}

/// Draws the times by the workgroups or the iterations of a launch.
fn curve(record: &Value, key: &str, numbers: &[u32], path: &Path) -> Result<()> {
    let points: Vec<Vec<(&str, f64, f64)>> = networks(record)
        .iter()
        .map(|network| {
            let times = milliseconds(network, key);
            let point = |(&number, time)| ("", f64::from(number), time);
            numbers.iter().zip(times).map(point).collect()
        })
        .collect();
    let series: Vec<Series<'_>> = networks(record)
        .iter()
        .zip(&points)
        .map(|(network, points)| Series {
            name: name(network),
            joined: true,
            points,
        })
        .collect();
    let device = record["device"].as_str().unwrap_or_default();
    let title = format!("Double hashing and forwarding, by {key} of a launch, {device}");
    let plot = Points {
        title: &title,
        x: key,
        y: "ms",
        series: &series,
        guides: &[],
    };
    let mut out = BufWriter::new(File::create(path)?);
    write_points(&mut out, &plot)?;
    Ok(out.flush()?)
}

/// Draws the times of all ways to search.
fn bars(record: &Value, path: &Path) -> Result<()> {
    let mut series = vec!["CPU", "default"];
    series.extend(variants().iter().map(|(name, _)| name));
    let groups: Vec<(&str, Vec<Bar>)> = networks(record)
        .iter()
        .map(|network| {
            let own = ["cpu", "default"].map(|key| network[key].as_f64().unwrap_or(f64::NAN));
            let own = own.into_iter().map(|seconds| 1000.0 * seconds);
            let times = own.chain(milliseconds(network, "variants"));
            (name(network), times.map(Bar::Height).collect())
        })
        .collect();
    let device = record["device"].as_str().unwrap_or_default();
    let title = format!("Exploring, {device} and {} threads", record["threads"]);
    let plot = Bars {
        title: &title,
        y: "ms",
        series: &series,
        groups: &groups,
    };
    let mut out = BufWriter::new(File::create(path)?);
    write_bars(&mut out, &plot)?;
    Ok(out.flush()?)
}

/// Prints the tables.
pub(crate) fn print(record: &Value) {
    println!("{}, {} threads\n", record["device"], record["threads"]);
    table(record, "workgroups", &WORKGROUPS.map(|n| n.to_string()));
    table(record, "iterations", &ITERATIONS.map(|n| n.to_string()));
    let names = variants().map(|(name, _)| name.to_owned());
    table(record, "variants", &names);
    println!("| network | states | words | CPU, ms | default, ms | states/s |");
    println!("| --- |{}", " --: |".repeat(5));
    for network in networks(record) {
        let seconds = |key: &str| network[key].as_f64().unwrap_or(f64::NAN);
        println!(
            "| {} | {} | {} | {:.1} | {:.1} | {:.2e} |",
            name(network),
            network["states"],
            network["words"],
            1000.0 * seconds("cpu"),
            1000.0 * seconds("default"),
            seconds("states") / seconds("default"),
        );
    }
}

/// Milliseconds, and how often a state was expanded.
fn table(record: &Value, key: &str, columns: &[String]) {
    println!("| network, ms by {key} | {} |", columns.join(" | "));
    println!("| --- |{}", " --: |".repeat(columns.len()));
    for network in networks(record) {
        let all = network[key].as_array().map_or(&[][..], Vec::as_slice);
        let cells: Vec<String> = all
            .iter()
            .map(|one| {
                let number = |key: &str| one[key].as_f64().unwrap_or(f64::NAN);
                let (time, expanded) = (1000.0 * number("seconds"), number("expanded"));
                format!("{time:.1} ({expanded:.3} x, {} launches)", one["launches"])
            })
            .collect();
        println!("| {} | {} |", name(network), cells.join(" | "));
    }
    println!();
}
