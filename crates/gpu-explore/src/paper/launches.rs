//! The launches of the paper's search, and the memory that they need.

use super::layout::Layout;
use super::options::{Paper, Table};
use crate::search::is_lack_of_room;
use crate::watch::Watch;
use crate::{Error, Options};
use explore::Progress;
use gpu::kernels::gpuexplore as kernels;
use gpu::kernels::{GpuexploreParams, explore::MAX_SUCCESSORS};
use gpu::{Buffer, Gpu, Groups, LoopRecord, Recording, Repeat};
use lts_network::WordTables;

/// The maximum number of iterations of the loops of an invocation in a launch. A launch has to take
/// well under a second.
const MAX_WORK: u32 = 250_000;

/// A search in progress.
pub(crate) struct Launches<'a> {
    gpu: &'a Gpu,
    options: &'a Options<'a>,
    paper: Paper,
    layout: Layout,
    /// The number of words of a state.
    words: u32,
    /// The number of workgroups of a launch.
    workgroups: u32,
    params: GpuexploreParams,
    network: Buffer<u32>,
    counters: Buffer<u32>,
    vectors: Buffer<u32>,
    /// The cuckoo table; empty if another table is used.
    slots: Buffer<u32>,
    /// The counters at the time when the device stopped.
    counted: Vec<u32>,
    number: u64,
    /// If the number of states is limited: the number of stored vectors at which the host counts
    /// how many of them differ.
    before_check: u32,
    /// Whether no larger table fits into memory.
    is_largest: bool,
    watch: Watch<'a>,
}

impl<'a> Launches<'a> {
    /// Begins a search with the initial state in its table.
    pub(crate) fn new(
        gpu: &'a Gpu,
        tables: &WordTables,
        options: &'a Options<'a>,
        paper: &Paper,
    ) -> Result<Self, Error> {
        let most = gpu.info().max_iterations();
        let limit = options.explore.limits.states;
        let words = tables.initial.len() as u32;
        let search = Self {
            gpu,
            options,
            paper: *paper,
            layout: Layout::new(paper.table, words),
            words,
            workgroups: options.tuning.bounded().workgroups,
            params: GpuexploreParams {
                processes: tables.processes,
                fields: tables.fields,
                rule_words: tables.rule_words,
                entry_words: tables.entry_words,
                label_bits: tables.label_bits,
                iterations: paper.iterations.max(1),
                // Each successor takes some iterations.
                most_ways: (most / 64).min(MAX_SUCCESSORS - 1),
                most_work: (most / 8).min(MAX_WORK),
                ..GpuexploreParams::default()
            },
            network: gpu.upload("tables", &tables.words)?,
            counters: gpu.zeroed("counters", kernels::COUNTERS.into())?,
            vectors: gpu.zeroed("vectors", 0)?,
            slots: gpu.zeroed("slots", 0)?,
            counted: vec![0; kernels::COUNTERS as usize],
            number: 0,
            before_check: limit.map_or(u32::MAX, |limit| saturated(limit.saturating_add(1))),
            is_largest: false,
            watch: Watch::new(options.explore.observer),
        };
        search.with_initial_state(&tables.initial)
    }

    /// Makes a table that contains the initial state.
    fn with_initial_state(mut self, initial: &[u32]) -> Result<Self, Error> {
        let marked = initial.iter().map(|word| word | kernels::TAKEN);
        let mut marked: Vec<u32> = marked.collect();
        marked[0] |= kernels::OPEN;
        self.counted[kernels::STORED as usize] = 1;
        self.write_counters()?;
        // The table has room for this state alone. Growing it puts the state into its place.
        self.vectors = self.gpu.zeroed("vectors", self.layout.least_words())?;
        self.gpu.write(&self.vectors, 0, &marked)?;
        self.grow_to(self.options.tuning.states.max(1).into())?;
        Ok(self)
    }

    /// Launches until no open state is left.
    pub(crate) fn run(&mut self) -> Result<(), Error> {
        loop {
            if self.options.explore.observer.is_cancelled() {
                let reached = self.reached();
                return Err(explore::Error::Cancelled { reached }.into());
            }
            self.launch()?;
            if self.at(kernels::WIDEST) != 0 {
                return Err(Error::TooManySuccessors {
                    count: self.at(kernels::WIDEST).into(),
                    limit: self.params.most_ways.into(),
                });
            }
            if self.at(kernels::FINISHED) != 0 {
                return Ok(());
            }
            self.check_states()?;
            self.make_room()?;
        }
    }

