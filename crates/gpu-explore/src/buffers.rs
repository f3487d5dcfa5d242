//! The memory of a search on its device.

use crate::Error;
use crate::generator::{Generator, Kind};
use crate::options::Tuning;
use crate::step_buffers::StepBuffers;
use gpu::kernels::ExploreParams;
use gpu::kernels::explore::{
    BLOCK, BUCKET, CONTROL_WORDS, FAILED, FIRST_DEADLOCK, HOMELESS, KNOWN_STATES, LIMIT, MAX_SLOTS,
    SIZE, TALLIES,
};
use gpu::{Buffer, Gpu, Groups, Recording};

/// The buffers of a search. The kernels document their contents.
#[derive(Debug)]
pub(crate) struct Buffers {
    /// The tables of the generator.
    pub(crate) tables: Buffer<u32>,
    /// The tables for counting states in any order within a level.
    pub(crate) steps: Option<StepBuffers>,
    pub(crate) control: Buffer<u32>,
    pub(crate) tallies: Buffer<u32>,
    pub(crate) states: Buffer<u32>,
    pub(crate) slots: Buffer<u32>,
    /// The number of words of a slot.
    slot_words: u32,
    pub(crate) offsets: Buffer<u32>,
    pub(crate) sums: Buffer<u32>,
    pub(crate) batch: Candidates,
    pub(crate) rows: Option<RowBuffers>,
}

/// The data of each candidate of a batch, and of each block of candidates.
#[derive(Debug)]
pub(crate) struct Candidates {
    pub(crate) vectors: Buffer<u32>,
    pub(crate) found: Buffer<u32>,
    pub(crate) labels: Option<Buffer<u32>>,
    pub(crate) ranks: Option<Buffer<u32>>,
    pub(crate) block_sums: Buffer<[u32; 2]>,
}

/// The rows that wait on the device for the host.
#[derive(Debug)]
pub(crate) struct RowBuffers {
    pub(crate) ends: Buffer<u32>,
    pub(crate) targets: Buffer<u32>,
    pub(crate) actions: Option<Buffer<u32>>,
}

/// The kernels of a search, and the data that it keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchMode {
    /// The kernels that compute successors.
    pub(crate) kind: Kind,
    /// Whether the rows of states are kept.
    pub(crate) keeps_rows: bool,
    /// Whether the actions of transitions are kept.
    pub(crate) keeps_actions: bool,
    /// Whether transitions may occur twice, so that repeated ones have to be dropped.
    pub(crate) drops_repeated: bool,
    /// Whether states are only counted, in any order within a level.
    pub(crate) only_counts: bool,
}

impl SearchMode {
    /// Returns whether a choice may have several branches; otherwise each branch is a choice.
    pub(crate) fn has_choices(self) -> bool {
        self.kind == Kind::Program && self.drops_repeated
    }
}

/// Returns the tallies before anything was counted.
fn no_tallies() -> [u32; TALLIES as usize] {
    let mut tallies = [0; TALLIES as usize];
    // The kernels keep the minimum of this value.
    tallies[FIRST_DEADLOCK as usize] = u32::MAX;
    tallies[FAILED as usize] = u32::MAX;
    tallies
}

impl Candidates {
    fn new(gpu: &Gpu, count: u32, words: u32, mode: SearchMode) -> Result<Self, Error> {
        let each = |name| gpu.zeroed(name, count.into());
        Ok(Self {
            vectors: gpu.zeroed("candidates", u64::from(count) * u64::from(words))?,
            found: each("found")?,
            labels: (mode.keeps_actions || mode.drops_repeated)
                .then(|| each("labels"))
                .transpose()?,
            ranks: mode.drops_repeated.then(|| each("ranks")).transpose()?,
            block_sums: gpu.zeroed("sums of candidates", count.div_ceil(BLOCK).into())?,
        })
    }

    fn bytes(&self) -> u64 {
        let optional = |buffer: &Option<Buffer<u32>>| buffer.as_ref().map_or(0, Buffer::len);
        let words = self.vectors.len()
            + self.found.len()
            + 2 * self.block_sums.len()
            + optional(&self.labels)
            + optional(&self.ranks);
        4 * words
    }
}

