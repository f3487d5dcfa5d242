//! Sweeps that decide states before [`mod@super::mec`] searches the rest: states that are in no end
//! component, and end components that are a single state or a large part of the remaining states.
//!
//! ```text
//! singles:  decide each state whose choices all lead to a decided state (no choice of it stays);
//!           one that has, besides such choices, only choices that lead back to it is a MEC
//! giant:    a pivot, what it reaches by the choices that stay (without a decided target), and what
//!           of that reaches the pivot: if that is all of it, it is a MEC, and decided
//! repeat
//! ```
//!
//! If all MECs are single states, sweeping decides every state (see the elimination order in
//! `docs/certificates.md`). A set that is closed under the choices that stay, and strongly
//! connected by them, is an end component. It is also maximal, because no other state that is not
//! decided can be reached from it. This holds even if sweeping has not come to its end.

use super::edges::{AllEdges, Edges, StayingEdges};
use super::giant::{FirstSearch, Giant, GiantSearch};
use super::pivots::PivotChoice;
use super::sweep::{Direction, sweep};
use super::threads;
use super::ticker::{PERIOD, Ticker};
use crate::Error;
use mdp_graph::{Components, MdpGraph, SharedBits, Table, descending};
use rayon::prelude::*;

/// A sweep by one thread is worthwhile if it decides one in this many of the states that it visits.
const WORTHWHILE_DIVISOR: usize = 64;

/// After a sweep of several threads, that of one thread ends at one in this many states if it is
/// not worthwhile so far.
const ATTEMPT_DIVISOR: usize = 4;

/// A sweep of fewer states and branches than this ends before several threads have started.
const MIN_PARALLEL_SIZE: usize = 1 << 20;

/// A sweep that trims sinks is worthwhile if it finds one in this many of the states that are left.
/// One of the first sweeps, which cost little, is worthwhile if it finds one in so many.
const TRIMMED_DIVISOR: usize = 16;
const FREE_TRIMMED_DIVISOR: usize = 128;

/// If at most one in this many states is left, one thread searches these in the time in which
/// several threads begin. There may be states with very many edges among them, which one thread
/// goes through in any case.
const FEW_LEFT_DIVISOR: usize = 64;

/// States whose MECs are known.
pub(super) struct Decided {
    /// All of these states.
    pub(super) states: SharedBits,
    pub(super) num_states: usize,
    /// The decided states that are MECs by themselves.
    pub(super) alone: SharedBits,
    /// Components of several states: MECs, or SCCs where these are searched.
    pub(super) giants: Vec<SharedBits>,
}

/// Decides the states that sweeps can decide quickly. Also returns a giant component of the other
/// states that is no MEC, if one was found. It is one by the choices that stay.
pub(super) fn decide_by_sweeps(
    graph: &MdpGraph,
    all: &AllEdges<'_>,
    ticker: &Ticker<'_>,
) -> Result<(Decided, Option<Giant>), Error> {
    let n = graph.num_states();
    let mut decided = Decided::none(n);
    decided.decide_singles(graph, ticker)?;
    let mut pivots = PivotChoice::Last;
    while decided.num_states < n {
        let Some(giant) = decided.find_giant(graph, all, pivots, ticker)? else {
            break;
        };
        if !giant.is_closed() {
            return Ok((decided, Some(giant).filter(|giant| giant.is_complete)));
        }
        pivots = giant.pivots;
        decided.add(giant);
        decided.decide_singles(graph, ticker)?;
    }
    Ok((decided, None))
}

/// Decides all states by one sweep of this thread, from the last state to the first, or returns
/// `None` at the first word of states for which that fails. If each choice with a backward edge is
/// lost as soon as the later states are decided, this is much faster than a search.
pub(super) fn decide_all_in_order(
    graph: &MdpGraph,
    ticker: &Ticker<'_>,
) -> Result<Option<Decided>, Error> {
    let mut decided = Decided::none(graph.num_states());
    for word in (0..decided.states.num_words()).rev() {
        if word.is_multiple_of(PERIOD as usize) {
            ticker.check()?;
        }
        decided.num_states += decided.decide_word(graph, word);
        if decided.states.absent(word) != 0 {
            return Ok(None);
        }
    }
    Ok(Some(decided))
}

