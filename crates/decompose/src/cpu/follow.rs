//! Follows edges on all threads at once, without sweeps, from given states on.
//!
//! Each thread follows the states that it has found itself. While some threads are idle, it leaves
//! half of its states to them. So threads never wait for one another, and where many paths run side
//! by side, all of them are busy.

use super::edges::{AllEdges, Edges};
use super::threads;
use super::ticker::{Ticker, Watch};
use crate::Error;
use mdp_graph::{SharedBits, Table, ascending};
use rayon::Scope;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The number of words of states whose edges are followed first by the same thread.
const PIECE: usize = 1 << 6;

/// A thread with fewer states than this keeps them.
const MIN_SHARED: usize = if cfg!(test) { 2 } else { 1 << 6 };

/// The number of states that a thread follows before it looks how many threads are busy.
const PERIOD: usize = if cfg!(test) { 1 } else { 1 << 10 };

/// Paths are narrow where a thread has fewer states than this to follow, and at most one in so many
/// threads is busy.
const FEW_STATES: usize = if cfg!(test) { 4 } else { 1 << 4 };
const BUSY_DIVISOR: usize = 4;

/// The time before it is judged whether all threads are faster than one.
const WARM_UP: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 1 });

/// The number of chunks of states for each thread. They take different times, so one is not enough.
const CHUNKS_EACH: usize = 4;

/// The number of entries that one thread adds up at a time.
const SUM_CHUNK: usize = 1 << 16;

/// Which of its states a thread follows next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The one that it has found last. It has few states then, whose edges are likely in a cache.
    LastFound,
    /// The one that it has found first. Then all paths become longer at the same pace, and a state
    /// that several of them have to reach is reached soon.
    FirstFound,
}

/// How all threads follow states.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    pub(super) order: Order,
    pub(super) limits: FollowLimits,
}

/// The result of following states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Followed {
    /// How often a target was new.
    pub(super) num_new: usize,
    /// Whether all states were followed; otherwise the search was given up.
    pub(super) is_complete: bool,
}

/// The conditions under which a search by all threads is given up, because one thread would be as
/// fast.
#[derive(Clone, Copy, Debug)]
pub(super) struct FollowLimits {
    /// The number of states that may be followed while few threads are busy.
    pub(super) narrow: usize,
    /// The time that all threads together may take for each state, if there is a limit.
    pub(super) each: Option<Duration>,
}

impl FollowLimits {
    /// Returns the conditions without a limit on time: only `narrow` states may be followed while
    /// few threads are busy.
    pub(super) fn of_narrow(narrow: usize) -> Self {
        Self { narrow, each: None }
    }
}

/// A search by all threads.
struct Follow<'a, E, N> {
    edges: &'a E,
    order: Order,
    is_new: N,
    watch: Watch<'a>,
    threads: usize,
    /// The number of threads that follow states, or are about to.
    busy: AtomicUsize,
    /// The number of states that may still be followed while few threads are busy.
    narrow: AtomicUsize,
    /// See [`FollowLimits`].
    each: Option<Duration>,
    begun: Instant,
    /// The number of states that were followed, up to the last report of each thread.
    followed: AtomicUsize,
    stop: AtomicBool,
    found: AtomicUsize,
}

/// Adds all states to `reached` that those of the words `from` reach; these are in `reached`
/// already. Returns how many states were added, or `None` if the search was given up.
pub(super) fn reach<E: Edges>(
    edges: &E,
    reached: &SharedBits,
    from: impl Fn(usize) -> u64 + Sync,
    limits: FollowLimits,
    ticker: &Ticker<'_>,
) -> Result<Option<usize>, Error> {
    // Before others are added.
    let words = (0..reached.num_words()).into_par_iter();
    let from: Vec<u64> = words.map(&from).collect();
    let is_new = |target| reached.insert(target);
    let how = How {
        order: Order::LastFound,
        limits,
    };
    let followed = follow(edges, &from, is_new, how, ticker)?;
    Ok(followed.is_complete.then_some(followed.num_new))
}

