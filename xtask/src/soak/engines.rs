//! The engines, and whether their answers are right.

use super::arguments::Arguments;
use super::models::Drawn;
use super::tally::{Tally, Verdict};
use super::variants::{self, Kind, THREADS, Variant};
use crate::rng::Rng;
use decompose::gpu::worklist::{Tuning, WorklistGraph};
use decompose::gpu::{GpuOptions, HostGraph};
use decompose::{ComponentSearch, Device, Error, Observer, Options};
use gpu::{Gpu, Request};
use mdp_graph::{Components, Digraph, MdpGraph};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// The time to wait for an engine that is allowed to take too long.
const SHORT_TIME_LIMIT: Duration = Duration::from_secs(20);

/// A failure.
pub(super) struct Failure {
    pub(super) what: String,
    /// The engine and its options.
    pub(super) how: String,
    /// The equivalent options of `maxend decompose`.
    flags: String,
}

impl Failure {
    /// Returns a command that performs almost the same search, but with the default tuning.
    pub(super) fn command(&self, model: &Path) -> String {
        format!(
            "maxend decompose {} --deadlocks keep {} --certify",
            model.display(),
            self.flags
        )
    }
}

/// The engines.
pub(super) struct Engines {
    gpu: Option<Gpu>,
    pools: Vec<rayon::ThreadPool>,
    adapter: Option<String>,
    repeat: u32,
    time_limit: Duration,
}

/// An observer that stops a search after a time, and asks for its work if `counts`.
struct TimeLimit {
    end: Instant,
    counts: bool,
}

impl Observer for TimeLimit {
    fn is_cancelled(&self) -> bool {
        Instant::now() >= self.end
    }

    fn wants_work(&self) -> bool {
        self.counts
    }
}

impl Engines {
    /// Opens the devices that the arguments ask for.
    ///
    /// # Errors
    /// If there is no such adapter.
    pub(super) fn open(arguments: &Arguments) -> Result<Self, Box<dyn std::error::Error>> {
        let request = Request {
            name: arguments.adapter.clone(),
            ..Request::any()
        };
        let gpu = match arguments.cpu_only {
            true => None,
            false => Some(Gpu::open(&request)?),
        };
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Self {
            gpu,
            pools: THREADS.into_iter().map(pool).collect::<Result<_, _>>()?,
            adapter: arguments.adapter.clone(),
            repeat: arguments.repeat.max(1),
            time_limit: Duration::from_secs(arguments.time_limit.max(1)),
        })
    }

    pub(super) fn names(&self) -> String {
        let gpu = self
            .gpu
            .as_ref()
            .map_or_else(|| "no GPU".to_owned(), |gpu| gpu.info().to_string());
        format!(
            "the CPU with up to {} threads, {gpu}",
            THREADS[THREADS.len() - 1]
        )
    }

    /// Returns the option that names the adapter, as it was given.
    pub(super) fn named_adapter(&self) -> String {
        self.adapter
            .as_ref()
            .map_or_else(String::new, |name| format!(" --adapter '{name}'"))
    }

    /// Searches in several ways, and compares the results with the result of the first way.
    pub(super) fn compare(
        &self,
        drawn: &Drawn,
        kind: Kind,
        rng: &mut Rng,
        tally: &mut Tally,
        report: &mut dyn FnMut(Failure),
    ) {
        let graph = &drawn.graph;
        let variants = variants::draw(rng, graph, kind, self.gpu.is_some());
        let mut expected = None;
        for variant in &variants {
            let runs = if variant.is_on_gpu() { self.repeat } else { 1 };
            for run in 1..=runs {
                let start = Instant::now();
                let found = self.search(graph, kind, variant);
                let (engine, took) = (variant.engine(kind), start.elapsed());
                if matches!(found, Found::NoRoom) {
                    break;
                }
                let is_late = matches!(found, Found::Late);
                if is_late && variant.may_be_late() {
                    tally.run(&engine, Verdict::GivenUp, took);
                    break;
                }
                let judged = found.judge(graph, expected.as_ref(), took);
                tally.run(
                    &engine,
                    judged.as_ref().map_or(Verdict::Wrong, |_| Verdict::Right),
                    took,
                );
                match judged {
                    Ok(answer) => expected = expected.or(Some(answer)),
                    Err(what) => report(Failure {
                        what: format!("{what} (run {run} of {runs})"),
                        how: format!("{engine}{}", variant.description()),
                        flags: format!("{}{}", variant.flags(kind), self.named_adapter()),
                    }),
                }
                if is_late || expected.is_none() {
                    break;
                }
            }
            let Some(right) = &expected else { return };
            if !variant.is_on_gpu() {
                check_certifier(graph, right, kind, rng, tally, report);
            }
        }
    }

    fn search(&self, graph: &MdpGraph, kind: Kind, variant: &Variant) -> Found {
        let searched = catch_unwind(AssertUnwindSafe(|| self.try_search(graph, kind, variant)));
        match searched {
            Ok(Ok(found)) => Found::Answer(Box::new(found)),
            Ok(Err(Error::Cancelled)) => Found::Late,
            Ok(Err(Error::Layout(_))) => Found::NoRoom,
            Ok(Err(error)) => Found::Failed(format!("an error: {error}")),
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
                Found::Failed(format!("a panic: {}", said.unwrap_or("without a message")))
            }
        }
    }

    fn try_search(
        &self,
        graph: &MdpGraph,
        kind: Kind,
        variant: &Variant,
    ) -> Result<Components, Error> {
        let time_limit = match variant.may_be_late() {
            true => self.time_limit.min(SHORT_TIME_LIMIT),
            false => self.time_limit,
        };
        let observer = TimeLimit {
            end: Instant::now() + time_limit,
            counts: matches!(variant, Variant::Fast { counts: true, .. }),
        };
        let search = |search, device| {
            let options = Options {
                search,
                device,
                observer: &observer,
            };
            decompose::decompose(graph, kind.into(), &options)
        };
        match (variant, &self.gpu) {
            (Variant::Cpu { pool, search: by }, _) => {
                self.pools[*pool].install(|| search(*by, Device::Cpu))
            }
            (
                Variant::Fast {
                    tuning: None,
                    options,
                    ..
                },
                Some(gpu),
            ) => search(ComponentSearch::Auto, on_gpu(gpu, options)),
            (
                Variant::Fast {
                    tuning: Some(tuning),
                    options,
                    ..
                },
                Some(gpu),
            ) => tuned(gpu, graph, kind, tuning, options, &observer),
            (
                Variant::Papers {
                    search: by,
                    options,
                },
                Some(gpu),
            ) => search(*by, on_gpu(gpu, options)),
            (_, None) => search(ComponentSearch::Auto, Device::Cpu),
        }
    }
}

