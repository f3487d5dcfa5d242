//! [`Task`]: a graph that is to be decomposed, on either device.

use crate::device::prewarm::Prewarm;
use crate::interrupt;
use decompose::gpu::GpuOptions;
use decompose::{ComponentSearch, Device, Error, Observer, Options, Phase};
use mdp_graph::{ComponentKind, Components, MdpGraph};
use std::sync::Arc;

/// A graph, and the kind of components to be found in it. A clone shares the graph, for use on
/// another thread.
#[derive(Clone)]
pub(super) struct Task {
    pub(super) graph: Arc<MdpGraph>,
    pub(super) kind: ComponentKind,
    pub(super) search: ComponentSearch,
    pub(super) prewarm: Arc<Prewarm>,
}

impl Task {
    pub(super) fn on_cpu(&self, observer: &dyn Observer) -> Result<Components, Error> {
        self.on(Device::Cpu, observer)
    }

    /// Performs the task on the GPU that was opened in the background, or is opened now.
    pub(super) fn on_gpu(
        &self,
        options: GpuOptions,
        observer: &dyn Observer,
    ) -> Result<Components, Error> {
        interrupt::while_in_driver(|| {
            observer.phase(Phase::Open);
            let open = Some(self.prewarm.for_decomposition(&options, observer)?);
            self.on(Device::Gpu { options, open }, observer)
        })
    }

    fn on(&self, device: Device, observer: &dyn Observer) -> Result<Components, Error> {
        let options = Options {
            search: self.search,
            device,
            observer,
        };
        decompose::decompose(&self.graph, self.kind, &options)
    }
}