/// Follows the edges of the states of the words `from`, and then those of each target for which
/// `is_new` returns true.
pub(super) fn follow<E: Edges>(
    edges: &E,
    from: &[u64],
    is_new: impl Fn(u32) -> bool + Sync,
    how: How,
    ticker: &Ticker<'_>,
) -> Result<Followed, Error> {
    let How { order, limits } = how;
    let search = Follow {
        edges,
        order,
        is_new,
        watch: Watch::new(ticker, 0),
        threads: threads::useful(),
        busy: AtomicUsize::new(0),
        narrow: AtomicUsize::new(limits.narrow),
        each: limits.each,
        begun: Instant::now(),
        followed: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        found: AtomicUsize::new(0),
    };
    rayon::scope(|scope| {
        let pieces = from.par_chunks(PIECE).enumerate();
        pieces.for_each(|(piece, words)| {
            let words = (piece * PIECE..).zip(words);
            let states = words.flat_map(|(word, &bits)| ascending(word, bits));
            let states: VecDeque<u32> = states.collect();
            if !states.is_empty() {
                search.busy.fetch_add(1, Relaxed);
                search.from(states, scope);
            }
        });
    });
    search.watch.check()?;
    Ok(Followed {
        num_new: search.found.into_inner(),
        is_complete: !search.stop.into_inner(),
    })
}

impl<E: Edges, N: Fn(u32) -> bool + Sync> Follow<'_, E, N> {
    /// Follows these states, and all states found on the way, unless other threads do.
    fn from<'s>(&'s self, mut states: VecDeque<u32>, scope: &Scope<'s>) {
        let mut steps = 0usize;
        let mut found = 0;
        let next = |states: &mut VecDeque<u32>| match self.order {
            Order::LastFound => states.pop_back(),
            Order::FirstFound => states.pop_front(),
        };
        while let Some(state) = next(&mut states).filter(|_| !self.stop.load(Relaxed)) {
            self.edges.each_target(state, |target| {
                if (self.is_new)(target) {
                    states.push_back(target);
                    found += 1;
                }
            });
            if states.len() >= MIN_SHARED && self.busy.load(Relaxed) < self.threads {
                let half = states.split_off(states.len() / 2);
                self.busy.fetch_add(1, Relaxed);
                scope.spawn(move |scope| self.from(half, scope));
            }
            steps += 1;
            if steps == PERIOD {
                steps = 0;
                if !self.goes_on(states.len()) {
                    break;
                }
            }
        }
        // Where paths meet again and again, threads soon have nothing left, and begin anew.
        self.note(steps);
        self.busy.fetch_sub(1, Relaxed);
        self.found.fetch_add(found, Relaxed);
    }

    /// Counts states that were followed. Stops the search if they took too long.
    fn note(&self, states: usize) {
        let followed = self.followed.fetch_add(states, Relaxed) + states;
        let Some(each) = self.each else {
            return;
        };
        // Each state is followed once.
        let allowed = each.saturating_mul(u32::try_from(followed).unwrap_or(u32::MAX));
        if self.begun.elapsed() > allowed.max(WARM_UP) {
            self.stop.store(true, Relaxed);
        }
    }

    /// Returns whether to continue, with this many states to follow.
    #[cold]
    fn goes_on(&self, states: usize) -> bool {
        let is_narrow =
            states < FEW_STATES && self.busy.load(Relaxed) <= (self.threads / BUSY_DIVISOR).max(1);
        if is_narrow {
            let take = |left: usize| left.checked_sub(PERIOD);
            if self.narrow.fetch_update(Relaxed, Relaxed, take).is_err() {
                self.stop.store(true, Relaxed);
            }
        }
        self.note(PERIOD);
        !self.stop.load(Relaxed) && !self.watch.is_cancelled()
    }
}

/// Edges by their targets: offsets of the states, and the sources of the edges into each.
pub(super) struct Incoming {
    rows: Table<u32>,
    sources: Table<u32>,
}

impl Incoming {
    /// Returns the same edges the other way round.
    pub(super) fn back(&self) -> AllEdges<'_> {
        AllEdges {
            rows: &self.rows,
            targets: &self.sources,
        }
    }
}

