//! Explores networks by the search of GPUexplore's paper, and checks the counts.

use gpu::Gpu;
use gpu_explore::paper::{Paper, Table, count};
use gpu_explore::{Counts, Error, Options};

use super::corner_cases::MAX_WAYS;
use super::{Explored, System};
use crate::verify::trial::WRONG_ANSWER;

impl Explored {
    /// Counts the states of a network by the paper's search, with options that depend on the seed,
    /// and compares the counts with those of a search on the host.
    pub(super) fn check_by_paper(&self, gpu: &Gpu, options: &Options<'_>) -> Result<(), String> {
        let System::Network(network) = &self.system else {
            return Ok(());
        };
        let found = explore::explore(&**network, &options.explore);
        let found = found.map_err(|error| error.to_string())?;
        let counted = count(gpu, network, options, &paper(self.seed));
        let too_many = self.setup.ways.filter(|ways| *ways > MAX_WAYS);
        match (counted, too_many) {
            (Ok(counted), None) if counted.counts == Counts::of(&found) => Ok(()),
            (Err(Error::TooManySuccessors { count, .. }), Some(ways))
                if count == u64::from(ways) =>
            {
                Ok(())
            }
            (Err(error), _) => Err(format!("by the paper's search: {error}")),
            (Ok(_), _) => Err(format!("by the paper's search: {WRONG_ANSWER}")),
        }
    }
}

/// Returns the options of the paper's search that a seed chooses.
fn paper(seed: u64) -> Paper {
    Paper {
        table: match seed % 2 {
            0 => Table::Double,
            _ => Table::Cuckoo,
        },
        local_cache: (seed / 2).is_multiple_of(2),
        forwarding: (seed / 4).is_multiple_of(2),
        iterations: 1 + seed as u32 % 3,
    }
}