/// Decides states that are components by themselves because they lead only to decided states. Half
/// as many sweeps as there are threads cost little compared with a search of the graph, so they are
/// continued even if each decides only a small part. Later sweeps must decide a good part. The
/// states that are `decided` before are whole components.
pub(super) fn trim_sinks(
    edges: &AllEdges<'_>,
    mut decided: Decided,
    ticker: &Ticker<'_>,
) -> Result<Decided, Error> {
    let free = threads::useful() / 2;
    for sweeps in 1.. {
        let left = edges.num_states() - decided.num_states;
        let found = decided.sweep(ticker, |decided, word| {
            let rest = descending(word, decided.states.absent(word));
            let ends = rest.filter(|&state| {
                edges.lead_within(state, &decided.states) && decided.states.insert(state)
            });
            ends.count()
        })?;
        let pays = found > left / TRIMMED_DIVISOR
            || (sweeps < free && found > left / FREE_TRIMMED_DIVISOR);
        if found == 0 || !pays || decided.are_few_left() {
            break;
        }
    }
    Ok(decided)
}

impl Decided {
    pub(super) fn none(num_states: usize) -> Self {
        Self {
            states: SharedBits::new(num_states),
            num_states: 0,
            alone: SharedBits::new(num_states),
            giants: Vec::new(),
        }
    }

    /// Returns whether one thread searches the states that are left faster than several threads.
    pub(super) fn are_few_left(&self) -> bool {
        let n = self.states.bound();
        n - self.num_states <= n / FEW_LEFT_DIVISOR
    }

    /// Returns a copy of the decided states, if there are any, without their components.
    pub(super) fn copy(decided: Option<&Self>, num_states: usize) -> Self {
        let mut copy = Self::none(num_states);
        if let Some(decided) = decided {
            copy.states.insert_all(&decided.states);
            copy.num_states = decided.num_states;
        }
        copy
    }

    /// Decides the core of a giant as one component.
    pub(super) fn add(&mut self, giant: Giant) {
        self.states.insert_all(&giant.core);
        self.num_states += giant.num_core;
        self.giants.push(giant.core);
    }

    /// Sweeps as long as sweeps are worthwhile.
    fn decide_singles(&mut self, graph: &MdpGraph, ticker: &Ticker<'_>) -> Result<(), Error> {
        let decide = |decided: &Self, word| decided.decide_word(graph, word);
        let threads = match graph.num_states() + graph.num_branches() {
            ..MIN_PARALLEL_SIZE => 1,
            _ => threads::useful(),
        };
        loop {
            let left = graph.num_states() - self.num_states;
            let mut least = left / (WORTHWHILE_DIVISOR * threads);
            let mut found = match threads {
                1 => self.sweep_alone(1, ticker, decide)?,
                _ => self.sweep(ticker, decide)?,
            };
            if threads > 1 && (1..=least).contains(&found) {
                // One thread may have waited while the others went ahead. They have not seen the
                // states that it would have decided first.
                least = left / WORTHWHILE_DIVISOR;
                found = self.sweep_alone(ATTEMPT_DIVISOR, ticker, decide)?;
            }
            if found <= least {
                return Ok(());
            }
        }
    }

    /// Sweeps once. `decide` decides states of a word, and returns their number.
    fn sweep(
        &mut self,
        ticker: &Ticker<'_>,
        decide: impl Fn(&Self, usize) -> usize + Sync,
    ) -> Result<usize, Error> {
        let words = self.states.num_words();
        let found = sweep(words, Direction::Descending, ticker, |word| {
            decide(self, word)
        })?;
        self.note(found, ticker)
    }

    /// Sweeps once on this thread alone, which sees all states that it decided before.
    /// Ends at one in `attempt` states if it is not worthwhile so far.
    fn sweep_alone(
        &mut self,
        attempt: usize,
        ticker: &Ticker<'_>,
        decide: impl Fn(&Self, usize) -> usize,
    ) -> Result<usize, Error> {
        let enough = (self.states.bound() - self.num_states) / attempt;
        let (mut found, mut visited) = (0, 0);
        for word in (0..self.states.num_words()).rev() {
            if word.is_multiple_of(PERIOD as usize) {
                ticker.check()?;
            }
            let was_tried = visited >= enough;
            visited += self.states.absent(word).count_ones() as usize;
            found += decide(self, word);
            if !was_tried && visited >= enough && found < visited / WORTHWHILE_DIVISOR {
                break;
            }
        }
        self.note(found, ticker)
    }

