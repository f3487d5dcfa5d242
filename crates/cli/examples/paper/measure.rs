//! How long searches of a graph on the device take, and whether they find what they should.

use decompose::gpu::fast::{FastGraph, FastMdp, Profile, Tuning};
use decompose::gpu::{Engine, GpuOptions, Loaded};
use decompose::{Observer, Options, Phase, Search, Silent};
use mdp_graph::{Components, Digraph, MdpGraph};
use std::error::Error;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A device that has been idle takes its time to clock up; half a second is not always enough.
const WARM_UP: Duration = Duration::from_secs(2);

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What finds components: SCCs or MECs of one graph, which is on the device.
pub(crate) trait Searcher {
    /// A mark for each state.
    fn search(&self, observer: &dyn Observer) -> Result<(Vec<u32>, Option<Profile>)>;
}

impl Searcher for FastGraph {
    fn search(&self, observer: &dyn Observer) -> Result<(Vec<u32>, Option<Profile>)> {
        let (marks, profile) = self.sccs(observer)?;
        Ok((marks, Some(profile)))
    }
}

impl Searcher for FastMdp {
    fn search(&self, observer: &dyn Observer) -> Result<(Vec<u32>, Option<Profile>)> {
        let (marks, profile) = self.mecs(observer)?;
        Ok((marks, Some(profile)))
    }
}

/// The papers' engine.
impl Searcher for Loaded {
    fn search(&self, observer: &dyn Observer) -> Result<(Vec<u32>, Option<Profile>)> {
        Ok((self.sccs(Search::Fbt, observer)?.0, None))
    }
}

/// The medians of some runs.
pub(crate) struct Times {
    /// From a graph on the device until every state is in a component there, milliseconds.
    pub(crate) search_ms: f64,
    /// Until the host has the components' marks too.
    pub(crate) marks_ms: f64,
    /// What the last search took.
    pub(crate) profile: Option<Profile>,
}

/// Warms up, runs, and compares what every run finds with what it should.
pub(crate) fn measure(
    searcher: &dyn Searcher,
    runs: usize,
    name_marks: &dyn Fn(Vec<u32>) -> Components,
    expected: &Components,
) -> Result<Times> {
    // The first search compiles, and while it does the device idles.
    searcher.search(&Silent)?;
    let start = Instant::now();
    while start.elapsed() < WARM_UP {
        searcher.search(&Silent)?;
    }
    let (mut searches, mut all, mut last) = (Vec::new(), Vec::new(), None);
    let mut answers = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        let watch = Watch(Mutex::new(start));
        let (marks, profile) = searcher.search(&watch)?;
        all.push(milliseconds(start.elapsed()));
        let ended = *watch.0.lock().map_err(|_| "a watch broke")?;
        searches.push(milliseconds(ended - start));
        answers.push(marks);
        last = profile;
    }
    // Not between the runs: the device would idle.
    answers.dedup();
    for marks in answers {
        if name_marks(marks) != *expected {
            return Err("the components are not the CPU's".into());
        }
    }
    Ok(Times {
        search_ms: median(searches),
        marks_ms: median(all),
        profile: last,
    })
}

/// Notes when the search has ended.
struct Watch(Mutex<Instant>);

impl Observer for Watch {
    fn phase(&self, phase: Phase) {
        if let (Phase::Download, Ok(mut ended)) = (phase, self.0.lock()) {
            *ended = Instant::now();
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A model with its components, as the CPU finds them.
pub(crate) struct Known {
    pub(crate) graph: MdpGraph,
    pub(crate) edges: Digraph,
    pub(crate) sccs: Components,
    pub(crate) mecs: Components,
}

impl Known {
    /// Searches on the CPU, and checks what it finds if asked to.
    pub(crate) fn new(graph: MdpGraph, certify: bool) -> Result<Self> {
        let sccs = decompose::scc(&graph, &Options::default())?;
        let mecs = decompose::mec(&graph, &Options::default())?;
        if certify {
            certify::certify(&graph, &sccs)?;
            certify::certify(&graph, &mecs)?;
        }
        Ok(Self {
            edges: Digraph::new(&graph),
            graph,
            sccs,
            mecs,
        })
    }

    /// SCCs by the fast engine.
    pub(crate) fn sccs(&self, engine: &Engine, tuning: &Tuning, runs: usize) -> Result<Times> {
        let mut loaded = engine.load_fast(&self.edges, &GpuOptions::default())?;
        loaded.tune(tuning)?;
        let mut times = self.measure_sccs(&loaded, runs)?;
        times.profile = Some(loaded.profile()?);
        Ok(times)
    }

    /// MECs by the fast engine.
    pub(crate) fn mecs(&self, engine: &Engine, tuning: &Tuning, runs: usize) -> Result<Times> {
        let mut loaded = engine.load_fast_mdp(&self.graph, &GpuOptions::default())?;
        loaded.tune(tuning)?;
        let mut times = measure(&loaded, runs, &Components::from_mec_marks, &self.mecs)?;
        times.profile = Some(loaded.profile()?);
        Ok(times)
    }

    /// SCCs by the papers' engine, `F0,7`.
    pub(crate) fn papers(&self, engine: &Engine, runs: usize) -> Result<Times> {
        let loaded = engine.load(&self.edges, &GpuOptions::default())?;
        self.measure_sccs(&loaded, runs)
    }

    fn measure_sccs(&self, searcher: &dyn Searcher, runs: usize) -> Result<Times> {
        let named = |marks: Vec<u32>| Components::from_scc_marks(&self.graph, marks);
        measure(searcher, runs, &named, &self.sccs)
    }
}
