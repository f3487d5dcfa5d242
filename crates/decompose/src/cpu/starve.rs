//! Sweeps that close states before [`mod@super::mec`] searches the rest: states that are in no end
//! component, and end components that are a single state or a large part of the remaining states. A
//! state *starves* if it has no choice left: each of its choices has a closed target.
//!
//! ```text
//! starve:   close each state all of whose choices lead to a closed state; one that has, besides
//!           such choices, only choices that lead back to it is a MEC
//! giant:    a pivot, what it reaches by the choices that stay (without a closed target), and what
//!           of that reaches the pivot: if that is all of it, it is a MEC, and closed
//! repeat
//! ```
//!
//! If all MECs are single states, starving closes every state (see the elimination order in
//! `docs/certificates.md`). A set that is closed under the choices that stay, and strongly
//! connected by them, is an end component. It is also maximal, because no other state that is not
//! closed can be reached from it. This holds even if starving has not come to its end.

use super::edges::{All, Edges, Staying};
use super::giant::{self, First, Giant};
use super::sweep::{Direction, sweep};
use super::threads;
use super::ticker::{PERIOD, Ticker};
use crate::Error;
use mdp_graph::{Components, MdpGraph, SharedBits, Table, descending};
use rayon::prelude::*;

/// A sweep by one thread is worthwhile if it closes one in this many of the states that it visits.
const SHARE: usize = 64;

/// A sweep of fewer states and branches than this ends before several threads have started.
const SMALL: usize = 1 << 20;

/// States whose MECs are known.
pub(super) struct Closed {
    /// All of these states.
    pub(super) states: SharedBits,
    pub(super) num_states: usize,
    /// The closed states that are MECs by themselves.
    pub(super) alone: SharedBits,
    /// MECs of several states.
    pub(super) giants: Vec<SharedBits>,
}

/// Closes the states that sweeps can close quickly.
pub(super) fn starve(
    graph: &MdpGraph,
    all: &All<'_>,
    ticker: &Ticker<'_>,
) -> Result<Closed, Error> {
    let n = graph.num_states();
    let mut closed = Closed::none(n);
    closed.starve(graph, ticker)?;
    while closed.num_states < n {
        let Some(giant) = closed.find_giant(graph, all, ticker)? else {
            break;
        };
        closed.states.insert_all(&giant);
        closed.num_states += giant.len();
        closed.giants.push(giant);
        closed.starve(graph, ticker)?;
    }
    Ok(closed)
}

/// Closes states that are components by themselves because they lead only to closed states. Half as
/// many sweeps as there are threads cost little compared with a search of the graph, so they are
/// continued even if each closes only a small part. Later sweeps must close a good part.
pub(super) fn trim(edges: &All<'_>, ticker: &Ticker<'_>) -> Result<Closed, Error> {
    let mut closed = Closed::none(edges.num_states());
    let free = threads::useful() / 2;
    for sweeps in 1.. {
        let left = edges.num_states() - closed.num_states;
        let found = closed.sweep(ticker, |closed, word| {
            let rest = descending(word, closed.states.absent(word));
            let ends = rest.filter(|&state| {
                edges.lead_within(state, &closed.states) && closed.states.insert(state)
            });
            ends.count()
        })?;
        let pays = found > left / 16 || (sweeps < free && found > left / 128);
        if found == 0 || !pays {
            break;
        }
    }
    Ok(closed)
}

impl Closed {
    pub(super) fn none(num_states: usize) -> Self {
        Self {
            states: SharedBits::new(num_states),
            num_states: 0,
            alone: SharedBits::new(num_states),
            giants: Vec::new(),
        }
    }

    /// Sweeps as long as sweeps are worthwhile.
    fn starve(&mut self, graph: &MdpGraph, ticker: &Ticker<'_>) -> Result<(), Error> {
        let close = |closed: &Self, word| closed.starve_word(graph, word);
        let threads = match graph.num_states() + graph.num_branches() {
            ..SMALL => 1,
            _ => threads::useful(),
        };
        loop {
            let left = graph.num_states() - self.num_states;
            let mut least = left / (SHARE * threads);
            let mut found = match threads {
                1 => self.sweep_alone(ticker, close)?,
                _ => self.sweep(ticker, close)?,
            };
            if threads > 1 && (1..=least).contains(&found) {
                // One thread may have waited while the others went ahead. They have not seen the
                // states that it would have closed first.
                least = left / SHARE;
                found = self.sweep_alone(ticker, close)?;
            }
            if found <= least {
                return Ok(());
            }
        }
    }