    /// Records the number of states that a sweep has decided, and returns it.
    fn note(&mut self, found: usize, ticker: &Ticker<'_>) -> Result<usize, Error> {
        self.num_states += found;
        tracing::debug!(found, decided = self.num_states, "a sweep");
        ticker.report(self.num_states)?;
        Ok(found)
    }

    fn decide_word(&self, graph: &MdpGraph, word: usize) -> usize {
        let staying = StayingEdges {
            graph,
            decided: &self.states,
        };
        let mut found = 0;
        for state in descending(word, self.states.absent(word)) {
            let mut alone = false;
            let leads_on = staying.choices(state).any(|targets| {
                let back = targets.iter().all(|&target| target == state);
                alone |= back;
                !back
            });
            if !leads_on {
                if alone {
                    self.alone.insert(state);
                }
                self.states.insert(state);
                found += 1;
            }
        }
        found
    }

    /// Returns, for each state, the mark of its MEC, or [`Components::NONE`], or 0 if it is not
    /// decided. Also returns the largest free mark.
    pub(super) fn marks(&self) -> (Table<u32>, u32) {
        let mut marks: Table<u32> = Table::new(self.states.bound());
        let mut free = Components::NONE - 1;
        let firsts = (0..self.alone.num_words()).map(|word| {
            let first = free;
            free -= self.alone.word(word).count_ones();
            first
        });
        let firsts: Vec<u32> = firsts.collect();
        let of_words = marks.par_chunks_mut(64).zip(&firsts).enumerate();
        of_words.for_each(|(word, (marks, &first))| {
            for state in descending(word, self.states.word(word)) {
                marks[state as usize % 64] = Components::NONE;
            }
            for (state, mark) in descending(word, self.alone.word(word)).zip(0..) {
                marks[state as usize % 64] = first - mark;
            }
        });
        for giant in &self.giants {
            marks
                .par_chunks_mut(64)
                .enumerate()
                .for_each(|(word, marks)| {
                    for state in descending(word, giant.word(word)) {
                        marks[state as usize % 64] = free;
                    }
                });
            free -= 1;
        }
        (marks, free)
    }

    /// Returns a component that is a large part of the states that are not decided.
    fn find_giant(
        &self,
        graph: &MdpGraph,
        all: &AllEdges<'_>,
        pivots: PivotChoice,
        ticker: &Ticker<'_>,
    ) -> Result<Option<Giant>, Error> {
        let staying = StayingEdges {
            graph,
            decided: &self.states,
        };
        match self.num_states {
            0 => self.giant_by(all, pivots, ticker),
            _ => self.giant_by(&staying, pivots, ticker),
        }
    }

