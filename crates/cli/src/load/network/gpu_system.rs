//! A network as a system that a GPU explores.

use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::load::on_devices::{Fault, GpuSystem, Stuck};
use explore::Options;
use gpu_explore::Model;
use lts_network::Network;

impl GpuSystem for Network {
    const HAS_DETAILS: bool = true;

    fn with_model<T>(
        &self,
        _: &Options<'_>,
        explore: impl FnOnce(Model<'_>) -> Result<T, gpu_explore::Error>,
    ) -> Result<T, Stuck> {
        Ok(explore(Model::Network(self))?)
    }

    fn without_gpu(&self, error: gpu_explore::Error) -> Result<String, Fault<Self>> {
        Err(fault(error))
    }
}

/// Returns the error for a GPU that could not explore a network, with hints.
pub(super) fn fault(error: gpu_explore::Error) -> Fault<Network> {
    use gpu_explore::Error as E;
    let diagnostic = Diagnostic::new(error.to_string());
    let diagnostic = match error {
        E::Ended(error) => return error.into(),
        E::Gpu(gpu::Error::NoAdapter { .. }) => diagnostic,
        E::Paper { .. } => diagnostic.note("without `--search paper` it is explored"),
        _ => diagnostic.note("`--device cpu` explores the network in the memory of the host"),
    };
    Fault::Device(Error::Device(Box::new(diagnostic)))
}
