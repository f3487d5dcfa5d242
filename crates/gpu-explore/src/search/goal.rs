//! Searches with a goal: the device stops when the host has to take rows, and the host examines the
//! new states and rows.

use super::{Rows, Search, Stopped};
use crate::Error;
use gpu::kernels::ExploreParams;
use gpu::kernels::explore as kernels;

impl Search<'_> {
    /// Examines the new states and rows, if there is a goal, and returns whether the goal is met.
    /// The host must have all rows.
    pub(super) fn is_met(&mut self) -> Result<bool, Error> {
        let Some(examined) = &mut self.examined else {
            return Ok(false);
        };
        if examined.needs_states() {
            let mut states = std::mem::take(&mut examined.states);
            self.take_states(&mut states)?;
            if let Some(examined) = &mut self.examined {
                examined.states = states;
            }
        }
        Ok(match (&mut self.examined, &self.rows) {
            (Some(examined), Rows::Host(rows)) => {
                examined.is_met(&self.reached, rows, self.deadlocks)
            }
            _ => false,
        })
    }

    /// Makes the next batch shorter after a batch has failed with an error, so that the states
    /// before the failing one are examined first. Returns the error if there are no such states.
    pub(super) fn shorten(&mut self, stopped: &Stopped, error: Error) -> Result<(), Error> {
        let begin = stopped.at(kernels::END);
        let last = self.examined.as_ref().and_then(|examined| examined.tried);
        let size = match (&error, last) {
            (Error::Broken { state, .. }, _) => u64::from(state.0) - begin,
            // The device has raised its limit in the meantime.
            (_, Some((first, size))) if first == begin => size / 2,
            _ => stopped.at(kernels::LIMIT).min(self.reached.states - begin) / 2,
        };
        if size == 0 {
            return Err(error);
        }
        if let Some(examined) = &mut self.examined {
            examined.tried = Some((begin, size));
        }
        let control = &self.buffers.control;
        self.gpu
            .write(control, kernels::LIMIT.into(), &[size as u32])?;
        // This also discards the entries of the failed batch.
        self.with_room(|search| search.new_table(search.buffers.num_slots()))
    }

    /// Sets the parameters such that the device stops for the next check of the goal.
    pub(super) fn with_checks_of_goal(&self, params: ExploreParams) -> ExploreParams {
        let Some(examined) = &self.examined else {
            return params;
        };
        let rows = examined.rows(self.tuning.first_check);
        ExploreParams {
            most_rows: rows.saturating_add(params.most_batch).min(params.most_rows),
            ..params
        }
    }
}
