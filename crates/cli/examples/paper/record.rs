//! The measurements as files: `paper.md` has the tables, `paper.json` every number of them, and the
//! plots are drawn from that (`plots.rs`).

use super::columns::Experiment;
use super::measure::{Cell, Times};
use super::{Result, Row, plots, tables};
use mdp_graph::ComponentKind;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// What was measured so far.
pub(crate) struct Record<'a> {
    pub(crate) device: String,
    pub(crate) runs: usize,
    pub(crate) experiments: &'a [Experiment],
    pub(crate) rows: Vec<Row>,
    /// Families of models of growing size.
    pub(crate) growing: Vec<(&'static str, Vec<Row>)>,
}

impl Row {
    /// What the worklist engine takes to find such components.
    pub(crate) fn cell(&self, kind: ComponentKind) -> &Cell {
        match kind {
            ComponentKind::Scc | ComponentKind::Bscc => &self.sccs,
            ComponentKind::Mec => &self.mecs,
        }
    }
}

impl<'a> Record<'a> {
    pub(crate) fn new(device: String, runs: usize, experiments: &'a [Experiment]) -> Self {
        Self {
            device,
            runs,
            experiments,
            rows: Vec::new(),
            growing: Vec::new(),
        }
    }

    /// The next model of the last family.
    pub(crate) fn grow(&mut self, row: Row) {
        if let Some((_, rows)) = self.growing.last_mut() {
            rows.push(row);
        }
    }

    /// Writes all files to `folder`, which need not be there.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        let mut out = BufWriter::new(File::create(folder.join("paper.md"))?);
        tables::write(&mut out, self)?;
        out.flush()?;
        let record = self.json();
        let mut out = BufWriter::new(File::create(folder.join("paper.json"))?);
        serde_json::to_writer_pretty(&mut out, &record)?;
        out.flush()?;
        plots::write(&record, folder)
    }

    fn json(&self) -> Value {
        let object = |row: &Row| object(row, self.experiments);
        let families = self.growing.iter().map(|(name, rows)| {
            let models: Vec<Value> = rows.iter().map(object).collect();
            json!({"family": name, "models": models})
        });
        json!({
            "schema": "maxend-paper",
            "schema_version": 2,
            "device": self.device,
            "runs": self.runs,
            "models": self.rows.iter().map(object).collect::<Vec<_>>(),
            "growing": families.collect::<Vec<_>>(),
        })
    }
}

/// The facts about a model; times are in milliseconds.
fn object(row: &Row, experiments: &[Experiment]) -> Value {
    let peers = row.model.peers.as_ref().map(|peers| {
        json!({"ecl_scc": peers.ecl_ms, "scipy_scc": peers.scipy_s * 1e3, "storm_mec": peers.storm_s * 1e3})
    });
    let papers = experiments.iter().zip(&row.papers);
    let papers = papers.map(|(experiment, cells)| {
        let columns = experiment.columns.iter().zip(cells);
        let columns: Vec<Value> = columns
            .map(|(column, cell)| json!({"column": column.name, "times": times(cell)}))
            .collect();
        json!({"experiment": experiment.name, "columns": columns})
    });
    json!({
        "model": row.model.name,
        "states": row.states,
        "edges": row.edges,
        "branches": row.branches,
        "floor": row.floor_ms(),
        "scc": times(&row.sccs),
        "mec": times(&row.mecs),
        "cpu": {"scc": row.cpu_ms[0], "mec": row.cpu_ms[1]},
        "papers": papers.collect::<Vec<_>>(),
        "peers": peers,
    })
}

/// The times of a column, or what became of it.
fn times(cell: &Cell) -> Value {
    let Cell::Measured(Times {
        search_ms,
        marks_ms,
        runs,
        profile,
    }) = cell
    else {
        return json!(cell.to_string());
    };
    json!({
        "search": search_ms,
        "marks": marks_ms,
        "runs": runs,
        "on_device": profile.as_ref().map(|profile| profile.nanoseconds() as f64 / 1e6),
    })
}
