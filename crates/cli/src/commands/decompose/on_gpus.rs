//! Decomposes a graph on several GPUs: each has a worker, which owns a range of the states.

use super::answer::Answer;
use crate::args::{DecomposeArgs, Kind};
use crate::device::gpu_set::GpuSet;
use crate::device::observer::Span;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::interrupt;
use crate::progress::{Progress, Unit};
use ::cluster::{Net, WorkerFailure, mec, on_threads_until, part_of, scc};
use mdp_graph::{ComponentKind, Components, MdpGraph};
use report::Amount;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Decomposes a graph.
pub(super) fn decompose(
    graph: &Arc<MdpGraph>,
    args: &DecomposeArgs,
    gpus: &GpuSet,
    progress: Progress,
) -> Result<Answer, Error> {
    let kind = match args.components {
        Kind::Mec => ComponentKind::Mec,
        _ => ComponentKind::Scc,
    };
    let start = Instant::now();
    let (total, branches) = (graph.num_states() as u64, graph.num_branches() as u64);
    let done = Arc::new(AtomicU64::new(0));
    let work = || on_gpus(graph, kind, gpus, &done);
    let marks = progress.track("decomposing", Unit::States, total, &done, work)?;
    let found = match kind {
        ComponentKind::Mec => Components::from_mec_marks(marks),
        _ => Components::from_scc_marks(graph, marks),
    };
    let (components, sccs) = match args.components {
        Kind::Bscc => (found.only_bottom(graph), Some(found)),
        _ => (found, None),
    };
    Ok(Answer {
        components,
        sccs,
        device: gpus.name(),
        spans: vec![Span {
            name: "decompose",
            start,
            time: start.elapsed(),
            amount: Some(Amount::Branches(branches)),
        }],
        work: None,
        retaining: None,
    })
}

/// Returns the smallest state of the component of each state.
pub(super) fn on_gpus(
    graph: &Arc<MdpGraph>,
    kind: ComponentKind,
    gpus: &GpuSet,
    done: &Arc<AtomicU64>,
) -> Result<Vec<u32>, Error> {
    let (whole, gpus, done) = (Arc::clone(graph), gpus.clone(), Arc::clone(done));
    let workers = gpus.len();
    let work = move |net: &mut Net<'_>| {
        let total = whole.num_states() as u64;
        if net.me() == 0 {
            let done = Arc::clone(&done);
            net.observe(move |progress| {
                if let ::cluster::Progress::Decomposing { undecided, .. } = progress {
                    done.store(total.saturating_sub(*undecided), Ordering::Relaxed);
                }
            });
        }
        net.use_threads(GpuSet::threads(workers));
        let mut gpu = gpus.worker(net.me(), net.me());
        net.decompose_on(move |graph, kind| gpu.decompose(graph, kind));
        let part = part_of(&whole, 0, net)?;
        let labels = match kind {
            ComponentKind::Mec => mec(&part, net)?,
            _ => scc(&part, net)?,
        };
        let (own, supersteps) = (net.bytes_sent(), net.supersteps());
        let bytes = net.sum(own);
        if net.me() == 0 {
            let workers = net.workers();
            tracing::debug!(workers, bytes, supersteps, "exchanged");
        }
        let mark = |label: Option<u64>| label.map_or(Components::NONE, |label| label as u32);
        Ok(labels.iter().map(mark).collect::<Vec<u32>>())
    };
    let found =
        on_threads_until(workers, interrupt::flag(), work).map_err(|failure| lost(&failure))?;
    let found: Result<Vec<Vec<u32>>, ::cluster::Error> = found.into_iter().collect();
    let found = found.map_err(|error| match interrupt::is_cancelled() {
        true => Error::Cancelled,
        false => Error::wrong(error.to_string()),
    })?;
    Ok(found.concat())
}

/// Returns the error for lost workers. Other workers wait for them on separate threads.
fn lost(failure: &WorkerFailure) -> Error {
    interrupt::leave_behind();
    match failure {
        WorkerFailure::Cancelled => Error::Cancelled,
        failure => Error::Device(Box::new(Diagnostic::new(failure.to_string()))),
    }
}

#[cfg(test)]
mod tests;
