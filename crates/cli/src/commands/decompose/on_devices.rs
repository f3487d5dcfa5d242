//! Decomposes a graph on the device that the command line asks for, or on the one that is expected
//! to be faster; if that is the CPU, and it takes longer than expected or a GPU may be faster, on a
//! GPU too.

use super::answer::{Answer, device_of, search_of};
use super::decomposition_race;
use super::task::Task;
use crate::args::{DecomposeArgs, DecomposeSearch, Kind};
use crate::device::auto_device::Verdict;
use crate::device::observer::RunObserver;
use crate::device::prewarm::Prewarm;
use crate::device::race::{Rival, Winner};
use crate::device::{Job, JobObserver as _, Plan};
use crate::error::Error;
use crate::progress::{Progress, Unit};
use decompose::gpu::GpuOptions;
use decompose::{Device, Observer as _};
use mdp_graph::{ComponentKind, Components, MdpGraph};
use report::Amount;
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

/// Decomposes a graph on the devices of the plan.
pub(super) fn decompose(
    graph: &Arc<MdpGraph>,
    args: &DecomposeArgs,
    plan: Plan,
    prewarm: &Arc<Prewarm>,
    progress: Progress,
) -> Result<Answer, Error> {
    let is_timed = args.profile || args.trace.is_some();
    let observer = RunObserver::new(matches!(plan, Plan::Auto(_)), is_timed);
    // A certificate of bottom components needs all components.
    let kind = match args.components.into() {
        ComponentKind::Bscc if args.certify => ComponentKind::Scc,
        kind => kind,
    };
    let plan = match search_of(args) {
        DecomposeSearch::Auto => plan.for_graph(graph),
        _ => plan,
    };
    let task = Task {
        graph: Arc::clone(graph),
        kind,
        search: args.search.into(),
        prewarm: Arc::clone(prewarm),
    };
    let search = DeviceSearch {
        task,
        gpu_options: plan.gpu().cloned().unwrap_or_default(),
        observer: &observer,
        overdue: Cell::new(None),
    };
    let mut attempt = |device| search.attempt(device);
    let branches = graph.num_branches() as u64;
    let wrong = |error: &decompose::Error| Error::wrong(error.to_string());
    let verdict = || search.verdict();
    let work = || plan.run(Job::DECOMPOSE, verdict, &mut attempt, &wrong);
    let total = graph.num_states() as u64;
    let found = progress.track("decomposing", Unit::States, total, &observer.done, work)?;
    prewarm.close();
    let (components, sccs) = match (args.components, found.kind()) {
        (Kind::Bscc, ComponentKind::Scc) => (found.only_bottom(graph), Some(found)),
        _ => (found, None),
    };
    let mut spans = observer.finish();
    for span in spans.iter_mut().filter(|span| span.name == "decompose") {
        span.amount = Some(Amount::Branches(branches));
    }
    Ok(Answer {
        components,
        sccs,
        device: device_of(&observer, total),
        spans,
        work: observer.take_work(),
        retaining: None,
    })
}

/// A search for the components of a graph, which tries devices until one succeeds.
struct DeviceSearch<'a> {
    task: Task,
    /// The options of a search on a GPU.
    gpu_options: GpuOptions,
    observer: &'a RunObserver,
    /// The time after which a GPU searches beside the CPU, if one may.
    overdue: Cell<Option<Duration>>,
}

impl DeviceSearch<'_> {
    /// Returns the device that is expected to be faster.
    fn verdict(&self) -> Verdict {
        let verdict = self.task.prewarm.verdict(&self.task.graph);
        if !verdict.takes_gpu {
            self.overdue.set(verdict.overdue);
        }
        verdict
    }

    fn attempt(&self, device: Device) -> Result<Components, decompose::Error> {
        self.observer.start_over();
        match (device, self.overdue.get()) {
            (Device::Gpu { options, .. }, _) => self.task.on_gpu(options, self.observer),
            (_, None) => self.task.on_cpu(self.observer),
            (_, Some(overdue)) => self.on_cpu_or_overdue(overdue),
        }
    }

    /// Searches on the CPU, and also on a GPU if the CPU takes longer than this.
    fn on_cpu_or_overdue(&self, overdue: Duration) -> Result<Components, decompose::Error> {
        let (task, options) = (self.task.clone(), self.gpu_options.clone());
        let wants_work = self.observer.wants_work();
        let gpu =
            move |rival: &Rival| decomposition_race::on_gpu(&task, options, wants_work, rival);
        let cpu = |observer: &dyn decompose::Observer| self.task.on_cpu(observer);
        match decomposition_race::race(overdue, self.observer, gpu, cpu)? {
            Winner::Cpu(found) => Ok(found),
            Winner::Gpu((found, observer)) => {
                self.observer.overtaken_by(&observer);
                Ok(found)
            }
        }
    }
}
