//! [`Compute`]: the threads and the device on which a worker does its own work.

use super::pool::{Pool, SharedPool};
use decompose::{Options, decompose};
use mdp_graph::{ComponentKind, Components, MdpGraph};
use std::sync::Arc;

/// A function that decomposes graphs on a device. It returns `None` for those that the CPU is to
/// decompose.
type Device<'w> =
    dyn FnMut(&MdpGraph, ComponentKind) -> Result<Option<Components>, decompose::Error> + 'w;

/// The threads and the device on which a worker does its own work.
pub(crate) struct Compute<'w> {
    device: Option<Box<Device<'w>>>,
    pool: Option<Arc<Pool>>,
    /// The pool that all workers of this process share. It is created when it is first needed.
    shared: SharedPool,
    /// The number of threads for this worker's own work.
    threads: usize,
}

impl<'w> Compute<'w> {
    pub(super) fn new(shared: SharedPool) -> Self {
        Self {
            device: None,
            pool: None,
            shared,
            threads: 1,
        }
    }

    pub(super) fn use_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
        self.pool = None;
    }

    pub(super) fn decompose_on(&mut self, device: Box<Device<'w>>) {
        self.device = Some(device);
    }

    /// Returns the threads for this worker's own work.
    pub(crate) fn pool(&mut self) -> Arc<Pool> {
        let start = || Arc::new(Pool::new(self.threads));
        Arc::clone(self.pool.get_or_insert_with(start))
    }

    /// Returns the threads of all workers of this process, for work that only few of them do at a
    /// time.
    pub(crate) fn shared_pool(&self) -> Arc<Pool> {
        self.shared.pool(self.threads)
    }

    /// Decomposes a graph that this worker made of its own part.
    pub(crate) fn decompose(
        &mut self,
        graph: &MdpGraph,
        kind: ComponentKind,
    ) -> Result<Components, decompose::Error> {
        self.decompose_with(Self::pool, graph, kind)
    }

    /// Decomposes a graph while all other workers wait: on the device, or else on the threads of
    /// all workers of this process.
    pub(crate) fn decompose_for_all(
        &mut self,
        graph: &MdpGraph,
        kind: ComponentKind,
    ) -> Result<Components, decompose::Error> {
        self.decompose_with(|compute| compute.shared_pool(), graph, kind)
    }

    /// Decomposes a graph on the device, if there is one that does it, or else on these threads,
    /// which are not started before.
    fn decompose_with(
        &mut self,
        threads: impl Fn(&mut Self) -> Arc<Pool>,
        graph: &MdpGraph,
        kind: ComponentKind,
    ) -> Result<Components, decompose::Error> {
        if let Some(device) = &mut self.device
            && let Some(components) = device(graph, kind)?
        {
            return Ok(components);
        }
        threads(self).run(|| decompose(graph, kind, &Options::default()))
    }
}
