//! [`Queue`]: the search, batch by batch.

use super::cache::{Cache, Known};
use super::options::{ExploreOptions, Numbering};
use super::rank::{self, Place};
use super::rows::Rows;
use super::set::{Set, hash, owner};
use crate::error::{Error, SystemError};
use crate::net::{Inbox, Net, Outbox, Progress};
use explore::{Expander, System};

/// The state of the search on a worker.
pub(super) struct Queue<'s, S: System> {
    expander: Expander<'s, S>,
    words: usize,
    options: &'s ExploreOptions,
    set: Set,
    /// The numbers of the states in the set, in ascending order.
    numbers: Vec<u64>,
    /// The first own state that has not been expanded.
    next: usize,
    rows: Rows,
    cache: Cache,
    /// The number of states that all workers have found, of those that they have expanded, and of
    /// the branches of these.
    found: u64,
    expanded: u64,
    branches: u64,
}

/// The requests of a batch that are being sent.
struct Requests {
    /// The states whose numbers are requested, each followed by its place.
    outbox: Outbox<u32>,
    /// A buffer for one request.
    words: Vec<u32>,
    /// The number of words of a request that are its place.
    place_words: usize,
    /// The number of requests to each owner.
    counts: Vec<u32>,
}

/// The requests of other workers to this one, after they were looked up.
#[derive(Default)]
struct Received {
    /// For each request, the worker that sent it, and the index of the state in the set.
    senders: Vec<[u32; 2]>,
    /// The first place of each new state.
    firsts: Vec<Place>,
}

impl<'s, S: System> Queue<'s, S> {
    pub(super) fn new(system: &'s S, options: &'s ExploreOptions) -> Self {
        Self {
            expander: Expander::new(system),
            words: system.words(),
            options,
            set: Set::new(system.words()),
            numbers: Vec::new(),
            next: 0,
            rows: Rows::default(),
            cache: Cache::new(system.words()),
            found: 0,
            expanded: 0,
            branches: 0,
        }
    }

    pub(super) fn found(&self) -> u64 {
        self.found
    }

    pub(super) fn expanded(&self) -> u64 {
        self.expanded
    }

    /// Returns the rows of this worker's states, the numbers of the states, and the states.
    pub(super) fn finish(self) -> (Rows, Vec<u64>, Set) {
        (self.rows, self.numbers, self.set)
    }

    /// Finds the initial states. Worker 0 computes them.
    pub(super) fn initial_states(&mut self, net: &mut Net<'_>) -> Result<(), Error> {
        let mut requests = Requests::new(self.options, net);
        let mut outcome = Ok(());
        if net.me() == 0 {
            match self.expander.initial_states() {
                Ok(states) => {
                    for (i, state) in states.chunks_exact(self.words).enumerate() {
                        requests.add(state, hash(state), (i as u64, 0), net);
                    }
                }
                Err(error) => outcome = Err((0, Error::of_system(error))),
            }
        }
        let mut received = Received::default();
        self.look_up(net.exchange(requests.outbox), &mut received);
        self.agree(outcome, net)?;
        let places = net.gather(received.firsts.len() as u64).iter().sum::<u64>();
        self.number(&received, &requests.counts, places.max(1), net)
            .map(drop)
    }

    /// Expands states that have been found and not expanded: a level or, in the order of a
    /// sequential search, a batch from the front of the queue.
    pub(super) fn advance(&mut self, net: &mut Net<'_>) -> Result<(), Error> {
        match self.options.numbering {
            Numbering::ByLevels => self.expand_level(net),
            Numbering::Sequential => self.expand_batch(net),
        }
    }

    /// Expands a level, one batch of each worker at a time. New states get numbers at the end of
    /// the level.
    fn expand_level(&mut self, net: &mut Net<'_>) -> Result<(), Error> {
        let (end, before) = (self.numbers.len(), self.rows.targets.len());
        let places = Places {
            first: self.expanded,
            states: self.found - self.expanded,
        };
        let mut requests = Requests::new(self.options, net);
        let mut received = Received::default();
        loop {
            let (begin, mut outcome) = (self.rows.targets.len(), Ok(()));
            while self.next < end
                && ((self.rows.targets.len() - begin) as u64) < self.options.batch
                && outcome.is_ok()
            {
                let number = self.numbers[self.next];
                outcome = self
                    .expand(places.of(number), &mut requests, net)
                    .map_err(|error| (number, error));
                self.next += usize::from(outcome.is_ok());
            }
            self.look_up(net.send_all(&mut requests.outbox), &mut received);
            self.agree(outcome, net)?;
            let sums = net.sums(&[(end - self.next) as u64, received.firsts.len() as u64]);
            self.check_limit(self.found + sums[1])?;
            if sums[0] == 0 {
                break;
            }
        }
        self.expanded = self.found;
        let answers = self.number(&received, &requests.counts, places.count(), net)?;
        self.resolve(&answers, before, net);
        Ok(())
    }