    /// Returns the states that were found, without duplicates, and their number.
    pub(crate) fn states(&self) -> Result<(Vec<u32>, u64), Error> {
        let length = self.layout.used_words(self.vectors.len(), self.stored());
        // For a moment, the host holds them twice.
        mdp_graph::check_room("the states", &[length as usize * 8]).map_err(|missing| {
            // It is unknown how many of them are stored twice.
            let reached = self.reached_for_certain(self.stored().into());
            explore::Error::OutOfMemory { missing, reached }
        })?;
        let vectors = self.gpu.read_range(&self.vectors, 0..length)?;
        Ok(self.layout.states(&vectors))
    }

    /// Returns the number of expansions.
    pub(crate) fn expanded(&self) -> u64 {
        self.at(kernels::EXPANDED).into()
    }

    /// Returns the number of launches.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    fn at(&self, counter: u32) -> u32 {
        self.counted[counter as usize]
    }

    /// Returns the number of stored vectors.
    fn stored(&self) -> u32 {
        self.at(kernels::STORED).min(self.params.most_vectors)
    }

    /// Returns the progress, in which a state that is stored twice counts twice.
    fn reached(&self) -> Progress {
        Progress {
            states: self.stored().into(),
            expanded: self.expanded(),
            bytes: self.bytes(),
            ..Progress::default()
        }
    }

    fn bytes(&self) -> u64 {
        let buffers = [&self.network, &self.counters, &self.vectors, &self.slots];
        4 * buffers.iter().map(|buffer| buffer.len()).sum::<u64>()
    }

    /// Launches until the device stops.
    fn launch(&mut self) -> Result<(), Error> {
        let mut recording = Recording::new();
        let cuckoo = self.paper.table == Table::Cuckoo;
        let repeat = Repeat::groups("launches", [self.workgroups, 1, 1]);
        let launches = recording.repeat(repeat, |body| {
            body.dispatch(&kernels::Expand {
                network: &self.network,
                vectors: &self.vectors,
                counters: &self.counters,
                params: self.params,
                slots: cuckoo.then_some(&self.slots),
                words: self.words,
                cuckoo,
                cache: self.paper.local_cache,
                forwarding: self.paper.forwarding,
            });
            body.dispatch(&kernels::CloseLaunch {
                counters: &self.counters,
                params: self.params,
            });
        });
        let counters = recording.read(&self.counters, 0..kernels::COUNTERS.into());
        let outcome = self.run_watched(&recording)?;
        self.number += outcome[launches].iterations;
        self.counted = outcome.get(counters);
        Ok(())
    }

    /// Runs a recording under an observer.
    fn run_watched(&mut self, recording: &Recording) -> Result<gpu::Outcome, Error> {
        let update = |reached: &mut Progress, record: &LoopRecord| {
            let [stored, expanded, ..] = record.words;
            reached.states = stored.into();
            reached.expanded = expanded.into();
        };
        let reached = self.reached();
        self.watch.run(self.gpu, recording, false, reached, update)
    }

    /// Returns an error if there are more states than allowed.
    fn check_states(&mut self) -> Result<(), Error> {
        if self.options.explore.limits.states.is_none() {
            return Ok(());
        }
        let stored = self.stored();
        if stored < self.before_check {
            return Ok(());
        }
        self.check_found(self.states()?.1)?;
        self.before_check = stored.saturating_add(stored / 8 + 1024);
        self.bound();
        Ok(())
    }

    /// Returns an error if these states, without duplicates, are more than allowed.
    pub(crate) fn check_found(&self, found: u64) -> Result<(), Error> {
        match self.options.explore.limits.states {
            Some(limit) if found > limit => {
                let reached = self.reached_for_certain(found);
                Err(explore::Error::TooManyStates { limit, reached }.into())
            }
            _ => Ok(()),
        }
    }

    /// Returns what is known for certain, if there are this many states without duplicates. A state
    /// may have been expanded twice, and no transitions are counted.
    fn reached_for_certain(&self, found: u64) -> Progress {
        Progress {
            states: found,
            bytes: self.bytes(),
            ..Progress::default()
        }
    }

    /// Enlarges the table, if the device stopped for this reason.
    fn make_room(&mut self) -> Result<(), Error> {
        let is_stuck = self.at(kernels::NO_ROOM) != 0 || self.at(kernels::HOMELESS) != 0;
        if !is_stuck && self.stored() < self.load_limit() {
            return Ok(());
        }
        let (places, has_room) = (self.places(), self.at(kernels::NO_ROOM) == 0);
        self.counted[kernels::STORED as usize] = self.stored();
        self.write_counters()?;
        if has_room && 2 * u64::from(self.stored()) < places {
            // Vectors that were moving collided; a new table of the same size is enough.
            return self.grow_to(places);
        }
        let grown = match self.grow_to(4 * places) {
            Err(error) if is_lack_of_room(&error) => self.grow_to(2 * places),
            grown => grown,
        };
        match grown {
            Err(error) if is_lack_of_room(&error) && !is_stuck => {
                // The free part of the table may be enough.
                self.is_largest = true;
                self.grow_to(places)
            }
            grown => grown,
        }
    }

    /// Returns the number of vectors for which there is room.
    fn places(&self) -> u64 {
        self.layout.places(self.vectors.len())
    }

    /// Returns the number of vectors from which on the table is enlarged.
    fn load_limit(&self) -> u32 {
        match self.is_largest {
            true => u32::MAX,
            false => saturated(self.layout.load_limit(self.places())),
        }
    }

    /// Sets the limits at which the device stops.
    fn bound(&mut self) {
        self.params.most_vectors = saturated(self.places());
        self.params.enough_vectors = self.load_limit().min(self.before_check);
    }

    /// Writes the counters, and clears the reasons for the stop.
    fn write_counters(&mut self) -> Result<(), Error> {
        for word in [kernels::NO_ROOM, kernels::HOMELESS] {
            self.counted[word as usize] = 0;
        }
        Ok(self.gpu.write(&self.counters, 0, &self.counted)?)
    }

    /// Moves the vectors into a table with room for at least this many.
    fn grow_to(&mut self, places: u64) -> Result<(), Error> {
        let mut places = places;
        // If a vector finds no place in a table, a larger table is tried.
        while !self.try_grow(places)? {
            places *= 2;
        }
        self.bound();
        Ok(())
    }

    /// Moves the vectors into a table with this much room. Returns whether each vector found a
    /// place.
    fn try_grow(&mut self, places: u64) -> Result<bool, Error> {
        let sizes = self.layout.sizes(places);
        self.check_room(sizes.vectors.max(sizes.slots))?;
        self.check_memory(4 * (sizes.vectors + sizes.slots))?;
        let vectors = self.gpu.zeroed("vectors", sizes.vectors)?;
        let mut recording = Recording::new();
        match self.paper.table {
            Table::Double => self.record_rehash(&mut recording, &vectors),
            Table::Cuckoo => self.record_reindex(&mut recording, &vectors, sizes.slots)?,
        }
        let homeless = recording.read(
            &self.counters,
            kernels::HOMELESS.into()..kernels::HOMELESS as u64 + 1,
        );
        let is_whole = self.gpu.run(&recording)?.get(homeless) == [0];
        if is_whole {
            self.vectors = vectors;
        } else {
            let at = u64::from(kernels::HOMELESS);
            self.gpu.write(&self.counters, at, &[0])?;
        }
        Ok(is_whole)
    }

    /// Records the passes that put the vectors into other buckets.
    fn record_rehash(&mut self, recording: &mut Recording, vectors: &Buffer<u32>) {
        self.params.mask = (vectors.len() / u64::from(kernels::BUCKET)) as u32 - 1;
        let pass = kernels::Rehash {
            vectors,
            counters: &self.counters,
            params: self.params,
            old_vectors: &self.vectors,
            words: self.words,
        };
        recording.dispatch(&pass, Groups::Over(self.places()));
    }

    /// Records the passes that copy the vectors and give them slots of another cuckoo table.
    fn record_reindex(
        &mut self,
        recording: &mut Recording,
        vectors: &Buffer<u32>,
        slots: u64,
    ) -> Result<(), Error> {
        let stored = u64::from(self.at(kernels::STORED));
        self.slots = self.gpu.zeroed("slots", 0)?;
        self.slots = self.gpu.zeroed("slots", slots)?;
        self.params.mask = slots as u32 - 1;
        self.params.most_vectors = saturated(vectors.len() / u64::from(self.words));
        recording.copy(&self.vectors, 0..stored * u64::from(self.words), vectors, 0);
        let pass = kernels::Reindex {
            vectors,
            counters: &self.counters,
            params: self.params,
            slots: &self.slots,
            words: self.words,
        };
        recording.dispatch(&pass, Groups::Over(stored));
        Ok(())
    }

    /// Returns an error if a buffer of this many words does not fit a binding.
    fn check_room(&self, words: u64) -> Result<(), Error> {
        let limits = self.gpu.limits();
        let available = limits.max_binding_bytes.min(limits.max_buffer_bytes) / 4;
        match words > available {
            true => Err(Error::Gpu(gpu::Error::LimitExceeded {
                what: "the hash table (words)".to_owned(),
                needed: words,
                available,
            })),
            false => Ok(()),
        }
    }

    /// Returns an error if this many more bytes exceed the limit.
    fn check_memory(&self, more: u64) -> Result<(), Error> {
        match self.options.explore.limits.memory {
            Some(limit) if self.bytes() + more > limit => {
                let reached = self.reached_for_certain(self.states()?.1);
                Err(explore::Error::MemoryLimit { limit, reached }.into())
            }
            _ => Ok(()),
        }
    }
}

/// Returns the number, or the largest 32-bit number if it does not fit.
fn saturated(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