impl RowBuffers {
    fn new(gpu: &Gpu, tuning: &Tuning, mode: SearchMode) -> Result<Self, Error> {
        let transitions = u64::from(tuning.transitions);
        let rows = transitions.max(tuning.batch.into());
        Ok(Self {
            ends: gpu.zeroed("ends of rows", rows)?,
            targets: gpu.zeroed("targets", transitions)?,
            actions: mode
                .keeps_actions
                .then(|| gpu.zeroed("actions", transitions))
                .transpose()?,
        })
    }

    fn bytes(&self) -> u64 {
        4 * (self.ends.len() + self.targets.len() + self.actions.as_ref().map_or(0, Buffer::len))
    }
}

impl Buffers {
    /// Allocates the buffers for the states of a generator, and uploads its initial states. Also
    /// returns the parameters of the kernels. The table is not allocated yet.
    pub(crate) fn new(
        gpu: &Gpu,
        generator: &Generator,
        tuning: &Tuning,
        mode: SearchMode,
    ) -> Result<(Self, ExploreParams), Error> {
        let words = generator.state_words;
        // Counting needs no data per state of a batch, and none per candidate.
        let (batch, candidates) = match mode.only_counts {
            true => (0, 0),
            false => (tuning.batch, tuning.candidates),
        };
        let steps = generator.steps.as_ref().filter(|_| mode.only_counts);
        let steps = steps.map(|tables| StepBuffers::new(gpu, tables));
        let rows = mode
            .keeps_rows
            .then(|| RowBuffers::new(gpu, tuning, mode))
            .transpose()?;
        let mut control = [0; CONTROL_WORDS as usize];
        control[KNOWN_STATES as usize] = generator.num_initial();
        control[LIMIT as usize] = tuning.batch;
        let states = gpu.zeroed("states", u64::from(tuning.states) * u64::from(words))?;
        gpu.write(&states, 0, &generator.initial)?;
        let buffers = Self {
            tables: gpu.upload("tables", &generator.tables)?,
            steps: steps.transpose()?,
            control: gpu.upload("control", &control)?,
            tallies: gpu.upload("tallies", &no_tallies())?,
            states,
            slots: gpu.zeroed("slots", 0)?,
            slot_words: if mode.only_counts { words } else { 1 },
            offsets: gpu.zeroed("offsets", batch.into())?,
            sums: gpu.zeroed("sums of states", batch.div_ceil(SIZE).into())?,
            batch: Candidates::new(gpu, candidates, words, mode)?,
            rows,
        };
        let length = |buffer: Option<&Buffer<u32>>| buffer.map_or(u32::MAX, |b| b.len() as u32);
        let rows = buffers.rows.as_ref();
        let params = ExploreParams {
            most_candidates: tuning.candidates,
            most_batch: tuning.batch,
            most_transitions: length(rows.map(|rows| &rows.targets)),
            most_rows: length(rows.map(|rows| &rows.ends)),
            most_compared: tuning.compared,
            ..generator.params
        };
        Ok((buffers, params))
    }

    /// Returns the number of slots of the table.
    pub(crate) fn num_slots(&self) -> u64 {
        self.slots.len() / u64::from(self.slot_words)
    }

    /// Returns the size of a table with this many slots, in bytes.
    pub(crate) fn bytes_of_slots(&self, slots: u64) -> u64 {
        4 * slots * u64::from(self.slot_words)
    }

    /// Allocates an empty table with this many slots.
    fn empty_table(&self, gpu: &Gpu, slots: u64) -> Result<Buffer<u32>, Error> {
        Ok(gpu.zeroed("slots", slots * u64::from(self.slot_words))?)
    }

    /// Returns the largest number of slots of a table on a device, a power of 2.
    fn most_slots(&self, gpu: &Gpu) -> u64 {
        let limits = gpu.limits();
        let bytes = limits.max_binding_bytes.min(limits.max_buffer_bytes);
        let most = bytes / self.bytes_of_slots(1);
        (1 << most.ilog2()).min(MAX_SLOTS.into())
    }

