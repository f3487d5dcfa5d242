//! `--device auto` for graphs that the CPU is expected to search sooner. A sample of the edges does
//! not always tell how long that takes. So if the CPU takes longer than expected, or a GPU may be
//! faster, a GPU searches the same graph at the same time. The device that finishes first stops the
//! other one.

use super::task::Task;
use crate::device::observer::RunObserver;
use crate::device::rival::{Rival, RivalState, Winner};
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
    state: &RivalState,
) -> Result<(Components, RunObserver), Error> {
    let observer = RunObserver::new(false, wants_work);
    let watched = RivalObserver {
        run: &observer,
        states: task.graph.num_states() as u64,
        is_left_to_host: AtomicBool::new(false),
        state,
    };
    let found = task.on_gpu(options, &watched)?;
    Ok((found, observer))
}

/// Searches by `cpu` and, if it takes longer than this, by `gpu` too. If the GPU fails, the CPU
/// finishes the search.
///
/// # Errors
/// Those of `cpu`.
pub(super) fn race<C, G, E: std::fmt::Display>(
    alone: Duration,
    observer: &dyn Observer,
    gpu: impl FnOnce(&RivalState) -> Result<G, E> + Send + 'static,
    cpu: impl FnOnce(&dyn Observer) -> Result<C, Error>,
) -> Result<Winner<C, G>, Error>
where
    G: Send + 'static,
{
    let work = |state: &RivalState| {
        tracing::debug!("a GPU begins beside the CPU");
        gpu(state).inspect_err(|error| tracing::debug!("decomposing on a GPU: {error}"))
    };
    let race = Race {
        own: observer,
        rival: Rival::after(alone, work),
    };
    let found = cpu(&race);
    let is_overtaken = found.is_err() && race.rival.is_done() && !observer.is_cancelled();
    if is_overtaken && let Some(Ok(found)) = race.rival.wait(|| !observer.is_cancelled()) {
        return Ok(Winner::Gpu(found));
    }
    race.rival.stop();
    found.map(Winner::Cpu)
}

/// The observer of the CPU, which starts the GPU.
struct Race<'a, G> {
    own: &'a dyn Observer,
    rival: Rival<G>,
}

impl<G: Send + 'static> Observer for Race<'_, G> {
    fn phase(&self, phase: Phase) {
        self.own.phase(phase);
    }

    fn progress(&self, done: u64, total: u64) {
        self.own.progress(done, total);
    }

    fn is_cancelled(&self) -> bool {
        self.rival.poll();
        self.own.is_cancelled() || self.rival.is_done()
    }
}

/// The observer of the GPU.
struct RivalObserver<'a> {
    run: &'a RunObserver,
    states: u64,
    /// Whether the GPU has left most of the graph to the CPU. Then the CPU is ahead.
    is_left_to_host: AtomicBool,
    state: &'a RivalState,
}

impl Observer for RivalObserver<'_> {
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
        self.state.is_stopped() || self.is_left_to_host.load(Relaxed)
    }
}

#[cfg(test)]
mod tests;
