//! Plots, drawn from the record `paper.json`: after a measurement, or again from an old record.
//!
//! | file | shows |
//! | --- | --- |
//! | `sccs.svg`, `mecs.svg` | a bar for each tool, model by model |
//! | `table-1.svg`, … | a bar for each column of an experiment of the papers |
//! | `roofline.svg` | each time against the least that reading the graph takes |
//! | `scaling.svg` | time against edges, for families of models |

use super::Result;
use super::columns::{Experiment, experiments};
use mdp_graph::ComponentKind;
use report::{Bar, Bars, Points, Series, write_bars, write_points};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What the axis of a time says.
const MILLISECONDS: &str = "ms";

/// Draws all plots of a record into `folder`, which need not be there.
pub(crate) fn write(record: &Value, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let plots = Plots(record);
    let file = |name: &str, write: &dyn Fn(&mut dyn Write) -> io::Result<()>| -> Result<()> {
        let mut out = BufWriter::new(File::create(folder.join(name))?);
        write(&mut out)?;
        Ok(out.flush()?)
    };
    if !plots.models().is_empty() {
        file("sccs.svg", &|out| plots.sccs(out))?;
        file("mecs.svg", &|out| plots.mecs(out))?;
        file("roofline.svg", &|out| plots.roofline(out))?;
        for experiment in experiments(&[]) {
            if plots.has(&experiment) {
                let name = experiment.name.to_lowercase().replace(' ', "-");
                file(&format!("{name}.svg"), &|out| {
                    plots.experiment(out, &experiment)
                })?;
            }
        }
    }
    if !list(&record["growing"]).is_empty() {
        file("scaling.svg", &|out| plots.scaling(out))?;
    }
    Ok(())
}

/// A record, as `record.rs` writes it.
struct Plots<'a>(&'a Value);

