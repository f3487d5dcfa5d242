//! `--device auto` for graphs that the CPU is expected to search sooner. A sample of the edges does
//! not always tell how long that takes. So if the CPU takes longer than expected, or a GPU may be
//! faster, a GPU searches the same graph at the same time. The device that finishes first stops the
//! other one.

use super::task::Task;
use crate::device::observer::RunObserver;
use crate::device::race::{Race, Rival, Winner};
use decompose::gpu::GpuOptions;
use decompose::{Error, Observer, Phase, Work};
use mdp_graph::Components;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Performs the task on a GPU. Returns the observer too, which knows the device and the phases. If
/// `wants_work`, the GPU reports its work.
pub(super) fn on_gpu(
    task: &Task,
    options: GpuOptions,
    wants_work: bool,
    rival: &Rival,
) -> Result<(Components, RunObserver), Error> {
    let observer = RunObserver::new(false, wants_work);
    let watched = GpuObserver {
        run: &observer,
        states: task.graph.num_states() as u64,
        is_left_to_host: AtomicBool::new(false),
        rival,
    };
    let found = task.on_gpu(options, &watched)?;
    Ok((found, observer))
}

/// Searches by `cpu` and, if it takes longer than this, by `gpu` too. If the GPU fails, the CPU
/// finishes the search; if the CPU fails, but the GPU has finished, the GPU's answer counts.
///
/// # Errors
/// Those of `cpu`.
pub(super) fn race<C, G, E: std::fmt::Display>(
    alone: Duration,
    observer: &dyn Observer,
    gpu: impl FnOnce(&Rival) -> Result<G, E> + Send + 'static,
    cpu: impl Fn(&dyn Observer) -> Result<C, Error>,
) -> Result<Winner<C, G>, Error>
where
    G: Send + 'static,
{
    let race = Race::after(alone, "decomposing", gpu);
    let watched = CpuObserver {
        own: observer,
        race: &race,
    };
    race.run(
        || cpu(&watched),
        || !observer.is_cancelled(),
        // The CPU is overtaken only by a GPU that has finished, so this is never called.
        || cpu(observer),
    )
}

/// The observer of the CPU, which starts the GPU.
struct CpuObserver<'a, G> {
    own: &'a dyn Observer,
    race: &'a Race<G>,
}

impl<G: Send + 'static> Observer for CpuObserver<'_, G> {
    fn phase(&self, phase: Phase) {
        self.own.phase(phase);
    }

    fn progress(&self, done: u64, total: u64) {
        self.own.progress(done, total);
    }

    fn is_cancelled(&self) -> bool {
        self.race.cpu_has_to_stop(|| false) || self.own.is_cancelled()
    }
}

/// The observer of the GPU.
struct GpuObserver<'a> {
    run: &'a RunObserver,
    states: u64,
    /// Whether the GPU has left most of the graph to the CPU. Then the CPU is ahead.
    is_left_to_host: AtomicBool,
    rival: &'a Rival,
}

impl Observer for GpuObserver<'_> {
    fn phase(&self, phase: Phase) {
        self.run.phase(phase);
    }

    fn device(&self, name: &str) {
        self.run.device(name);
    }

    fn moves(&self, bytes: u64) {
        self.run.moves(bytes);
    }

    fn left_to_host(&self, states: u64) {
        self.is_left_to_host
            .store(states > self.states / 4, Relaxed);
        self.run.left_to_host(states);
    }

    fn wants_work(&self) -> bool {
        self.run.wants_work()
    }

    fn work(&self, work: &Work) {
        Observer::work(self.run, work);
    }

    fn is_cancelled(&self) -> bool {
        self.rival.is_stopped() || self.is_left_to_host.load(Relaxed)
    }
}

#[cfg(test)]
mod tests;