    /// Expands a batch from the front of the queue.
    fn expand_batch(&mut self, net: &mut Net<'_>) -> Result<(), Error> {
        let begin = self.expanded;
        let end = begin + self.batch_size(net);
        let mut requests = Requests::new(self.options, net);
        let before = self.rows.targets.len();
        let mut outcome = Ok(());
        while let Some(&number) = self.numbers.get(self.next).filter(|&&number| number < end) {
            if let Err(error) = self.expand(number - begin, &mut requests, net) {
                outcome = Err((number, error));
                break;
            }
            self.next += 1;
        }
        let mut received = Received::default();
        self.look_up(net.exchange(requests.outbox), &mut received);
        self.agree(outcome, net)?;
        let answers = self.number(&received, &requests.counts, end - begin, net)?;
        self.expanded = end;
        self.resolve(&answers, before, net);
        Ok(())
    }

    /// Replaces requests by their answers. `before` is the number of branches before the batch.
    fn resolve(&mut self, answers: &[Vec<u64>], before: usize, net: &mut Net<'_>) {
        self.rows.resolve(answers);
        self.cache.resolve(answers);
        self.branches += net.sum((self.rows.targets.len() - before) as u64);
    }

    /// Returns the number of states to be expanded, which together have about as many branches as
    /// may be processed at once.
    fn batch_size(&self, net: &Net<'_>) -> u64 {
        let pending = self.found - self.expanded;
        let branches = u128::from(self.options.batch) * net.workers() as u128;
        let states = branches * u128::from(self.expanded.max(1)) / u128::from(self.branches.max(1));
        states.clamp(1, pending.into()) as u64
    }

    /// Expands the next own state, whose place is given.
    fn expand(
        &mut self,
        place: u64,
        requests: &mut Requests,
        net: &mut Net<'_>,
    ) -> Result<(), SystemError> {
        let row = self.expander.row(self.set.get(self.next));
        let row = row.map_err(Error::of_system)?;
        self.rows.choices.push(row.branch_ends.len() as u32);
        let mut begin = 0;
        for &end in row.branch_ends {
            self.rows.branches.push(end - begin);
            begin = end;
        }
        for (branch, target) in row.targets.chunks_exact(self.words).enumerate() {
            let hash = hash(target);
            let known = self.cache.get(target, hash).unwrap_or_else(|| {
                let own = self.set.find(target, hash);
                let known = match own.and_then(|own| self.numbers.get(own as usize)) {
                    Some(&number) => Known::Number(number),
                    None => requests.add(target, hash, (place, branch as u32), net),
                };
                self.cache.put(target, hash, known);
                known
            });
            self.rows.targets.push(known.pack());
        }
        Ok(())
    }

    /// Ends the search of all workers if one of them has an error. The error of the state with the
    /// smallest number is reported.
    fn agree(&self, own: Result<(), (u64, SystemError)>, net: &mut Net<'_>) -> Result<(), Error> {
        let number = own.as_ref().err().map_or(u64::MAX, |&(number, _)| number);
        let numbers = net.gather(number);
        let first = numbers.iter().copied().min().unwrap_or(u64::MAX);
        let worker = numbers
            .iter()
            .position(|&number| number == first)
            .unwrap_or(0);
        match own {
            _ if first == u64::MAX => Ok(()),
            Err((_, error)) if worker == net.me() => Err(Error::System(error)),
            _ => Err(Error::Elsewhere { worker }),
        }
    }

    /// Numbers the new states, and answers the requests to this worker. Returns the answers to its
    /// own requests; `counts` is the number of requests to each owner.
    fn number(
        &mut self,
        received: &Received,
        counts: &[u32],
        places: u64,
        net: &mut Net<'_>,
    ) -> Result<Vec<Vec<u64>>, Error> {
        let fresh = net.gather(received.firsts.len() as u64);
        let known = self.numbers.len();
        let set = (&self.set, known);
        let numbers = match self.options.numbering {
            Numbering::ByLevels => rank::by_hash(&received.firsts, places, set, self.found, net),
            Numbering::Sequential => rank::numbers(&received.firsts, places, self.found, net),
        };
        // Own states are kept in the order of their numbers.
        let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
        order.sort_unstable_by_key(|&i| numbers[i as usize]);
        self.set.reorder(known, &order);
        self.numbers
            .extend(order.iter().map(|&i| numbers[i as usize]));
        self.found += fresh.iter().sum::<u64>();
        let number_of = |place: u32| match (place as usize).checked_sub(known) {
            Some(new) => numbers[new],
            None => self.numbers[place as usize],
        };
        let answers = match self.found <= self.options.narrow {
            true => answers(
                &received.senders,
                |place| number_of(place) as u32,
                counts,
                net,
            ),
            false => answers(&received.senders, number_of, counts, net),
        };
        self.tell_sizes(net)?;
        self.check_limit(self.found)?;
        Ok(answers)
    }