impl Plots<'_> {
    fn models(&self) -> &[Value] {
        list(&self.0["models"])
    }

    fn title(&self, what: &str) -> String {
        format!("{what} on {}", text(&self.0["device"]))
    }

    fn sccs(&self, out: &mut dyn Write) -> io::Result<()> {
        let series = [
            "maxend, GPU",
            "ECL-SCC, GPU",
            "maxend, all cores",
            "scipy, one core",
        ];
        self.bars(out, "Time to find the SCCs", &series, |model| {
            vec![
                search(&model["scc"]),
                number(&model["peers"]["ecl_scc"]),
                number(&model["cpu"]["scc"]),
                number(&model["peers"]["scipy_scc"]),
            ]
        })
    }

    fn mecs(&self, out: &mut dyn Write) -> io::Result<()> {
        let series = ["maxend, GPU", "maxend, all cores", "Storm, one core"];
        self.bars(out, "Time to find the MECs", &series, |model| {
            vec![
                search(&model["mec"]),
                number(&model["cpu"]["mec"]),
                number(&model["peers"]["storm_mec"]),
            ]
        })
    }

    /// Whether the record has columns of an experiment.
    fn has(&self, experiment: &Experiment) -> bool {
        let mut models = self.models().iter();
        models.any(|model| !columns(model, experiment).is_empty())
    }

    /// The columns of an experiment beside that of the worklist engine.
    fn experiment(&self, out: &mut dyn Write, experiment: &Experiment) -> io::Result<()> {
        let first = self.models().iter().map(|model| columns(model, experiment));
        let names = first
            .max_by_key(|columns| columns.len())
            .unwrap_or_default();
        let names = names.iter().map(|column| text(&column["column"]));
        let series: Vec<&str> = ["maxend"].into_iter().chain(names).collect();
        let title = match experiment.kind {
            ComponentKind::Scc | ComponentKind::Bscc => {
                format!("{} of the papers: time to find the SCCs", experiment.name)
            }
            ComponentKind::Mec => {
                format!("{} of the papers: time to find the MECs", experiment.name)
            }
        };
        self.bars(out, &title, &series, |model| {
            let columns = columns(model, experiment).iter();
            let ours = [search(&model[field(experiment.kind)])].into_iter();
            ours.chain(columns.map(|column| search(&column["times"])))
                .collect()
        })
    }

    fn bars(
        &self,
        out: &mut dyn Write,
        title: &str,
        series: &[&str],
        group: impl Fn(&Value) -> Vec<Bar>,
    ) -> io::Result<()> {
        let models = self.models().iter();
        let groups: Vec<_> = models
            .map(|model| (text(&model["model"]), group(model)))
            .collect();
        let bars = Bars {
            title: &self.title(title),
            y: MILLISECONDS,
            series,
            groups: &groups,
        };
        write_bars(out, &bars)
    }

    fn roofline(&self, out: &mut dyn Write) -> io::Result<()> {
        let points = |time: &dyn Fn(&Value) -> f64, is_named: bool| -> Vec<(&str, f64, f64)> {
            let models = self.models().iter();
            let points = models.map(|model| {
                let name = if is_named { text(&model["model"]) } else { "" };
                (name, height(&number(&model["floor"])), time(model))
            });
            points.collect()
        };
        let sccs = points(&|model| height(&search(&model["scc"])), true);
        let mecs = points(&|model| height(&search(&model["mec"])), false);
        let papers = points(&papers_best, false);
        let mut series = vec![("SCCs", &sccs), ("MECs", &mecs)];
        if papers.iter().any(|(_, _, time)| time.is_finite()) {
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
            (100.0, "100 floors"),
            (1000.0, "1,000 floors"),
        ];
        let plot = Points {
            title: &self.title("Time to find components against the time to read the graph once,"),
            x: "floor: 8 bytes an edge and 12 a state at 4.2 TB/s, ms",
            y: MILLISECONDS,
            series: &series.collect::<Vec<_>>(),
            guides: &guides,
        };
        write_points(out, &plot)
    }

    fn scaling(&self, out: &mut dyn Write) -> io::Result<()> {
        let families = list(&self.0["growing"]).iter();
        let lines = families.flat_map(|family| {
            [("SCCs", "scc"), ("MECs", "mec")].map(|(name, field)| {
                let point = |model: &Value| {
                    let edges = height(&number(&model["edges"]));
                    ("", edges, height(&search(&model[field])))
                };
                let points: Vec<_> = list(&family["models"]).iter().map(point).collect();
                (format!("{}, {name}", text(&family["family"])), points)
            })
        });
        let lines: Vec<_> = lines.collect();
        let series = lines.iter().map(|(name, points)| Series {
            name,
            joined: true,
            points,
        });
        let guides = [
            (1e-7, "0.1 ns an edge"),
            (1e-6, "1 ns an edge"),
            (1e-5, "10 ns an edge"),
        ];
        let plot = Points {
            title: &self.title("Time to find components against edges, as models grow,"),
            x: "edges",
            y: MILLISECONDS,
            series: &series.collect::<Vec<_>>(),
            guides: &guides,
        };
        write_points(out, &plot)
    }
}

/// The least time in which the papers' engine finds the SCCs of a model on the GPU.
fn papers_best(model: &Value) -> f64 {
    let experiments = experiments(&[]).into_iter();
    let experiments = experiments.filter(|experiment| experiment.kind == ComponentKind::Scc);
    let times = experiments.flat_map(|experiment| {
        let on_gpu = |column: &&Value| {
            let mut known = experiment.columns.iter();
            known.any(|known| known.options.is_some() && known.name == text(&column["column"]))
        };
        let columns = columns(model, &experiment).iter().filter(on_gpu);
        let times = columns.map(|column| height(&search(&column["times"])));
        times.collect::<Vec<_>>()
    });
    times.fold(f64::NAN, f64::min)
}

/// The columns of an experiment that a model has.
fn columns<'a>(model: &'a Value, experiment: &Experiment) -> &'a [Value] {
    let mut papers = list(&model["papers"]).iter();
    let found = papers.find(|found| text(&found["experiment"]) == experiment.name);
    found.map_or(&[], |found| list(&found["columns"]))
}

fn field(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Scc | ComponentKind::Bscc => "scc",
        ComponentKind::Mec => "mec",
    }
}

/// The median of a search, or what became of it.
fn search(times: &Value) -> Bar {
    match times.as_str() {
        Some(reason) => Bar::Missing(reason.to_owned()),
        None => number(&times["search"]),
    }
}

fn number(value: &Value) -> Bar {
    let missing = || Bar::Missing("not measured".to_owned());
    value.as_f64().map_or_else(missing, Bar::Height)
}

/// The height of a bar; no number, if it is missing.
fn height(bar: &Bar) -> f64 {
    match bar {
        Bar::Height(height) => *height,
        Bar::Missing(_) => f64::NAN,
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
