//! Estimates the time of a decomposition on the CPU and on a GPU, from the size of a graph and a
//! sample of its edges.
//!
//! The numbers were measured on an NVIDIA H200 and the 16 cores of its host (`docs/benchmarks/
//! shapes.md`). On the CPU, most of the time is spent waiting for memory: a search of a random
//! permutation takes fifteen times as long as a search of a cycle whose states are numbered in
//! order.
//!
//! The plan of the CPU alone decides which searches are tried (`cpu/strategy.rs`). This file asks
//! it, and estimates how long these searches take.

use crate::cpu;
pub use crate::sample::EdgeSample;
use mdp_graph::ComponentKind;
use std::ops::Range;
use std::time::Duration;

/// The largest number of cores with which times were measured.
const MANY_CORES: usize = 16;

/// The shares of scattered edges that count as few, as in meshes.
const MESH_SCATTERED: Range<f64> = 1.0 / 32.0..1.0 / 8.0;

/// What is known of a decomposition before it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    /// The kind of components to be found.
    pub kind: ComponentKind,
    /// The number of states.
    pub states: u64,
    /// The number of branches.
    pub branches: u64,
    /// A sample of the edges.
    pub sample: EdgeSample,
}

impl Problem {
    /// Returns the time that the CPU is expected to take with this many cores.
    pub fn on_cpu(&self, cores: usize) -> Duration {
        /// The factor by which one thread takes longer than many that search ranges of states.
        const BY_RANGES: f64 = 3.0;
        let one = self.on_one_core();
        let (states, branches) = (self.states as usize, self.branches as usize);
        // If there are many edges per state, most states are soon found, whether edges lead far or
        // not. Otherwise sweeps find little if edges lead nearby.
        let finds_many = self.is_very_dense() || self.sample.leads_far_if_at_all();
        if !finds_many || !cpu::plans_rounds(cores, states, branches) {
            return nanoseconds(match self.suits_ranges(cores) {
                true => one / BY_RANGES,
                false => one,
            });
        }
        let share = (cores.min(MANY_CORES) - 1) as f64 / (MANY_CORES - 1) as f64;
        let many = self.on_many_cores().min(one);
        nanoseconds(one + (many - one) * share)
    }

    /// Returns whether threads search ranges of states, and find components in them. Cycles are
    /// short only if edges lead in both directions, or if all long edges lead in the same one.
    fn suits_ranges(&self, cores: usize) -> bool {
        let sample = self.sample;
        let finds_components = sample.has_both_directions() || self.is_tree();
        let (states, branches) = (self.states as usize, self.branches as usize);
        cpu::plans_ranges(cores, states, branches, sample) && finds_components
    }

    /// Returns whether few edges are scattered, and all long ones have the same direction, as in a
    /// tree.
    fn is_tree(&self) -> bool {
        MESH_SCATTERED.contains(&self.sample.scattered()) && self.sample.has_long_edges_one_way()
    }

    /// Returns the nanoseconds that one core takes.
    fn on_one_core(&self) -> f64 {
        /// For each state, and for each edge that is not scattered: in a graph with few edges per
        /// state, and in one with many.
        const EACH: f64 = 10.0;
        const EACH_OF_MANY: f64 = 12.0;
        /// The time in addition for each state of a large graph whose edges are all scattered, and
        /// the number of states from which a graph is large. In smaller graphs, a part of the
        /// states is in a cache.
        const SCATTERED: (f64, f64) = (120.0, 2.5e6);
        /// If few edges are scattered, the time in addition is multiplied by this factor: in
        /// meshes, and in trees.
        const MESH: f64 = 2.5;
        const TREE: f64 = 0.25;
        /// Replaces `SCATTERED` if no state leads to two others, because walks take turns then.
        const WALKED: (f64, f64) = (50.0, 1e7);
        let (states, all) = (self.states as f64, (self.states + self.branches) as f64);
        let (each, large, factor) = match self.sample.is_functional() {
            true => (WALKED.0, WALKED.1, 1.0),
            false => (SCATTERED.0, SCATTERED.1, self.times_for_mecs(1.8)),
        };
        // Each of a few scattered edges takes more time than each of many.
        let scattered = self.sample.scattered();
        let waiting = each * (states / large).min(1.0) * scattered.sqrt();
        let waiting = match MESH_SCATTERED.contains(&scattered) {
            true if self.is_tree() => TREE * waiting,
            true => MESH * waiting,
            false => waiting,
        };
        let looked_at = match self.is_dense() {
            true => EACH_OF_MANY,
            false => EACH,
        };
        factor * (all * looked_at + states * waiting)
    }

    /// Returns the nanoseconds that [`MANY_CORES`] take if all of them search at the same time.
    fn on_many_cores(&self) -> f64 {
        /// For each state and edge: with very many or many edges per state, in a graph that is
        /// mostly one component; with few edges per state of which none is scattered; and with few
        /// edges per state of which some are scattered, so that threads meet.
        const VERY_DENSE: f64 = 1.0;
        const DENSE: f64 = 4.0;
        const ORDERED: f64 = 6.0;
        const MEETING: f64 = 5.0;
        /// For each state and edge if few edges are scattered, as in meshes.
        const MESH: f64 = 30.0;
        /// For each state and edge if all edges are scattered: with many edges per state, and with
        /// few.
        const DENSE_SCATTERED: f64 = 5.0;
        const SCATTERED: f64 = 10.0;
        let scattered = self.sample.scattered();
        let (other, all) = match self.is_dense() {
            true if self.is_very_dense() => (VERY_DENSE, DENSE_SCATTERED),
            true => (DENSE, DENSE_SCATTERED),
            false if scattered < MESH_SCATTERED.start => (ORDERED, SCATTERED),
            false if scattered < MESH_SCATTERED.end => (MESH, SCATTERED),
            false => (MEETING, SCATTERED),
        };
        let each = other + (all - other) * scattered;
        self.times_for_mecs(1.3) * each * (self.states + self.branches) as f64
    }

