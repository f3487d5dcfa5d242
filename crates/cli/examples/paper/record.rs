//! The measurements as files: JSON for programs, and plots.
//!
//! | file | holds |
//! | --- | --- |
//! | `paper.json` | every number of the table, and of the models of growing size |
//! | `sccs.svg`, `mecs.svg` | a bar for each tool, model by model |
//! | `roofline.svg` | each time against the least that reading the graph takes |
//! | `scaling.svg` | time against edges, for one model at five sizes |

use super::{Result, Row, floor};
use report::{Bars, Points, Series, write_bars, write_points};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Said of numbers that are not known.
const UNKNOWN: f64 = f64::NAN;

/// Writes all files to `folder`, which need not be there.
pub(crate) fn write(
    folder: &Path,
    device: &str,
    runs: usize,
    rows: &[Row<'_>],
    growing: &[Row<'_>],
) -> Result<()> {
    fs::create_dir_all(folder)?;
    let file = |name: &str, write: &dyn Fn(&mut dyn Write) -> io::Result<()>| -> Result<()> {
        let mut out = BufWriter::new(File::create(folder.join(name))?);
        write(&mut out)?;
        Ok(out.flush()?)
    };
    let all = json!({
        "schema": "maxend-paper",
        "schema_version": 1,
        "device": device,
        "runs": runs,
        "models": rows.iter().map(object).collect::<Vec<_>>(),
        "growing": growing.iter().map(object).collect::<Vec<_>>(),
    });
    file("paper.json", &|out| {
        Ok(serde_json::to_writer_pretty(out, &all)?)
    })?;
    file("sccs.svg", &|out| sccs(out, device, rows))?;
    file("mecs.svg", &|out| mecs(out, device, rows))?;
    file("roofline.svg", &|out| roofline(out, device, rows))?;
    if !growing.is_empty() {
        file("scaling.svg", &|out| scaling(out, device, growing))?;
    }
    Ok(())
}

/// What is known of a model; times are milliseconds.
fn object(row: &Row<'_>) -> Value {
    let times = |times: &super::Times| {
        json!({
            "search": times.search_ms,
            "marks": times.marks_ms,
            "on_device": times.profile.as_ref().map(|profile| profile.nanoseconds() as f64 / 1e6),
        })
    };
    let peers = row.model.peers.as_ref().map(|peers| {
        json!({"ecl_scc": peers.ecl_ms, "scipy_scc": peers.scipy_s * 1e3, "storm_mec": peers.storm_s * 1e3})
    });
    json!({
        "model": row.model.name,
        "states": row.states,
        "edges": row.edges,
        "branches": row.branches,
        "floor": floor(row.edges, row.states),
        "scc": times(&row.sccs),
        "mec": times(&row.mecs),
        "papers_scc": row.papers.as_ref().map(|times| times.search_ms),
        "peers": peers,
    })
}

fn sccs(out: &mut dyn Write, device: &str, rows: &[Row<'_>]) -> io::Result<()> {
    let group = |row: &Row<'_>| {
        let peers = row.model.peers.as_ref();
        vec![
            row.sccs.search_ms,
            row.papers.as_ref().map_or(UNKNOWN, |times| times.search_ms),
            peers.map_or(UNKNOWN, |peers| peers.ecl_ms),
            peers.map_or(UNKNOWN, |peers| peers.scipy_s * 1e3),
        ]
    };
    let series = ["maxend", "F0,7 (papers)", "ECL-SCC", "scipy, one core"];
    bars(out, &format!("SCCs, {device}"), &series, rows, group)
}

fn mecs(out: &mut dyn Write, device: &str, rows: &[Row<'_>]) -> io::Result<()> {
    let group = |row: &Row<'_>| {
        let peers = row.model.peers.as_ref();
        let storm = peers.map_or(UNKNOWN, |peers| peers.storm_s * 1e3);
        vec![row.mecs.search_ms, storm]
    };
    let series = ["maxend", "Storm, one core"];
    bars(out, &format!("MECs, {device}"), &series, rows, group)
}

fn bars(
    out: &mut dyn Write,
    title: &str,
    series: &[&str],
    rows: &[Row<'_>],
    group: impl Fn(&Row<'_>) -> Vec<f64>,
) -> io::Result<()> {
    let groups = rows.iter().map(|row| (row.model.name, group(row)));
    let groups: Vec<_> = groups.collect();
    let (y, groups) = ("ms", groups.as_slice());
    write_bars(
        out,
        &Bars {
            title,
            y,
            series,
            groups,
        },
    )
}

fn roofline(out: &mut dyn Write, device: &str, rows: &[Row<'_>]) -> io::Result<()> {
    let points = |time: fn(&Row<'_>) -> f64, named: bool| -> Vec<_> {
        let point = |row: &Row<'_>| {
            let name = if named { row.model.name } else { "" };
            (name, floor(row.edges, row.states), time(row))
        };
        rows.iter().map(point).collect()
    };
    let sccs = points(|row| row.sccs.search_ms, true);
    let mecs = points(|row| row.mecs.search_ms, false);
    let guides = [
        (1.0, "the floor"),
        (10.0, "10 floors"),
        (100.0, "100"),
        (1000.0, "1000"),
    ];
    let title = format!("Time against the floor, {device}");
    let x = "floor: 8 bytes an edge and 12 a state at 4.2 TB/s, ms";
    two_series(out, &title, x, [&sccs, &mecs], false, &guides)
}

fn scaling(out: &mut dyn Write, device: &str, growing: &[Row<'_>]) -> io::Result<()> {
    let points = |time: fn(&Row<'_>) -> f64| -> Vec<_> {
        let point = |row: &Row<'_>| ("", row.edges as f64, time(row));
        growing.iter().map(point).collect()
    };
    let (sccs, mecs) = (
        points(|row| row.sccs.search_ms),
        points(|row| row.mecs.search_ms),
    );
    let guides = [(1e-7, "0.1 ns an edge"), (1e-6, "1 ns"), (1e-5, "10 ns")];
    let title = format!("Models of growing size, {device}");
    two_series(out, &title, "edges", [&sccs, &mecs], true, &guides)
}

fn two_series(
    out: &mut dyn Write,
    title: &str,
    x: &str,
    [sccs, mecs]: [&[(&str, f64, f64)]; 2],
    joined: bool,
    guides: &[(f64, &str)],
) -> io::Result<()> {
    let series = |name, points| Series {
        name,
        joined,
        points,
    };
    write_points(
        out,
        &Points {
            title,
            x,
            y: "ms",
            series: &[series("SCCs", sccs), series("MECs", mecs)],
            guides,
        },
    )
}