    /// Returns an error if a table on a device cannot have this many slots.
    pub(crate) fn check_slots(&self, gpu: &Gpu, needed: u64) -> Result<(), Error> {
        let available = self.most_slots(gpu);
        match needed > available {
            true => Err(Error::Gpu(gpu::Error::LimitExceeded {
                what: "the hash table (slots)".to_owned(),
                needed,
                available,
            })),
            false => Ok(()),
        }
    }

    /// Returns the size of all buffers, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let words = [
            &self.tables,
            &self.control,
            &self.tallies,
            &self.states,
            &self.slots,
            &self.offsets,
            &self.sums,
        ];
        let words: u64 = words.iter().map(|buffer| buffer.len()).sum();
        let steps = self.steps.as_ref().map_or(0, StepBuffers::bytes);
        4 * words + steps + self.batch.bytes() + self.rows.as_ref().map_or(0, RowBuffers::bytes)
    }

    /// Makes room for `states` states and for an empty table with `slots` slots, or with as many
    /// slots as possible. The old table is freed first, to have more room.
    pub(crate) fn grow_states(
        &mut self,
        gpu: &Gpu,
        words: u32,
        count: u32,
        slots: u64,
    ) -> Result<(), Error> {
        self.slots = gpu.zeroed("slots", 0)?;
        let states = gpu.zeroed("states", u64::from(count) * u64::from(words))?;
        self.slots = self.empty_table(gpu, slots.min(self.most_slots(gpu)))?;
        let mut recording = Recording::new();
        recording.copy(&self.states, 0..self.states.len(), &states, 0);
        gpu.run(&recording)?;
        self.states = states;
        Ok(())
    }

    /// Makes room for this many candidates, and for the rows of a batch with this many candidates.
    pub(crate) fn grow_candidates(
        &mut self,
        gpu: &Gpu,
        words: u32,
        tuning: &Tuning,
        mode: SearchMode,
    ) -> Result<(), Error> {
        self.batch = Candidates::new(gpu, tuning.candidates, words, mode)?;
        if mode.keeps_rows {
            self.rows = None;
            self.rows = Some(RowBuffers::new(gpu, tuning, mode)?);
        }
        Ok(())
    }

    /// Inserts all states into a new table with at least this many slots, or with more if these are
    /// too few. Updates the parameters of the kernels.
    pub(crate) fn new_table(
        &mut self,
        gpu: &Gpu,
        words: u32,
        slots: u64,
        params: &mut ExploreParams,
    ) -> Result<(), Error> {
        let most = self.most_slots(gpu);
        let mut slots = slots.next_power_of_two().max(BUCKET.into());
        let places = u64::from(params.most_candidates).max(self.states.len() / u64::from(words));
        params.index_bits = places.ilog2() + 1;
        loop {
            // If there is no memory for a table of this size, half of it may be enough.
            let available = slots.min(most);
            if self.num_slots() != available {
                self.slots = gpu.zeroed("slots", 0)?;
                self.slots = self.empty_table(gpu, available)?;
            }
            params.bucket_mask = (available / u64::from(BUCKET)) as u32 - 1;
            let mut recording = Recording::new();
            let pass = gpu::kernels::explore::Rehash {
                states: &self.states,
                control: &self.control,
                slots: &self.slots,
                tallies: &self.tallies,
                params: *params,
                words,
                whole: self.steps.is_some(),
            };
            recording.fill(&self.slots, 0);
            recording.write(&self.tallies, HOMELESS.into(), &[0]);
            recording.dispatch(&pass, Groups::Over(self.states.len() / u64::from(words)));
            let at = u64::from(HOMELESS);
            let homeless = recording.read(&self.tallies, at..at + 1);
            if gpu.run(&recording)?.get(homeless) == [0] {
                return Ok(());
            }
            self.check_slots(gpu, 2 * available)?;
            slots *= 2;
        }
    }
}