/// Returns the edges into the states of a set from those of its states that are not in `done`.
/// `None` if there is too little memory.
pub(super) fn incoming<E: Edges>(
    edges: &E,
    among: &SharedBits,
    done: &SharedBits,
    ticker: &Ticker<'_>,
) -> Result<Option<Incoming>, Error> {
    if mdp_graph::check_room("edges by targets", &[4 * among.bound()]).is_err() {
        return Ok(None);
    }
    let left = |word| among.word(word) & !done.word(word);
    let watch = Watch::new(ticker, 0);
    let mut rows: Table<u32> = Table::new(among.bound() + 1);
    let counts = rows.as_atomics();
    each_edge(edges, among, left, &watch, |_, target| {
        counts[target as usize].fetch_add(1, Relaxed);
    })?;
    let num_edges = sum_up(&mut rows) as usize;
    if mdp_graph::check_room("edges by targets", &[4 * num_edges]).is_err() {
        return Ok(None);
    }
    let mut sources: Table<u32> = Table::new(num_edges);
    let (slots, places) = (sources.as_atomics(), rows.as_atomics());
    each_edge(edges, among, left, &watch, |state, target| {
        let slot = places[target as usize].fetch_sub(1, Relaxed) - 1;
        slots[slot as usize].store(state, Relaxed);
    })?;
    Ok(Some(Incoming { rows, sources }))
}

/// Calls `visit` with the source and the target of each edge from the states of the words `from` to
/// those of `among`, on all threads. Each thread takes neighbouring states, because what is written
/// for the targets of neighbours lies close together, and threads that write close together wait
/// for one another.
fn each_edge<E: Edges>(
    edges: &E,
    among: &SharedBits,
    from: impl Fn(usize) -> u64 + Sync,
    watch: &Watch<'_>,
    visit: impl Fn(u32, u32) + Sync,
) -> Result<(), Error> {
    let words = among.num_words();
    let chunk = words.div_ceil(CHUNKS_EACH * threads::useful()).max(1);
    let chunks = (0..words).into_par_iter().step_by(chunk).with_max_len(1);
    chunks.try_for_each(|first| {
        for word in first..words.min(first + chunk) {
            for state in ascending(word, from(word)) {
                edges.each_target(state, |target| {
                    if among.contains(target) {
                        visit(state, target);
                    }
                });
            }
        }
        watch.check()
    })
}

