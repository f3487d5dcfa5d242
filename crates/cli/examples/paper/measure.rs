//! How long searches of a graph take, and whether they find what they should.

use crate::columns::{Column, Experiment, share_a_layout};
use decompose::gpu::worklist::{Profile, Tuning, WorklistGraph};
use decompose::gpu::{FbtGraph, FbtOptions, GpuOptions, HostGraph};
use decompose::{ComponentSearch, Error, Observer, Options, Phase, mec, scc};
use gpu::Gpu;
use mdp_graph::{ComponentKind, Components, Digraph, MdpGraph};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A device that has been idle takes its time to clock up; half a second is not always enough.
const WARM_UP: Duration = Duration::from_secs(2);

/// What the papers' engine takes is long beside that.
const WARM_UP_PAPERS: Duration = Duration::from_secs(1);

/// One that was busy until a moment ago is warm.
const STAY_WARM: Duration = Duration::from_millis(200);

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How often, and for how long.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    /// The runs whose median is taken, if none is long.
    pub(crate) runs: usize,
    /// A run that takes longer is broken off; runs that take longer together are fewer.
    pub(crate) limit: Duration,
    /// When no variant of the papers' begins any more.
    pub(crate) until: Option<Instant>,
}

/// What finds components: SCCs or MECs of one graph.
pub(crate) trait Searcher {
    /// A mark for each state.
    fn search(&self, observer: &dyn Observer) -> std::result::Result<Vec<u32>, Error>;
}

impl Searcher for WorklistGraph<'_> {
    fn search(&self, observer: &dyn Observer) -> std::result::Result<Vec<u32>, Error> {
        Ok(self.find_components(observer)?.0)
    }
}

/// The papers' engine, and how it is to search.
impl Searcher for (&FbtGraph, ComponentSearch) {
    fn search(&self, observer: &dyn Observer) -> std::result::Result<Vec<u32>, Error> {
        Ok(self.0.find_components(self.1, observer)?.0)
    }
}

/// The medians of some runs.
#[derive(Clone)]
pub(crate) struct Times {
    /// From a graph on the device until every state is in a component there, milliseconds.
    pub(crate) search_ms: f64,
    /// Until the host has the components' marks too.
    pub(crate) marks_ms: f64,
    /// The number of runs.
    pub(crate) runs: usize,
    /// What a search by the worklist engine took.
    pub(crate) profile: Option<Box<Profile>>,
}

/// What became of a measurement.
#[derive(Clone)]
pub(crate) enum Cell {
    Measured(Times),
    /// Its first run was broken off.
    Longer(Duration),
    /// It was not begun.
    NoTime,
    /// The device cannot.
    Failed(String),
}