    fn check_limit(&self, states: u64) -> Result<(), Error> {
        match self.options.max_states {
            Some(limit) if states > limit => Err(Error::TooManyStates { limit }),
            _ => Ok(()),
        }
    }

    /// Tells the other workers the size of this worker's data, and reports the progress of all to
    /// the observer.
    fn tell_sizes(&self, net: &mut Net<'_>) -> Result<(), Error> {
        let longest = self.numbers.len().max(self.rows.targets.len()) as u64;
        let bytes = self.set.bytes() + self.rows.bytes() + 8 * self.numbers.len() as u64;
        let sizes = net.gather([longest, bytes, net.bytes_sent()]);
        if let Some(worker) = sizes
            .iter()
            .position(|size| size[0] >= self.options.most_per_worker)
        {
            return Err(Error::TooLarge { worker });
        }
        net.report(&Progress::Exploring {
            states: self.found,
            expanded: self.expanded,
            bytes_sent: sizes.iter().map(|size| size[2]).sum(),
            largest_worker: sizes.iter().map(|size| size[1]).max().unwrap_or(0),
        });
        Ok(())
    }

    /// Looks up the states that other workers request, and adds the new ones to the set.
    fn look_up(&mut self, requests: Inbox<u32>, received: &mut Received) {
        let known = self.numbers.len();
        let state_words = 2 * self.words;
        let length = state_words + Requests::place_words(self.options);
        let (mut message, mut state) = (Vec::with_capacity(length), vec![0; self.words]);
        for (sender, word) in requests {
            message.push(word);
            if message.len() < length {
                continue;
            }
            for (word, halves) in state.iter_mut().zip(message.chunks_exact(2)) {
                *word = whole(halves);
            }
            let first = whole(&message[state_words..]);
            let place = self.set.insert(&state, hash(&state));
            message.clear();
            received.senders.push([sender as u32, place]);
            if let Some(new) = (place as usize).checked_sub(known) {
                match received.firsts.get_mut(new) {
                    Some(known) => *known = first.min(*known),
                    None => received.firsts.push(first),
                }
            }
        }
    }
}

/// Returns a number from its two halves. The upper one may be missing.
fn whole(halves: &[u32]) -> u64 {
    let upper = halves.get(1).copied().unwrap_or(0);
    u64::from(upper) << 32 | u64::from(halves[0])
}

/// Returns the two halves of a number.
fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// The places of the states of a level, as 32-bit numbers.
#[derive(Clone, Copy)]
struct Places {
    /// The number of the first state.
    first: u64,
    states: u64,
}

impl Places {
    /// Returns the number of places.
    fn count(self) -> u64 {
        self.states.min(1 << 32)
    }

    /// Returns the place of a state. In a level of more than 2^32 states, several states share a
    /// place.
    fn of(self, number: u64) -> Place {
        let place = u128::from(number - self.first) * u128::from(self.count());
        (place / u128::from(self.states)) as u64
    }
}

/// Answers the requests of all workers, and returns the answers to the own requests, of which
/// `counts` is the number for each owner.
fn answers<T: bytemuck::Pod + Into<u64>>(
    senders: &[[u32; 2]],
    number_of: impl Fn(u32) -> T,
    counts: &[u32],
    net: &mut Net<'_>,
) -> Vec<Vec<u64>> {
    let mut outbox = net.outbox();
    for &[sender, place] in senders {
        outbox.push(net, sender as usize, number_of(place));
    }
    let mut answers: Vec<Vec<u64>> = counts
        .iter()
        .map(|&count| Vec::with_capacity(count as usize))
        .collect();
    for (owner, number) in net.exchange(outbox) {
        answers[owner].push(number.into());
    }
    answers
}

impl Requests {
    fn new(options: &ExploreOptions, net: &Net<'_>) -> Self {
        Self {
            outbox: net.outbox(),
            words: Vec::new(),
            place_words: Self::place_words(options),
            counts: vec![0; net.workers()],
        }
    }

    /// Returns the number of words of a place: a state and a branch, or a state alone.
    fn place_words(options: &ExploreOptions) -> usize {
        match options.numbering {
            Numbering::ByLevels => 1,
            Numbering::Sequential => 2,
        }
    }

    /// Requests the number of a state from its owner. The state is the target of a branch of the
    /// state at `place`.
    fn add(
        &mut self,
        state: &[u64],
        hash: u64,
        (place, branch): (u64, u32),
        net: &mut Net<'_>,
    ) -> Known {
        let owner = owner(hash, net.workers());
        self.words.clear();
        self.words
            .extend(state.iter().flat_map(|&word| halves(word)));
        match self.place_words {
            1 => self.words.push(place as u32),
            _ => self.words.extend(halves(place << 32 | u64::from(branch))),
        }
        self.outbox.push_all(net, owner, &self.words);
        let request = self.counts[owner];
        self.counts[owner] += 1;
        Known::Requested {
            owner: owner as u32,
            request,
        }
    }
}