    /// Returns whether there are many edges per state.
    fn is_dense(&self) -> bool {
        self.branches >= 4 * self.states
    }

    /// Returns whether there are so many edges per state that threads which follow edges soon find
    /// most states.
    fn is_very_dense(&self) -> bool {
        self.branches >= 16 * self.states
    }

    /// Returns the factor for MECs, or 1 for SCCs.
    fn times_for_mecs(&self, factor: f64) -> f64 {
        match self.kind {
            ComponentKind::Mec => factor,
            ComponentKind::Scc | ComponentKind::Bscc => 1.0,
        }
    }

    /// Returns the time that the CPU is expected to take to finish a search on a GPU that has left
    /// this many states undecided. This includes copying the answer so far to the host, and
    /// numbering the undecided states anew.
    pub fn rest_on_cpu(&self, undecided: u64, cores: usize) -> Duration {
        /// Nanoseconds for a state of the whole graph.
        const TAKEN_OVER: f64 = 5.0;
        let share = undecided as f64 / self.states.max(1) as f64;
        self.on_cpu(cores).mul_f64(share) + nanoseconds(TAKEN_OVER * self.states as f64)
    }

    /// Returns the time that an open GPU is expected to take, including the transfer of the graph
    /// to the GPU and of the answer back.
    pub fn on_gpu(&self) -> Duration {
        /// Nanoseconds to lay out a state or an edge and to copy it to the device. For SCCs, equal
        /// edges are merged on the way.
        const MOVED: f64 = 2.0;
        const MERGED: f64 = 4.0;
        /// Nanoseconds to copy a state's answer back.
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

    /// Returns whether a GPU may take many times as long as expected: if there are few edges, and
    /// they lead nearby, paths may be as long as the graph.
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

    /// Returns a graph of this many million states and branches, with this share of scattered
    /// edges.
    fn problem(kind: ComponentKind, states: f64, branches: f64, scattered: f64) -> Problem {
        Problem {
            kind,
            states: (states * 1e6) as u64,
            branches: (branches * 1e6) as u64,
            sample: EdgeSample::with(scattered),
        }
    }

    /// SCCs of a graph in which each state has one edge.
    fn functional(states: f64, scattered: f64) -> Problem {
        let problem = problem(ComponentKind::Scc, states, states, scattered);
        Problem {
            sample: problem.sample.without_branches(),
            ..problem
        }
    }

    /// Returns a graph whose long edges are all forward.
    fn tree(kind: ComponentKind, states: f64, branches: f64, scattered: f64) -> Problem {
        let problem = problem(kind, states, branches, scattered);
        Problem {
            sample: problem.sample.one_way(),
            ..problem
        }
    }

    /// The times were measured in milliseconds, with one core and with 16. The share of scattered
    /// edges is that of a sample. Searches that consist mostly of sweeps are left out: they are
    /// faster than expected.
    #[test]
    fn expected_times_are_within_a_factor_of_three_of_measured_ones() {
        use ComponentKind::{Mec, Scc};
        #[rustfmt::skip]
        let measured = [
            ("permutation=10000000", functional(10.0, 0.99), 725.0, 725.0),
            ("permutation=2750000", functional(2.75, 0.99), 105.0, 105.0),
            ("shuffled-cycle=5000000", functional(5.0, 0.99), 108.0, 108.0),
            ("scattered=39062", problem(Scc, 1.21, 3.64, 0.96), 146.4, 42.8),
            ("scattered=39062", problem(Mec, 1.21, 3.64, 0.96), 378.0, 73.9),
            ("ladders=15625", problem(Scc, 1.0, 3.92, 0.73), 139.1, 23.9),
            ("mesh=107", problem(Scc, 1.23, 3.64, 0.08), 86.7, 70.5),
            ("cycle-tree=1500000", tree(Scc, 12.0, 13.5, 0.11), 343.6, 102.2),
            ("cycle-tree=1500000", tree(Mec, 12.0, 13.5, 0.11), 623.0, 199.7),
            ("wlan6 TTM=500", problem(Scc, 6.5, 14.5, 0.01), 285.0, 145.0),
            ("coin6 K=6", problem(Scc, 3.5, 17.4, 0.04), 283.0, 131.0),
            ("zeroconf T=100", problem(Scc, 19.7, 45.5, 0.29), 943.0, 319.0),
            ("zeroconf T=100", problem(Mec, 19.7, 45.5, 0.29), 1292.0, 541.0),
            ("lotteries=333333", problem(Scc, 0.333, 11.0, 0.0), 80.9, 14.2),
            ("lotteries=333333", problem(Mec, 0.333, 11.0, 0.0), 145.0, 14.9),
            ("lotteries=600000", problem(Scc, 0.6, 19.7, 0.0), 249.4, 17.4),
            ("lotteries=600000", problem(Mec, 0.6, 19.7, 0.0), 338.7, 19.5),
            ("lotteries=1000000", problem(Scc, 1.0, 32.9, 0.0), 488.7, 26.0),
            ("lotteries=1000000", problem(Mec, 1.0, 32.9, 0.0), 677.9, 24.3),
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