impl Cell {
    /// Milliseconds of the search; no number, if it did not end.
    pub(crate) fn search_ms(&self) -> f64 {
        match self {
            Self::Measured(times) => times.search_ms,
            _ => f64::NAN,
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Measured(times) => write!(f, "{:.2}", times.search_ms),
            Self::Longer(limit) => write!(f, "over {:.0} s", limit.as_secs_f64()),
            Self::NoTime => f.write_str("no time left"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

/// Warms up, runs, and compares what every run finds with what it should.
fn measure(
    searcher: &dyn Searcher,
    budget: &Budget,
    warm_up: Duration,
    is_right: &dyn Fn(Vec<u32>) -> bool,
) -> Result<Cell> {
    let run = || -> Result<Option<(f64, f64, Vec<u32>)>> {
        let start = Instant::now();
        let watch = Watch::new(start, budget.limit);
        match searcher.search(&watch) {
            Ok(marks) => {
                let all = milliseconds(start.elapsed());
                Ok(Some((watch.searched()?, all, marks)))
            }
            Err(Error::Cancelled) => Ok(None),
            Err(error) => Err(error.into()),
        }
    };
    // The first compiles too, and while it does the device idles: it says nothing of what a run
    // takes.
    if run()?.is_none() {
        return Ok(Cell::Longer(budget.limit));
    }
    let start = Instant::now();
    let Some(second) = run()? else {
        return Ok(Cell::Longer(budget.limit));
    };
    let mut all = Vec::new();
    if start.elapsed() > budget.limit / 2 {
        all.push(second);
    } else {
        let start = Instant::now();
        while start.elapsed() < warm_up {
            run()?;
        }
    }
    let start = Instant::now();
    while all.is_empty() || (all.len() < budget.runs && start.elapsed() < budget.limit / 2) {
        let Some(next) = run()? else {
            return Ok(Cell::Longer(budget.limit));
        };
        all.push(next);
    }
    let column = |column: fn(&(f64, f64, Vec<u32>)) -> f64| median(all.iter().map(column));
    let times = Times {
        search_ms: column(|run| run.0),
        marks_ms: column(|run| run.1),
        runs: all.len(),
        profile: None,
    };
    // Not between the runs: the device would idle.
    let mut answers: Vec<Vec<u32>> = all.into_iter().map(|run| run.2).collect();
    answers.dedup();
    match answers.into_iter().all(is_right) {
        true => Ok(Cell::Measured(times)),
        false => Err("the components are not the CPU's".into()),
    }
}

/// Notes when the search has ended, and breaks it off if it takes too long.
struct Watch {
    start: Instant,
    limit: Duration,
    ended: Mutex<Instant>,
}

impl Watch {
    fn new(start: Instant, limit: Duration) -> Self {
        Self {
            start,
            limit,
            ended: Mutex::new(start),
        }
    }

    fn searched(&self) -> Result<f64> {
        let ended = *self.ended.lock().map_err(|_| "a watch broke")?;
        Ok(milliseconds(ended - self.start))
    }
}

impl Observer for Watch {
    fn phase(&self, phase: Phase) {
        if let (Phase::Download, Ok(mut ended)) = (phase, self.ended.lock()) {
            *ended = Instant::now();
        }
    }

    fn is_cancelled(&self) -> bool {
        self.start.elapsed() > self.limit
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A model with its components, as the CPU finds them.
pub(crate) struct Known {
    pub(crate) graph: MdpGraph,
    pub(crate) edges: Digraph,
    sccs: Components,
    mecs: Components,
    /// Milliseconds that finding SCCs and MECs took on the CPU, once.
    pub(crate) cpu_ms: [f64; 2],
}

impl Known {
    /// Searches on the CPU, and checks what it finds if asked to.
    pub(crate) fn new(graph: MdpGraph, certify: bool) -> Result<Self> {
        let start = Instant::now();
        let sccs = scc(&graph, &Options::default())?;
        let scc_ms = milliseconds(start.elapsed());
        let start = Instant::now();
        let mecs = mec(&graph, &Options::default())?;
        let cpu_ms = [scc_ms, milliseconds(start.elapsed())];
        if certify {
            certify::certify(&graph, &sccs)?;
            certify::certify(&graph, &mecs)?;
        }
        Ok(Self {
            edges: Digraph::new(&graph),
            graph,
            sccs,
            mecs,
            cpu_ms,
        })
    }

    /// Components by the worklist engine; tuned for the adapter, unless it is said how.
    pub(crate) fn by_worklist(
        &self,
        kind: ComponentKind,
        engine: &Gpu,
        tuning: Option<&Tuning>,
        budget: &Budget,
    ) -> Result<Cell> {
        let graph = match kind {
            ComponentKind::Mec => HostGraph::Choices(&self.graph),
            ComponentKind::Scc | ComponentKind::Bscc => HostGraph::Edges(&self.edges),
        };
        let mut loaded = WorklistGraph::load(engine, graph, &GpuOptions::default())?;
        if let Some(tuning) = tuning {
            loaded.tune(tuning)?;
        }
        let cell = measure(&loaded, budget, WARM_UP, &self.are(kind))?;
        with_profile(cell, || loaded.profile())
    }

    /// All columns of an experiment; `tell` hears of each.
    pub(crate) fn experiment(
        &self,
        engine: &Gpu,
        experiment: &Experiment,
        budget: &Budget,
        tell: &dyn Fn(&str, &Cell),
    ) -> Result<Vec<Cell>> {
        let mut on_device: Option<OnDevice> = None;
        let mut cells = Vec::new();
        for column in &experiment.columns {
            let is_late = budget.until.is_some_and(|until| Instant::now() > until);
            let cell = match (&column.options, is_late) {
                (_, true) => Cell::NoTime,
                (None, false) => self.on_cpu(experiment.kind, column.search, budget)?,
                (Some(options), false) => self.papers(
                    engine,
                    experiment.kind,
                    column,
                    options,
                    &mut on_device,
                    budget,
                )?,
            };
            tell(column.name, &cell);
            cells.push(cell);
        }
        Ok(cells)
    }

    /// By one thread of the CPU, once.
    fn on_cpu(
        &self,
        kind: ComponentKind,
        search: ComponentSearch,
        budget: &Budget,
    ) -> Result<Cell> {
        let start = Instant::now();
        let watch = Watch::new(start, budget.limit);
        let options = Options {
            search,
            observer: &watch,
            ..Options::default()
        };
        let found = match kind {
            ComponentKind::Scc | ComponentKind::Bscc => scc(&self.graph, &options),
            ComponentKind::Mec => mec(&self.graph, &options),
        };
        let took = milliseconds(start.elapsed());
        match found {
            Ok(components) if components == *self.expected(kind) => Ok(Cell::Measured(Times {
                search_ms: took,
                marks_ms: took,
                runs: 1,
                profile: None,
            })),
            Ok(_) => Err("two searches of the CPU's differ".into()),
            Err(Error::Cancelled) => Ok(Cell::Longer(budget.limit)),
            Err(error) => Err(error.into()),
        }
    }

    /// By the papers' engine, with the graph that the column before has left on the device if it
    /// will do.
    fn papers(
        &self,
        engine: &Gpu,
        kind: ComponentKind,
        column: &Column,
        options: &FbtOptions,
        on_device: &mut Option<OnDevice>,
        budget: &Budget,
    ) -> Result<Cell> {
        let held = on_device.take();
        let held = held.filter(|held| share_a_layout(&held.options, options));
        let warm_up = match held {
            Some(_) => STAY_WARM,
            None => WARM_UP_PAPERS,
        };
        let loaded = match held {
            Some(held) => Ok(held.searching(options)),
            None => OnDevice::load(self, engine, kind, options),
        };
        let loaded = match loaded {
            Ok(loaded) => on_device.insert(loaded),
            Err(Error::Cancelled) => return Err(Error::Cancelled.into()),
            Err(error) => return Ok(Cell::Failed(error.to_string())),
        };
        let searcher = (&loaded.graph, column.search);
        measure(&searcher, budget, warm_up, &self.are(kind))
    }

    fn expected(&self, kind: ComponentKind) -> &Components {
        match kind {
            ComponentKind::Scc | ComponentKind::Bscc => &self.sccs,
            ComponentKind::Mec => &self.mecs,
        }
    }

    /// Whether marks stand for the components of this kind.
    fn are(&self, kind: ComponentKind) -> impl Fn(Vec<u32>) -> bool {
        move |marks| {
            let found = match kind {
                ComponentKind::Scc | ComponentKind::Bscc => {
                    Components::from_scc_marks(&self.graph, marks)
                }
                ComponentKind::Mec => Components::from_mec_marks(marks),
            };
            found == *self.expected(kind)
        }
    }
}

fn with_profile(
    cell: Cell,
    profile: impl FnOnce() -> std::result::Result<Profile, Error>,
) -> Result<Cell> {
    match cell {
        Cell::Measured(times) => Ok(Cell::Measured(Times {
            profile: Some(Box::new(profile()?)),
            ..times
        })),
        other => Ok(other),
    }
}

/// A graph that the papers' engine holds.
struct OnDevice {
    options: FbtOptions,
    graph: FbtGraph,
}

impl OnDevice {
    fn load(
        known: &Known,
        engine: &Gpu,
        kind: ComponentKind,
        papers: &FbtOptions,
    ) -> std::result::Result<Self, Error> {
        let graph = match kind {
            ComponentKind::Scc | ComponentKind::Bscc => HostGraph::Edges(&known.edges),
            ComponentKind::Mec => HostGraph::Choices(&known.graph),
        };
        Ok(Self {
            options: *papers,
            graph: FbtGraph::load(engine, graph, &GpuOptions::from(*papers))?,
        })
    }

    fn searching(mut self, options: &FbtOptions) -> Self {
        self.graph.set_search_options(options);
        self
    }
}
