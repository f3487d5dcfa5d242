//! Figures 3 and 4 of the paper, drawn from a record.

use super::Result;
use report::{Points, Series, write_points};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// The searches, by their names in a record.
const SEARCHES: [(&str, &str); 3] = [
    ("gpu", "Howard, GPU"),
    ("howard", "Howard, one core"),
    ("yto", "YTO, one core"),
];

/// Writes a record and draws its figures into `folder`, which need not be there.
pub(crate) fn write(record: &Value, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut text = serde_json::to_string_pretty(record)?;
    text.push('\n');
    fs::write(folder.join("loads.json"), text)?;
    draw(record, false, &folder.join("figure-3.svg"))?;
    draw(record, true, &folder.join("figure-4.svg"))
}

/// Draws the time of each search against states times edges.
fn draw(record: &Value, is_served: bool, path: &Path) -> Result<()> {
    let none = Vec::new();
    let systems = record["systems"].as_array().unwrap_or(&none);
    let of_kind = || {
        systems
            .iter()
            .filter(|system| system["served"] == is_served)
    };
    let points = SEARCHES.map(|(key, _)| {
        let point = |system: &Value| {
            let size = system["states"].as_f64()? * system["edges"].as_f64()?;
            Some(("", size, 1000.0 * system[key].as_f64()?))
        };
        of_kind().filter_map(point).collect::<Vec<_>>()
    });
    let series: Vec<Series<'_>> = SEARCHES
        .iter()
        .zip(&points)
        .map(|(&(_, name), points)| Series {
            name,
            joined: true,
            points,
        })
        .collect();
    let server = if is_served { "with" } else { "without" };
    let device = record["device"].as_str().unwrap_or_default();
    let title = format!("The worst load of clients {server} a server, {device}");
    let plot = Points {
        title: &title,
        x: "states times edges",
        y: "ms",
        series: &series,
        guides: &[],
    };
    let mut out = BufWriter::new(File::create(path)?);
    write_points(&mut out, &plot)?;
    Ok(out.flush()?)
}