    fn giant_by(
        &self,
        edges: &impl Edges,
        pivots: PivotChoice,
        ticker: &Ticker<'_>,
    ) -> Result<Option<Giant>, Error> {
        let search = GiantSearch {
            edges,
            outside: &self.states,
            num_live: self.states.bound() - self.num_states,
            first: FirstSearch::Forward,
            pivots,
            ticker,
        };
        // A giant around the end of a walk may have no choice that leaves it.
        search.find_wanted(Giant::is_closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::cpu::basic;
    use mdp_graph::{Rows, StateId, StateRows};
    use proptest::prelude::*;

    /// The graph is a chain, in which a thread that waits at the end keeps the others from deciding
    /// anything.
    #[test]
    fn a_thread_that_waits_does_not_end_sweeping() {
        let n = 5 * MIN_PARALLEL_SIZE as u32 / 4;
        let offsets: Vec<u32> = (0..=n).map(|state| state.min(n - 1)).collect();
        let targets: Vec<StateId> = (1..n).map(StateId).collect();
        let rows = Rows::new(offsets.into(), targets.into()).expect("they are rows");
        let graph = MdpGraph::from(rows);
        let rows = StateRows::new(&graph);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let ticker = Ticker::new(&Silent, n as usize);
        let all = AllEdges::new(&graph, &rows);
        let decided = pool
            .expect("threads start")
            .install(|| decide_by_sweeps(&graph, &all, &ticker));
        assert_eq!(decided.expect("nobody cancels").0.num_states, n as usize);
    }

    /// The states of each level lead to the level before, which is twice as large. The states of
    /// the first level have no edges. Each sweep decides one level.
    #[test]
    fn the_last_few_states_are_left_to_one_thread() {
        let n = 1u32 << 16;
        let mut rows: Vec<Vec<u32>> = Vec::new();
        let mut before = n - 1..n;
        for level in 1..=14 {
            let first = rows.len() as u32;
            rows.extend((0..n >> (level + 1)).map(|_| vec![before.start]));
            before = first..rows.len() as u32;
        }
        let num_leading = rows.len();
        rows.resize(n as usize, Vec::new());
        let offsets: Vec<u32> = (0..=n).map(|state| state.min(num_leading as u32)).collect();
        let targets = rows.concat();
        let edges = AllEdges {
            rows: &offsets,
            targets: &targets,
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let ticker = Ticker::new(&Silent, n as usize);
        let none = Decided::none(n as usize);
        let decided = pool
            .expect("threads start")
            .install(|| trim_sinks(&edges, none, &ticker));
        let decided = decided.expect("nobody cancels");
        let left = n as usize - decided.num_states;
        assert!(
            decided.are_few_left() && left > n as usize / FEW_LEFT_DIVISOR / 4,
            "{left}"
        );
    }

    /// Returns a ladder: each state has a choice that leads to the next one. Those in the middle
    /// have another choice, which leads back or on. States for which `stays` says so have a
    /// self-loop, too.
    fn ladder(stays: &[bool]) -> MdpGraph {
        let last = stays.len() as u32 - 1;
        let choices = |(state, &stays): (u32, &bool)| {
            let mut choices = vec![vec![(state + 1).min(last)]];
            if (1..last).contains(&state) {
                choices.push(vec![state - 1, state + 1]);
            }
            choices.extend(stays.then(|| vec![state]));
            choices
        };
        let states: Vec<_> = (0..).zip(stays).map(choices).collect();
        MdpGraph::from_choices(&states).expect("it is a graph")
    }

    proptest! {
        #[test]
        fn one_sweep_finds_mecs_of_ladders(stays in prop::collection::vec(any::<bool>(), 2..300)) {
            let graph = ladder(&stays);
            let mut ticker = Ticker::new(&Silent, stays.len());
            let decided = decide_all_in_order(&graph, &ticker).expect("nobody cancels");
            let expected = basic::mecs(&graph, &mut ticker).expect("nobody cancels");
            prop_assert_eq!(
                Components::from_mec_marks(decided.expect("all are decided").marks().0),
                Components::from_mec_marks(expected)
            );
        }
    }

    /// The first half of the states is a chain. The other states are decided already, or lie on
    /// cycles.
    #[test]
    fn a_sweep_alone_ends_early_if_it_decides_few_of_those_left() {
        let (n, half) = (4096u32, 2048);
        let target = |state: u32| match state {
            ..2048 => (state + 1).min(half - 1),
            _ => state ^ 1,
        };
        let states: Vec<_> = (0..n).map(|state| vec![vec![target(state)]]).collect();
        let graph = MdpGraph::from_choices(&states).expect("it is a graph");
        let ticker = Ticker::new(&Silent, n as usize);
        for (are_decided, attempt, expected) in [
            (true, ATTEMPT_DIVISOR, half as usize),
            (false, ATTEMPT_DIVISOR, 0),
            (false, 1, half as usize),
        ] {
            let mut decided = Decided::none(n as usize);
            if are_decided {
                (half..n).for_each(|state| decided.states.insert_alone(state));
                decided.num_states = half as usize;
            }
            let decide = |decided: &Decided, word| decided.decide_word(&graph, word);
            let found = decided.sweep_alone(attempt, &ticker, decide);
            assert_eq!(found, Ok(expected));
        }
    }

    #[test]
    fn one_sweep_does_not_close_a_cycle() {
        let mut states: Vec<_> = (1..200u32).map(|next| vec![vec![next]]).collect();
        states.push(vec![vec![199]]);
        let decides = |states: &[Vec<Vec<u32>>]| {
            let graph = MdpGraph::from_choices(states).expect("it is a graph");
            let decided = decide_all_in_order(&graph, &Ticker::new(&Silent, 200));
            decided.expect("nobody cancels").is_some()
        };
        assert!(decides(&states));
        states[70].push(vec![69]);
        assert!(!decides(&states));
    }
}