/// Replaces each number by the sum of all numbers up to it, on all threads. Returns the last sum.
pub(super) fn sum_up(numbers: &mut [u32]) -> u32 {
    let sums = numbers.par_chunks(SUM_CHUNK).map(|some| some.iter().sum());
    let mut befores: Vec<u32> = sums.collect();
    let mut end = 0;
    for before in &mut befores {
        end += std::mem::replace(before, end);
    }
    let chunks = numbers.par_chunks_mut(SUM_CHUNK).zip(befores);
    chunks.for_each(|(some, mut end)| {
        for number in some {
            end += *number;
            *number = end;
        }
    });
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::cpu::tests::{POOLS, draws, rows_of};
    use proptest::prelude::*;

    const ENDLESS: FollowLimits = FollowLimits {
        narrow: usize::MAX,
        each: None,
    };

    fn set_of(is_in: &[bool]) -> SharedBits {
        let set = SharedBits::new(is_in.len());
        let members = (0..).zip(is_in).filter(|&(_, &is_in)| is_in);
        members.for_each(|(state, _)| set.insert_alone(state));
        set
    }

    fn members(set: &SharedBits) -> Vec<bool> {
        (0..set.bound() as u32).map(|s| set.contains(s)).collect()
    }

    /// Adds the targets of reached states until a round adds none.
    fn by_rounds(rows: &[Vec<u32>], mut reached: Vec<bool>) -> Vec<bool> {
        loop {
            let from = rows.iter().zip(&reached).filter(|&(_, &is_in)| is_in);
            let targets: Vec<u32> = from.flat_map(|(row, _)| row.clone()).collect();
            let before = reached.clone();
            targets.iter().for_each(|&to| reached[to as usize] = true);
            if reached == before {
                return reached;
            }
        }
    }

    fn any_rows() -> impl Strategy<Value = Vec<Vec<u32>>> {
        (1..200u32, 0..4usize).prop_flat_map(|(n, degree)| {
            let row = prop::collection::vec(0..n, 0..=degree);
            prop::collection::vec(row, n as usize)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn searches_reach_what_rounds_reach(rows in any_rows(), seed: u64, few in 1..30u32) {
            let mut draw = draws(seed);
            let from: Vec<bool> = rows.iter().map(|_| draw().is_multiple_of(few)).collect();
            let expected = by_rounds(&rows, from.clone());
            let count = |set: &[bool]| set.iter().filter(|&&is_in| is_in).count();
            let (offsets, targets) = rows_of(&rows);
            let edges = AllEdges { rows: &offsets, targets: &targets };
            for pool in POOLS.iter() {
                let reached = set_of(&from);
                let ticker = Ticker::new(&Silent, rows.len());
                let start = set_of(&from);
                let found = pool.install(|| {
                    reach(&edges, &reached, |word| start.word(word), ENDLESS, &ticker)
                });
                prop_assert_eq!(found, Ok(Some(count(&expected) - count(&from))));
                prop_assert_eq!(members(&reached), expected.clone());
            }
        }

        #[test]
        fn each_state_has_its_incoming_edges(rows in any_rows(), seed: u64) {
            let mut draw = draws(seed);
            let mut some = |one_in: u32| -> Vec<bool> {
                rows.iter().map(|_| draw().is_multiple_of(one_in)).collect()
            };
            let (left_out, done) = (some(4), some(3));
            let among: Vec<bool> = left_out.iter().map(|is_out| !is_out).collect();
            let mut expected = vec![Vec::new(); rows.len()];
            for (state, row) in rows.iter().enumerate() {
                let counts = among[state] && !done[state];
                for &target in row.iter().filter(|&&to| counts && among[to as usize]) {
                    expected[target as usize].push(state as u32);
                }
            }
            let (offsets, targets) = rows_of(&rows);
            let edges = AllEdges { rows: &offsets, targets: &targets };
            for pool in POOLS.iter() {
                let ticker = Ticker::new(&Silent, rows.len());
                let found = pool.install(|| {
                    incoming(&edges, &set_of(&among), &set_of(&done), &ticker)
                });
                let found = found.expect("nobody cancels");
                let found = found.expect("there is enough memory");
                let row = |state| {
                    let mut row = found.back().of(state).to_vec();
                    row.sort_unstable();
                    row
                };
                let found: Vec<Vec<u32>> = (0..rows.len() as u32).map(row).collect();
                prop_assert_eq!(found, expected.clone());
            }
        }
    }

    /// Only one thread at a time can follow a path. In a tree, all threads soon have work.
    #[test]
    fn narrow_paths_are_given_up() {
        let n = 1 << 12;
        let path: Vec<Vec<u32>> = (1..=n).map(|next| vec![next % n]).collect();
        let tree: Vec<Vec<u32>> = (0..n)
            .map(|node| [2 * node, 2 * node + 1].map(|child| child % n).to_vec())
            .collect();
        for (rows, is_narrow) in [(path, true), (tree, false)] {
            let (offsets, targets) = rows_of(&rows);
            let edges = AllEdges {
                rows: &offsets,
                targets: &targets,
            };
            let (reached, ticker) = (SharedBits::new(n as usize), Ticker::new(&Silent, 0));
            reached.insert(1);
            let from = |word: usize| if word == 0 { 2 } else { 0 };
            let limits = FollowLimits::of_narrow(n as usize / 4);
            let found = POOLS[0].install(|| reach(&edges, &reached, from, limits, &ticker));
            assert_eq!(found.expect("nobody cancels").is_none(), is_narrow);
        }
    }

    #[test]
    fn searches_that_take_too_long_are_given_up() {
        let n = 1 << 12;
        let offsets: Vec<u32> = (0..=n).collect();
        let targets: Vec<u32> = (1..=n).map(|next| next % n).collect();
        let edges = AllEdges {
            rows: &offsets,
            targets: &targets,
        };
        for (each, is_given_up) in [(Some(Duration::ZERO), true), (None, false)] {
            let (reached, ticker) = (SharedBits::new(n as usize), Ticker::new(&Silent, 0));
            reached.insert(0);
            let from = |word: usize| u64::from(word == 0);
            let limits = FollowLimits { each, ..ENDLESS };
            let found = POOLS[0].install(|| reach(&edges, &reached, from, limits, &ticker));
            assert_eq!(found.expect("nobody cancels").is_none(), is_given_up);
        }
    }

    #[test]
    fn sums_go_on_from_one_chunk_to_the_next() {
        for len in [0, 1, SUM_CHUNK, SUM_CHUNK + 1, 3 * SUM_CHUNK - 1] {
            let mut numbers: Vec<u32> = (0..len as u32).map(|i| i % 7).collect();
            let sums = numbers.iter().scan(0, |sum, &number| {
                *sum += number;
                Some(*sum)
            });
            let expected: Vec<u32> = sums.collect();
            let last = sum_up(&mut numbers);
            assert_eq!(numbers, expected);
            assert_eq!(last, expected.last().copied().unwrap_or(0));
        }
    }
}
