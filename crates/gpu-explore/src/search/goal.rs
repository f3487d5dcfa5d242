//! Searches with a goal: the device stops where rows are to be taken, and the host looks at what is
//! new.

use super::{Rows, Search, Stopped};
use crate::Error;
use gpu::kernels::ExploreParams;
use gpu::kernels::explore as kernels;

impl Search<'_> {
    /// Looks at what is new, if there is a goal. Whether it is met. The host has all rows.
    pub(super) fn is_met(&mut self) -> Result<bool, Error> {
        let Some(looks) = &mut self.looks else {
            return Ok(false);
        };
        if looks.needs_states() {
            let mut states = std::mem::take(&mut looks.states);
            self.take_states(&mut states)?;
            if let Some(looks) = &mut self.looks {
                looks.states = states;
            }
        }
        Ok(match (&mut self.looks, &self.rows) {
            (Some(looks), Rows::Host(rows)) => looks.is_met(&self.reached, rows, self.deadlocks),
            _ => false,
        })
    }

    /// After a batch has failed with an error: the next one is shorter, so that states before the
    /// one to blame come first. If there are none, that is the error.
    pub(super) fn shorten(&mut self, stopped: &Stopped, error: Error) -> Result<(), Error> {
        let begin = stopped.at(kernels::END);
        let last = self.looks.as_ref().and_then(|looks| looks.tried);
        let size = match (&error, last) {
            (Error::Broken { state, .. }, _) => u64::from(state.0) - begin,
            // The device has raised its own limit since.
            (_, Some((first, size))) if first == begin => size / 2,
            _ => stopped.at(kernels::LIMIT).min(self.reached.states - begin) / 2,
        };
        if size == 0 {
            return Err(error);
        }
        if let Some(looks) = &mut self.looks {
            looks.tried = Some((begin, size));
        }
        let control = &self.buffers.control;
        self.gpu
            .write(control, kernels::LIMIT.into(), &[size as u32])?;
        // What the batch has left in the table is gone with it.
        self.with_room(|search| search.new_table(search.buffers.num_slots()))
    }

    /// Has the device stop for the next look.
    pub(super) fn with_looks(&self, params: ExploreParams) -> ExploreParams {
        let Some(looks) = &self.looks else {
            return params;
        };
        let rows = looks.rows(self.tuning.look);
        ExploreParams {
            most_rows: rows.saturating_add(params.most_batch).min(params.most_rows),
            ..params
        }
    }
}
