//! The room for states, candidates and the table: its growth and its limits.

use super::{Rows, Search};
use crate::Error;
use crate::examined::Examined;
use crate::options::Tuning;
use crate::rows::too_many;
use gpu::kernels::explore as kernels;

/// The maximum number of states. The number of a state and a flag have to fit one word.
const MAX_STATES: u64 = (1 << 31) - 2;

impl Search<'_> {
    /// Makes room for at least this many states.
    pub(super) fn grow_states(&mut self, needed: u64) -> Result<(), Error> {
        self.check_states(needed)?;
        let limits = self.gpu.limits();
        let binding = limits.max_binding_bytes.min(limits.max_buffer_bytes);
        let most = (binding / 4 / u64::from(self.words)).min(MAX_STATES);
        if needed > most {
            let error = gpu::Error::LimitExceeded {
                what: format!("a network with states of {} words (states)", self.words),
                needed,
                available: most,
            };
            return Err(error.into());
        }
        let held = self.capacity();
        let mut capacity = (4 * held).max(needed).min(most);
        loop {
            let more = 4 * u64::from(self.words) * capacity;
            self.check_memory(more)?;
            let slots = self.slots_for(capacity);
            let grown = self
                .buffers
                .grow_states(self.gpu, self.words, capacity as u32, slots);
            match grown {
                Err(Error::Gpu(gpu::Error::OutOfMemory { .. })) if capacity > needed => {
                    capacity = (capacity / 2).max(needed);
                }
                grown => break grown?,
            }
        }
        self.bound_states();
        self.new_table(self.slots_for(capacity))
    }

    /// Makes room for a batch of this many candidates.
    pub(super) fn grow_candidates(&mut self, needed: u64) -> Result<(), Error> {
        let most = (kernels::MAX_SUCCESSORS - 1).min(self.gpu.info().max_iterations());
        let limit = u64::from(most);
        if needed > limit {
            // The kernel stops counting at the limit.
            let count = limit + 1;
            return Err(Error::TooManySuccessors { count, limit });
        }
        self.tuning = Tuning {
            candidates: needed as u32,
            ..self.tuning
        }
        .bounded();
        self.buffers
            .grow_candidates(self.gpu, self.words, &self.tuning, self.mode)?;
        self.params.most_candidates = self.tuning.candidates;
        if let Some(rows) = &self.buffers.rows {
            self.params.most_transitions = rows.targets.len() as u32;
            self.params.most_rows = rows.ends.len() as u32;
        }
        // Places may need more bits.
        self.new_table(self.buffers.num_slots())
    }

    /// Inserts all states into a table with more slots, because a candidate found no place.
    ///
    /// It is an error if a table on this device cannot have more slots. All states would fit into
    /// an equal table again, but the candidate would not, so the search would never end.
    pub(super) fn enlarge_table(&mut self) -> Result<(), Error> {
        let slots = 2 * self.buffers.num_slots().max(1);
        self.buffers.check_slots(self.gpu, slots)?;
        self.new_table(slots)
    }

    /// Inserts all states into a new table.
    pub(super) fn new_table(&mut self, slots: u64) -> Result<(), Error> {
        self.check_memory(self.buffers.bytes_of_slots(slots))?;
        self.buffers
            .new_table(self.gpu, self.words, slots, &mut self.params)
    }

    /// Returns the number of slots with which a table of this many states stays less than half
    /// full.
    pub(super) fn slots_for(&self, states: u64) -> u64 {
        (2 * states)
            .next_power_of_two()
            .max(self.tuning.slots.into())
    }

    /// Returns the number of states for which there is room.
    fn capacity(&self) -> u64 {
        self.buffers.states.len() / u64::from(self.words)
    }

    /// Sets the limit at which the device stops, because states do not fit or are more than
    /// allowed.
    pub(super) fn bound_states(&mut self) {
        let allowed = self.options.explore.limits.states.unwrap_or(u64::MAX);
        let most = self.capacity().min(allowed).min(MAX_STATES);
        self.params.most_states = most as u32;
    }

    /// Returns the memory held, on the device and on the host, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let rows = match &self.rows {
            Rows::None => 0,
            Rows::Host(rows) => rows.bytes(),
            Rows::Device(rows) => rows.bytes(),
        };
        let examined = self.examined.as_ref().map_or(0, Examined::bytes);
        self.buffers.bytes() + rows + examined
    }

    /// Returns an error if there are too many states.
    pub(super) fn check_states(&self, states: u64) -> Result<(), Error> {
        let reached = self.reached;
        match self.options.explore.limits.states {
            Some(limit) if states > limit => {
                Err(explore::Error::TooManyStates { limit, reached }.into())
            }
            _ if states > MAX_STATES => Err(too_many("states", states).into()),
            _ => Ok(()),
        }
    }

    /// Returns an error if this many more bytes exceed the limit.
    pub(super) fn check_memory(&self, more: u64) -> Result<(), Error> {
        match self.options.explore.limits.memory {
            Some(limit) if self.bytes() + more > limit => {
                let reached = self.reached;
                Err(explore::Error::MemoryLimit { limit, reached }.into())
            }
            _ => Ok(()),
        }
    }
}
