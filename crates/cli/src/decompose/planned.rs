//! Decomposes a graph on the device that the command line asks for, or on the one that is expected
//! to be faster; and on both if that one takes longer than expected.

use super::answer::{Answer, device_of};
use super::race;
use crate::args::{DecomposeArgs, Kind};
use crate::auto_device::Verdict;
use crate::device::{Job, Plan};
use crate::error::Error;
use crate::interrupt;
use crate::observer::RunObserver;
use crate::prewarm::Prewarm;
use crate::progress::{Progress, Unit};
use crate::rival::{RivalState, Winner};
use decompose::gpu::{GpuDevice, GpuOptions};
use decompose::{Device, Observer as _, Options};
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
    let search = Search {
        graph,
        kind,
        search: args.search.into(),
        gpu_options: plan.gpu().cloned().unwrap_or_default(),
        prewarm,
        observer: &observer,
        overdue: Cell::new(None),
    };
    let mut attempt = |device| search.attempt(device);
    let branches = graph.num_branches() as u64;
    let wrong = |error: &decompose::Error| Error::wrong(error.to_string());
    let verdict = || search.verdict();
    let work = || plan.carry_out(Job::DECOMPOSE, verdict, &mut attempt, &wrong);
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
        work: observer.work(),
        retaining: None,
    })
}

/// A search for the components of a graph, on one device after another until one succeeds.
struct Search<'a> {
    graph: &'a Arc<MdpGraph>,
    kind: ComponentKind,
    search: decompose::Search,
    /// How to use a GPU.
    gpu_options: GpuOptions,
    prewarm: &'a Arc<Prewarm>,
    observer: &'a RunObserver,
    /// The time after which a GPU searches beside the CPU, if one may.
    overdue: Cell<Option<Duration>>,
}

impl Search<'_> {
    /// Who is expected to be faster.
    fn verdict(&self) -> Verdict {
        let verdict = self.prewarm.verdict(self.graph);
        if !verdict.takes_gpu {
            self.overdue.set(verdict.overdue);
        }
        verdict
    }

    fn attempt(&self, device: Device) -> Result<Components, decompose::Error> {
        self.observer.start_over();
        match (device, self.overdue.get()) {
            (Device::Gpu(GpuDevice { options, .. }), _) => interrupt::while_in_driver(|| {
                self.observer.phase(decompose::Phase::Open);
                let context = Some(self.prewarm.context(&options, self.observer)?);
                self.on(Device::Gpu(GpuDevice { options, context }), self.observer)
            }),
            (device, None) => self.on(device, self.observer),
            (device, Some(overdue)) => self.on_cpu_or_overdue(device, overdue),
        }
    }

    /// Searches on the CPU, and on a GPU too if that takes longer than this.
    fn on_cpu_or_overdue(
        &self,
        cpu: Device,
        overdue: Duration,
    ) -> Result<Components, decompose::Error> {
        let gpu = race::OnGpu {
            graph: Arc::clone(self.graph),
            kind: self.kind,
            search: self.search,
            options: self.gpu_options.clone(),
            prewarm: Arc::clone(self.prewarm),
            wants_work: self.observer.wants_work(),
        };
        let gpu = |state: &RivalState| gpu.search(state);
        let cpu = |observer: &dyn decompose::Observer| self.on(cpu, observer);
        match race::race(overdue, self.observer, gpu, cpu)? {
            Winner::Cpu(found) => Ok(found),
            Winner::Gpu((found, observer)) => {
                self.observer.overtaken_by(&observer);
                Ok(found)
            }
        }
    }

    fn on(
        &self,
        device: Device,
        observer: &dyn decompose::Observer,
    ) -> Result<Components, decompose::Error> {
        let options = Options {
            search: self.search,
            device,
            observer,
        };
        decompose::decompose(self.graph, self.kind, &options)
    }
}