/// The result of a search.
enum Found {
    Answer(Box<Components>),
    Failed(String),
    /// Shards of the requested size are too small for a row.
    NoRoom,
    Late,
}

/// Returns an open device, and the options of a search on it.
fn on_gpu(gpu: &Gpu, options: &GpuOptions) -> Device {
    Device::Gpu {
        options: options.clone(),
        open: Some(gpu.clone()),
    }
}

fn tuned(
    gpu: &Gpu,
    graph: &MdpGraph,
    kind: Kind,
    tuning: &Tuning,
    options: &GpuOptions,
    observer: &dyn Observer,
) -> Result<Components, Error> {
    match kind {
        Kind::Sccs => {
            let digraph = Digraph::new(graph);
            let mut loaded = WorklistGraph::load(gpu, HostGraph::Edges(&digraph), options)?;
            loaded.tune(tuning)?;
            Ok(Components::from_scc_marks(
                graph,
                loaded.find_components(observer)?.0,
            ))
        }
        Kind::Mecs => {
            let mut loaded = WorklistGraph::load(gpu, HostGraph::Choices(graph), options)?;
            loaded.tune(tuning)?;
            Ok(Components::from_mec_marks(
                loaded.find_components(observer)?.0,
            ))
        }
    }
}

impl Found {
    /// Returns the answer, or an error if it is wrong. The first answer for a model has to be
    /// certified, and the others are compared with it.
    fn judge(
        self,
        graph: &MdpGraph,
        expected: Option<&Components>,
        took: Duration,
    ) -> Result<Components, String> {
        let found = match self {
            Self::Answer(found) => *found,
            Self::Failed(what) => return Err(what),
            Self::NoRoom | Self::Late => {
                return Err(format!("no answer after {:.0} s", took.as_secs_f64()));
            }
        };
        let certified = || certify::certify(graph, &found);
        match expected {
            None => certified()
                .map_err(|violation| format!("the CPU's answer is not certified: {violation}"))?,
            Some(expected) if found == *expected => {}
            Some(_) => {
                return Err(match certified() {
                    Err(violation) => format!("a wrong answer: {violation}"),
                    Ok(()) => "another answer than the CPU's, and certified".to_owned(),
                });
            }
        }
        Ok(found)
    }
}

/// Checks that the certifier rejects a wrong answer.
fn check_certifier(
    graph: &MdpGraph,
    right: &Components,
    kind: Kind,
    rng: &mut Rng,
    tally: &mut Tally,
    report: &mut dyn FnMut(Failure),
) {
    let Some(falsified) = falsified(graph, right, kind, rng) else {
        return;
    };
    let start = Instant::now();
    let is_accepted = falsified != *right && certify::certify(graph, &falsified).is_ok();
    let verdict = if is_accepted {
        Verdict::Wrong
    } else {
        Verdict::Right
    };
    tally.run(
        &format!("{} certifier", kind.name()),
        verdict,
        start.elapsed(),
    );
    if is_accepted {
        report(Failure {
            what: "a wrong answer is certified".to_owned(),
            how: format!("{} certifier", kind.name()),
            flags: format!("--components {}", kind.name()),
        });
    }
}

/// Returns the answer with one state moved to another component.
fn falsified(
    graph: &MdpGraph,
    right: &Components,
    kind: Kind,
    rng: &mut Rng,
) -> Option<Components> {
    let n = graph.num_states() as u32;
    let label = |state| {
        right
            .smallest_of(state)
            .map_or(Components::NONE, |first| first.0)
    };
    let mut marks: Vec<u32> = graph.states().map(label).collect();
    let state = rng.below(n) as usize;
    let other = *marks.get(rng.below(n) as usize)?;
    marks[state] = match rng.below(3) {
        0 if kind == Kind::Mecs => Components::NONE,
        1 => state as u32,
        _ => other,
    };
    match kind {
        Kind::Sccs => Some(Components::from_scc_marks(graph, marks)),
        Kind::Mecs => Some(Components::from_mec_marks(marks)),
    }
}
