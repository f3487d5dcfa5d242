//! What decompositions are expected to take, on the CPU and on a GPU, by the size of a graph and a
//! sample of its edges.
//!
//! The numbers were measured on an NVIDIA H200 and the 16 cores of its host (`docs/benchmarks/
//! shapes.md`). On the CPU, what takes long is to wait for memory: a search of a random permutation
//! takes fifteen times as long as one of a cycle in the order of its states. It is not enough that
//! edges lead far: where states are numbered as they were found, the edges of neighbours lead to
//! neighbours, and these are looked at together. So the sample counts the edges that are
//! *scattered*: whose target is far from their state and from all targets of the state before it.

use crate::cpu;
use mdp_graph::{ComponentKind, MdpGraph, StateId};
use std::time::Duration;

/// How many states are looked at.
const SAMPLE: u64 = 1 << 10;

/// Of a state, so many edges are looked at.
const MOST: usize = 16;

/// A target that is farther away than so many states is in no cache when a search comes to it.
const FAR: u64 = 1 << 12;

/// What some of a graph's edges are like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeSample {
    states: u32,
    /// Those of `states` that have an edge which leads far.
    leading_far: u32,
    edges: u32,
    /// Those of `edges` that are scattered.
    scattered: u32,
}

impl EdgeSample {
    /// A sample of the edges of `graph`.
    pub fn of(graph: &MdpGraph) -> Self {
        Self::of_rows(graph.num_states() as u64, |state| {
            let targets = graph.successors(StateId(state as u32)).iter();
            targets.map(|target| u64::from(target.0))
        })
    }

    /// The same of a graph that is not built: `row` has the targets of a state.
    pub fn of_rows<I: Iterator<Item = u64>>(num_states: u64, row: impl Fn(u64) -> I) -> Self {
        let mut sample = Self::default();
        let some = |state| row(state).take(MOST).collect::<Vec<_>>();
        for state in (1..num_states).step_by(num_states.div_ceil(SAMPLE).max(1) as usize) {
            sample.note(state, &some(state), &some(state - 1));
        }
        sample
    }

    /// A sample in which all edges are scattered.
    pub fn worst() -> Self {
        Self {
            states: 1,
            leading_far: 1,
            edges: 1,
            scattered: 1,
        }
    }

    fn note(&mut self, state: u64, targets: &[u64], of_one_before: &[u64]) {
        let far = |target: u64, state: u64| target.abs_diff(state) > FAR;
        let mut leads_far = false;
        for &target in targets {
            let is_far = far(target, state);
            let alone = of_one_before.iter().all(|&other| far(target, other));
            leads_far |= is_far;
            self.scattered += u32::from(is_far && alone);
            self.edges += 1;
        }
        self.leading_far += u32::from(leads_far);
        self.states += 1;
    }

    /// The share of edges that are scattered.
    pub fn scattered(self) -> f64 {
        f64::from(self.scattered) / f64::from(self.edges.max(1))
    }

    /// Whether most states have an edge that leads far.
    fn leads_far(self) -> bool {
        2 * self.leading_far >= self.states
    }
}

/// A decomposition, as far as it is known before it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    /// What is to be found.
    pub kind: ComponentKind,
    /// The number of states.
    pub states: u64,
    /// The number of branches.
    pub branches: u64,
    /// What the edges are like.
    pub sample: EdgeSample,
}

impl Problem {
    /// What the CPU is expected to take with so many cores.
    pub fn on_cpu(&self, cores: usize) -> Duration {
        /// Nanoseconds for a state or an edge whose target is near, or near those of others.
        const EACH: f64 = 10.0;
        /// Nanoseconds for a state of a large graph whose edges are scattered.
        const SCATTERED: f64 = 250.0;
        /// In a graph of fewer states than these, a part of them is in a cache.
        const LARGE: f64 = 2.5e6;
        let (states, all) = (self.states as f64, (self.states + self.branches) as f64);
        let waiting = SCATTERED * (states / LARGE).min(1.0) * self.sample.scattered();
        let kind = match self.kind {
            ComponentKind::Mec => 1.5,
            ComponentKind::Scc | ComponentKind::Bscc => 1.0,
        };
        nanoseconds(kind * (all * EACH + states * waiting) / self.speed_up(cores))
    }

    /// How many times as fast as one core so many are: 16 were seen to be 1.2 to 10 times as fast.
    /// Few share sweeps only, which find little in most graphs.
    fn speed_up(&self, cores: usize) -> f64 {
        let (states, branches) = (self.states as usize, self.branches as usize);
        match self.sample.leads_far() && cpu::search_together(cores, states, branches) {
            true => 1.0 + (cores.min(32) - 1) as f64 / 10.0,
            false => 1.0,
        }
    }