    /// Sweeps once. `close` closes states of a word, and returns their number.
    fn sweep(
        &mut self,
        ticker: &Ticker<'_>,
        close: impl Fn(&Self, usize) -> usize + Sync,
    ) -> Result<usize, Error> {
        let words = self.states.num_words();
        let found = sweep(words, Direction::Descending, ticker, |word| {
            close(self, word)
        })?;
        self.note(found, ticker)
    }

    /// Sweeps once on this thread alone, which sees all states that it closed before.
    fn sweep_alone(
        &mut self,
        ticker: &Ticker<'_>,
        close: impl Fn(&Self, usize) -> usize,
    ) -> Result<usize, Error> {
        let mut found = 0;
        for word in (0..self.states.num_words()).rev() {
            if word.is_multiple_of(PERIOD as usize) {
                ticker.check()?;
            }
            found += close(self, word);
        }
        self.note(found, ticker)
    }

    /// Records the number of states that a sweep has closed, and returns it.
    fn note(&mut self, found: usize, ticker: &Ticker<'_>) -> Result<usize, Error> {
        self.num_states += found;
        tracing::debug!(found, closed = self.num_states, "a sweep");
        ticker.report(self.num_states)?;
        Ok(found)
    }

    fn starve_word(&self, graph: &MdpGraph, word: usize) -> usize {
        let staying = Staying {
            graph,
            closed: &self.states,
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
    /// closed. Also returns the largest free mark.
    pub(super) fn marks(&self) -> (Table<u32>, u32) {
        let mut marks: Table<u32> = Table::new(self.states.bound());
        marks
            .par_chunks_mut(64)
            .enumerate()
            .for_each(|(word, marks)| {
                for state in descending(word, self.states.word(word)) {
                    marks[state as usize % 64] = Components::NONE;
                }
            });
        let mut free = Components::NONE - 1;
        for state in self.alone.descending() {
            marks[state as usize] = free;
            free -= 1;
        }
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

    /// A MEC that is a large part of the states that are not closed.
    fn find_giant(
        &self,
        graph: &MdpGraph,
        all: &All<'_>,
        ticker: &Ticker<'_>,
    ) -> Result<Option<SharedBits>, Error> {
        let staying = Staying {
            graph,
            closed: &self.states,
        };
        let giant = match self.num_states {
            0 => self.giant_by(all, ticker)?,
            _ => self.giant_by(&staying, ticker)?,
        };
        Ok(giant
            .filter(|giant| giant.num_core == giant.num_reached)
            .map(|giant| giant.core))
    }

    fn giant_by(&self, edges: &impl Edges, ticker: &Ticker<'_>) -> Result<Option<Giant>, Error> {
        let left = self.states.bound() - self.num_states;
        giant::find(edges, &self.states, left, First::Forward, ticker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use mdp_graph::{Rows, StateId, StateRows};

    /// In a chain, a thread that waits at the end holds up the others: they close nothing.
    #[test]
    fn a_thread_that_waits_does_not_end_starving() {
        let n = 5 * SMALL as u32 / 4;
        let offsets: Vec<u32> = (0..=n).map(|state| state.min(n - 1)).collect();
        let targets: Vec<StateId> = (1..n).map(StateId).collect();
        let rows = Rows::new(offsets.into(), targets.into()).expect("they are rows");
        let graph = MdpGraph::from(rows);
        let rows = StateRows::new(&graph);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let ticker = Ticker::new(&Silent, n as usize);
        let all = All::new(&graph, &rows);
        let closed = pool
            .expect("threads start")
            .install(|| starve(&graph, &all, &ticker));
        assert_eq!(closed.expect("nobody cancels").num_states, n as usize);
    }
}
