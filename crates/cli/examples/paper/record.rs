//! The measurements as files: Markdown for people, JSON for programs, and plots.
//!
//! | file | holds |
//! | --- | --- |
//! | `paper.md` | the tables |
//! | `paper.json` | every number of them |
//! | `sccs.svg`, `mecs.svg` | a bar for each tool, model by model |
//! | `table-1.svg`, … | a bar for each column of an experiment of the papers |
//! | `roofline.svg` | each time against the least that reading the graph takes |
//! | `scaling.svg` | time against edges, for families of models |

use super::columns::Experiment;
use super::measure::{Cell, Times};
use super::{Result, Row, tables};
use mdp_graph::ComponentKind;
use report::{Bars, Points, Series, write_bars, write_points};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Said of numbers that are not known.
const UNKNOWN: f64 = f64::NAN;

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
    /// What the fast engine takes to find such components.
    pub(crate) fn cell(&self, kind: ComponentKind) -> &Cell {
        match kind {
            ComponentKind::Scc => &self.sccs,
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
        let file = |name: &str, write: &dyn Fn(&mut dyn Write) -> io::Result<()>| -> Result<()> {
            let mut out = BufWriter::new(File::create(folder.join(name))?);
            write(&mut out)?;
            Ok(out.flush()?)
        };
        file("paper.md", &|out| tables::write(out, self))?;
        file("paper.json", &|out| {
            Ok(serde_json::to_writer_pretty(out, &self.json())?)
        })?;
        if !self.rows.is_empty() {
            file("sccs.svg", &|out| self.sccs(out))?;
            file("mecs.svg", &|out| self.mecs(out))?;
            file("roofline.svg", &|out| self.roofline(out))?;
            for (number, experiment) in self.experiments.iter().enumerate() {
                let name = experiment.name.to_lowercase().replace(' ', "-");
                file(&format!("{name}.svg"), &|out| self.experiment(out, number))?;
            }
        }
        if !self.growing.is_empty() {
            file("scaling.svg", &|out| self.scaling(out))?;
        }
        Ok(())
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

    fn sccs(&self, out: &mut dyn Write) -> io::Result<()> {
        let group = |row: &Row| {
            let peers = row.model.peers.as_ref();
            vec![
                row.sccs.search_ms(),
                peers.map_or(UNKNOWN, |peers| peers.ecl_ms),
                row.cpu_ms[0],
                peers.map_or(UNKNOWN, |peers| peers.scipy_s * 1e3),
            ]
        };
        let series = ["maxend", "ECL-SCC", "maxend, CPU", "scipy, one core"];
        self.bars(out, "SCCs", &series, group)
    }

    fn mecs(&self, out: &mut dyn Write) -> io::Result<()> {
        let group = |row: &Row| {
            let peers = row.model.peers.as_ref();
            let storm = peers.map_or(UNKNOWN, |peers| peers.storm_s * 1e3);
            vec![row.mecs.search_ms(), row.cpu_ms[1], storm]
        };
        let series = ["maxend", "maxend, CPU", "Storm, one core"];
        self.bars(out, "MECs", &series, group)
    }

    /// The columns of an experiment beside the fast engine.
    fn experiment(&self, out: &mut dyn Write, number: usize) -> io::Result<()> {
        let experiment = &self.experiments[number];
        let names = experiment.columns.iter().map(|column| column.name);
        let series: Vec<&str> = ["maxend"].into_iter().chain(names).collect();
        self.bars(out, experiment.name, &series, |row| {
            let cells = row.papers[number].iter();
            let ours = [row.cell(experiment.kind)].into_iter();
            ours.chain(cells).map(Cell::search_ms).collect()
        })
    }

    fn bars(
        &self,
        out: &mut dyn Write,
        title: &str,
        series: &[&str],
        group: impl Fn(&Row) -> Vec<f64>,
    ) -> io::Result<()> {
        let groups = self.rows.iter().map(|row| (row.model.name, group(row)));
        let groups: Vec<_> = groups.collect();
        write_bars(
            out,
            &Bars {
                title: &self.title(title),
                y: "ms",
                series,
                groups: &groups,
            },
        )
    }

    fn roofline(&self, out: &mut dyn Write) -> io::Result<()> {
        let points = |time: &dyn Fn(&Row) -> f64, named: bool| -> Vec<_> {
            let point = |row: &Row| {
                let name = if named { row.model.name } else { "" };
                (name, row.floor_ms(), time(row))
            };
            self.rows.iter().map(point).collect()
        };
        let finds_sccs = |experiment: &Experiment| experiment.kind == ComponentKind::Scc;
        let best = |row: &Row| {
            let cells = self.experiments.iter().zip(&row.papers);
            let cells = cells.filter(|(experiment, _)| finds_sccs(experiment));
            let cells = cells.flat_map(|(experiment, cells)| experiment.columns.iter().zip(cells));
            let on_gpu = cells.filter(|(column, _)| column.options.is_some());
            on_gpu
                .map(|(_, cell)| cell.search_ms())
                .fold(UNKNOWN, f64::min)
        };
        let (sccs, mecs) = (
            points(&|row| row.sccs.search_ms(), true),
            points(&|row| row.mecs.search_ms(), false),
        );
        let papers = points(&best, false);
        let mut series = vec![("SCCs", &sccs), ("MECs", &mecs)];
        if self.experiments.iter().any(finds_sccs) {
            series.push(("SCCs, the papers' best", &papers));
        }
        let series = series.iter().map(|&(name, points)| Series {
            name,
            joined: false,
            points,
        });
        let guides = [
            (1.0, "the floor"),
            (10.0, "10 floors"),
            (100.0, "100"),
            (1000.0, "1000"),
        ];
        write_points(
            out,
            &Points {
                title: &self.title("Time against the floor"),
                x: "floor: 8 bytes an edge and 12 a state at 4.2 TB/s, ms",
                y: "ms",
                series: &series.collect::<Vec<_>>(),
                guides: &guides,
            },
        )
    }

    fn scaling(&self, out: &mut dyn Write) -> io::Result<()> {
        let kinds = [("SCCs", ComponentKind::Scc), ("MECs", ComponentKind::Mec)];
        let lines = self.growing.iter().flat_map(|(family, rows)| {
            kinds.map(|(name, kind)| {
                let point = |row: &Row| ("", row.edges as f64, row.cell(kind).search_ms());
                let points: Vec<_> = rows.iter().map(point).collect();
                (format!("{family}, {name}"), points)
            })
        });
        let lines: Vec<_> = lines.collect();
        let series = lines.iter().map(|(name, points)| Series {
            name,
            joined: true,
            points,
        });
        let guides = [(1e-7, "0.1 ns an edge"), (1e-6, "1 ns"), (1e-5, "10 ns")];
        write_points(
            out,
            &Points {
                title: &self.title("Models of growing size"),
                x: "edges",
                y: "ms",
                series: &series.collect::<Vec<_>>(),
                guides: &guides,
            },
        )
    }

    fn title(&self, what: &str) -> String {
        format!("{what}, {}", self.device)
    }
}

/// What is known of a model; times are milliseconds.
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