    /// What a GPU that is open is expected to take, the way of the graph to it and that of the
    /// answer back included.
    pub fn on_gpu(&self) -> Duration {
        /// Nanoseconds to lay out a state or an edge and to bring it to the device. For SCCs, equal
        /// edges are made one on the way.
        const MOVED: f64 = 2.0;
        const MERGED: f64 = 4.0;
        /// Nanoseconds to bring back a state's answer.
        const BACK: f64 = 4.0;
        /// Nanoseconds to search a state or an edge, and those that every search takes.
        const SEARCHED: f64 = 0.5;
        const LEAST: f64 = 10e6;
        let there = match self.kind {
            ComponentKind::Mec => MOVED,
            ComponentKind::Scc | ComponentKind::Bscc => MERGED,
        };
        let all = (self.states + self.branches) as f64;
        nanoseconds(LEAST + all * (there + SEARCHED) + self.states as f64 * BACK)
    }

    /// Whether a GPU may take many times as long as it is expected to: where edges lead nearby and
    /// there are few of them, paths may be as long as the graph.
    pub fn is_risky_on_gpu(&self) -> bool {
        self.sample.scattered() < 1.0 / 16.0 && self.branches < 8 * self.states
    }
}

fn nanoseconds(count: f64) -> Duration {
    Duration::from_nanos(count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of `states` rows.
    fn sample(states: u64, row: impl Fn(u64) -> Vec<u64>) -> EdgeSample {
        EdgeSample::of_rows(states, |state| row(state).into_iter())
    }

    #[test]
    fn edges_are_scattered_if_no_neighbour_leads_there() {
        let n = 1 << 20;
        let near = sample(n, |state| vec![(state + 1) % n, state]);
        assert_eq!((near.scattered(), near.leads_far()), (0.0, false));
        let in_parallel = sample(n, |state| vec![(state + n / 2) % n]);
        assert_eq!(
            (in_parallel.scattered(), in_parallel.leads_far()),
            (0.0, true)
        );
        let random = sample(n, |state| vec![state.wrapping_mul(0x9e37_79b9) % n]);
        assert!(random.scattered() > 0.9 && random.leads_far());
    }

    #[test]
    fn small_graphs_and_rows_of_all_lengths_can_be_sampled() {
        for n in 0..4 {
            let all = sample(n, |_| (0..n).collect());
            assert_eq!(
                (all.scattered(), u64::from(all.states)),
                (0.0, n.saturating_sub(1))
            );
        }
        let hub = sample(100_000, |state| match state {
            0 => (0..100_000).collect(),
            _ => Vec::new(),
        });
        assert_eq!(hub.scattered(), 0.0);
        assert!(hub.states > 1000 && hub.edges == 0);
    }

    /// A graph of so many million states and branches, with this share of scattered edges.
    fn problem(kind: ComponentKind, states: f64, branches: f64, scattered: f64) -> Problem {
        Problem {
            kind,
            states: (states * 1e6) as u64,
            branches: (branches * 1e6) as u64,
            sample: EdgeSample {
                states: 1000,
                leading_far: if scattered > 0.0 { 900 } else { 0 },
                edges: 1000,
                scattered: (1000.0 * scattered) as u32,
            },
        }
    }

    /// Milliseconds that were measured with one core and with 16, and the share of edges that are
    /// scattered, by a sample. Searches that sweeps do most of are not here: they are faster.
    #[test]
    fn what_is_expected_is_what_was_measured_within_a_factor_of_three() {
        use ComponentKind::{Mec, Scc};
        #[rustfmt::skip]
        let measured = [
            ("permutation=10000000", problem(Scc, 10.0, 10.0, 0.99), 3000.0, 3044.0),
            ("permutation=2750000", problem(Scc, 2.75, 2.75, 0.99), 664.0, 730.0),
            ("scattered=39062", problem(Scc, 1.21, 3.64, 0.96), 146.4, 42.8),
            ("scattered=39062", problem(Mec, 1.21, 3.64, 0.96), 378.0, 73.9),
            ("ladders=15625", problem(Scc, 1.0, 3.92, 0.73), 139.1, 23.9),
            ("mesh=107", problem(Scc, 1.23, 3.64, 0.08), 86.7, 70.5),
            ("wlan6 TTM=500", problem(Scc, 6.5, 14.5, 0.01), 285.0, 145.0),
            ("coin6 K=6", problem(Scc, 3.5, 17.4, 0.04), 283.0, 131.0),
            ("zeroconf T=60", problem(Scc, 7.5, 17.1, 0.28), 482.0, 320.0),
            ("lotteries=250000", problem(Mec, 0.25, 8.2, 0.0), 62.0, 66.0),
            ("chain=2750000", problem(Scc, 2.75, 2.75, 0.0), 55.0, 26.0),
        ];
        for (name, problem, one, sixteen) in measured {
            let expected = |cores| problem.on_cpu(cores).as_secs_f64() * 1e3;
            for (cores, measured) in [(1, one), (16, sixteen)] {
                let ratio = expected(cores) / measured;
                assert!(
                    (1.0 / 3.0..3.0).contains(&ratio),
                    "{name}, {cores} cores: {ratio:.2}"
                );
            }
        }
    }
}
