//! Searches a graph for the components of the kind for which it was loaded, and reads the answer.

use super::driver::{FbtRun, Host, Statistics, find_sccs};
use super::mec::find_mecs;
use super::upload::FbtGraph;
use crate::{ComponentSearch, Error, Observer, Phase, Silent};
use ::gpu::PassTime;

impl FbtGraph {
    /// Searches for the components of the kind for which the graph was [loaded](FbtGraph::load).
    /// `search` names the algorithm that finds strongly connected components; a search for maximal
    /// end components consists of such searches.
    ///
    /// Returns for each state, by its number in the graph, a number that the states of its
    /// component share, or [`Components::NONE`](mdp_graph::Components::NONE) for a state that is in
    /// no maximal end component.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Gpu`] if the device fails; [`Error::Unsupported`] for a
    /// search of the CPU's.
    pub fn find_components(
        &self,
        search: ComponentSearch,
        observer: &dyn Observer,
    ) -> Result<(Vec<u32>, Statistics), Error> {
        let (marks, run) = self.find_measured(search, observer)?;
        Ok((marks, run.statistics))
    }

    /// As [`find_components`](Self::find_components), but returns the whole work of the device.
    pub(crate) fn find_measured(
        &self,
        search: ComponentSearch,
        observer: &dyn Observer,
    ) -> Result<(Vec<u32>, FbtRun), Error> {
        observer.phase(Phase::Decompose);
        let mut host = Host::new(self, observer);
        self.find(&mut host, search)?;
        let run = host.finish();
        observer.phase(Phase::Download);
        let marks = match &self.mecs {
            None => self.state.read_regions(&self.gpu)?,
            Some(state) => state.read_marks(&self.gpu, &self.state.results)?,
        };
        debug_assert!(self.is_restored()?, "pivot selection has changed the graph");
        Ok((self.in_old_order(&marks), run))
    }

    /// Returns the times of the kernels of a search on the device. The times of all dispatches of
    /// one kernel in one recording are added up. There are none if the adapter has no timestamps.
    /// Timing makes the search slower.
    ///
    /// # Errors
    /// As [`find_components`](Self::find_components).
    pub fn profile(&self, search: ComponentSearch) -> Result<Vec<PassTime>, Error> {
        let mut host = Host::new(self, &Silent);
        host.times = Some(Vec::new());
        self.find(&mut host, search)?;
        Ok(host.times.unwrap_or_default())
    }

    fn find<'a>(&'a self, host: &mut Host<'a>, search: ComponentSearch) -> Result<(), Error> {
        match &self.mecs {
            None => find_sccs(host, search),
            Some(state) => find_mecs(host, self, state, search),
        }
    }
}
