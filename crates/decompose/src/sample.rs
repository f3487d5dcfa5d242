//! [`EdgeSample`]: where some of a graph's edges lead.
//!
//! An edge is *forward* if it leads to a state with a greater number, and *backward* if it leads to
//! a state with a smaller number. A self-loop is neither.
//!
//! Edges that lead far do not always make a search wait for memory: if states are numbered in the
//! order in which they were found, neighbouring states lead to neighbouring states, which are
//! looked up together. So the sample also counts the *scattered* edges: those whose target is far
//! from their source and from all targets of the previous state. In some graphs the edges of odd
//! states lead elsewhere than those of even ones. So if a state also has a very short edge, its
//! edges that lead close to a target of the two states before the previous one are not scattered,
//! either: a path along short edges looks up these targets together.
//!
//! A device counts other edges (`shaders/csr/far.wgsl`): those that lead *very far*, wherever the
//! edges of neighbouring states lead. It cannot count scattered edges, because it does not read the
//! edges of the neighbours of most states in its sample. In the estimates of times, the edges that
//! lead very far take the place of the scattered ones ([`EdgeSample::of_very_far`]).

use mdp_graph::{MdpGraph, StateId};
use std::hint::black_box;

/// The number of states that are looked at.
const SAMPLE: u64 = 1 << 10;

/// The number of edges of a state that are looked at.
const MAX: usize = 16;

/// A target that is farther away than this many states is in no cache when a search comes to it.
const FAR: u64 = 1 << 12;

/// On a device, an edge leads very far if its target is at least this many states away. This is
/// farther than [`FAR`], because of the edges that lead less far, many lead to where those of
/// neighbouring states lead, and these are not scattered.
#[cfg(feature = "gpu")]
pub(crate) const VERY_FAR: u32 = 1 << 17;

/// The data of states that are closer than this to one another are in a few cache lines.
const CLOSE: u64 = 1 << 6;

/// Fewer than one edge in this many are few.
const FEW_DIVISOR: u32 = 6;

/// An edge is long if it leads farther than one in this many of all states.
const LONG_DIVISOR: u64 = 64;

/// Searches do not sample graphs of fewer states and edges than this, together: they take well
/// under a millisecond.
const SAMPLED_FROM: usize = if cfg!(test) { 1 } else { 1 << 17 };

/// Returns whether searches sample a graph of this size.
pub(crate) fn is_sampled(num_states: usize, num_edges: usize) -> bool {
    num_states + num_edges >= SAMPLED_FROM
}

/// The properties of some of a graph's edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeSample {
    states: u32,
    /// Those of `states` that have an edge which leads far.
    leading_far: u32,
    edges: u32,
    /// Those of `edges` that are scattered.
    scattered: u32,
    /// Those of `edges` whose target is farther away than one in `LONG_DIVISOR` of all states.
    long: u32,
    /// Those of `long` that are backward.
    long_backward: u32,
    /// Those of `edges` that are backward.
    backward: u32,
    /// The sum of the numbers of binary digits of the lengths of the backward edges.
    backward_digits: u32,
    /// The same of the forward edges.
    forward_digits: u32,
    /// Those of `edges` that lead to the next state or the one before.
    adjacent: u32,
    /// Those of `states` that lead to two others or more.
    branching: u32,
    /// Those of `states` without an edge.
    ending: u32,
}

/// Some targets of a state. Arrays are used because allocating vectors takes longer than looking.
struct Row {
    targets: [u64; MAX],
    len: usize,
}

impl Row {
    fn of(targets: impl Iterator<Item = u64>) -> Self {
        let mut row = Self {
            targets: [0; MAX],
            len: 0,
        };
        for (place, target) in row.targets.iter_mut().zip(targets) {
            *place = target;
            row.len += 1;
        }
        row
    }

    fn targets(&self) -> &[u64] {
        &self.targets[..self.len]
    }
}

impl EdgeSample {
    /// Returns a sample of the edges of `graph`.
    pub fn of(graph: &MdpGraph) -> Self {
        Self::of_rows(graph.num_states() as u64, |state| {
            let targets = graph.successors(StateId(state as u32)).iter();
            targets.map(|target| u64::from(target.0))
        })
    }

    /// Returns the same of a graph that is not built: `row` has the targets of a state.
    pub fn of_rows<I: Iterator<Item = u64>>(num_states: u64, row: impl Fn(u64) -> I) -> Self {
        let mut sample = Self::default();
        let some = |state: Option<u64>| Row::of(state.into_iter().flat_map(&row));
        let step = num_states.div_ceil(SAMPLE).max(1);
        let states = (1..num_states).step_by(step as usize);
        let states = states.map(|first| (first + scramble(first) % step).min(num_states - 1));
        // The rows are in no cache. Here nothing waits for one of them, so they are read together.
        let firsts = states.clone().filter_map(|state| row(state).next());
        black_box(firsts.fold(0, |all, first| all ^ first));
        for state in states {
            let targets = some(Some(state));
            let before = [1, 2, 3].map(|back| some(state.checked_sub(back)));
            sample.note(
                state,
                targets.targets(),
                before.each_ref().map(Row::targets),
            );
            let is_long = |&&target: &&u64| target.abs_diff(state) > num_states / LONG_DIVISOR;
            for &target in targets.targets().iter().filter(is_long) {
                sample.long += 1;
                sample.long_backward += u32::from(target < state);
            }
        }
        sample
    }

    /// Returns a sample in which all edges are scattered.
    pub fn worst() -> Self {
        Self {
            states: 1,
            leading_far: 1,
            edges: 1,
            scattered: 1,
            long: 1,
            branching: 1,
            ..Self::default()
        }
    }

    /// Adds a state and its targets. `before` has the targets of the states before this one, the
    /// nearest first.
    fn note(&mut self, state: u64, targets: &[u64], before: [&[u64]; 3]) {
        let leads_far = |&&target: &&u64| is_far_apart(target, state);
        let is_scattered = |&&target: &&u64| is_scattered(target, state, targets, before);
        let far = targets.iter().filter(leads_far);
        self.leading_far += u32::from(far.clone().next().is_some());
        self.scattered += far.filter(is_scattered).count() as u32;
        for &target in targets {
            self.note_length(state, target);
        }
        let mut others = targets.iter().filter(|&&target| target != state);
        let first = others.next();
        self.branching += u32::from(others.any(|other| Some(other) != first));
        self.ending += u32::from(targets.is_empty());
        self.states += 1;
    }

    fn note_length(&mut self, state: u64, target: u64) {
        let length = target.abs_diff(state);
        let digits = u64::BITS - length.leading_zeros();
        if target < state {
            self.backward += 1;
            self.backward_digits += digits;
        } else {
            self.forward_digits += digits;
        }
        self.adjacent += u32::from(length == 1);
        self.edges += 1;
    }

    /// Returns a sample of `edges` edges, of which a device has counted those that lead very far
    /// ([`VERY_FAR`]). Nothing else is known of them: these stand for the scattered edges and for
    /// the long ones.
    #[cfg(feature = "gpu")]
    pub(crate) fn of_very_far(very_far: u32, edges: u32) -> Self {
        Self {
            states: edges,
            leading_far: very_far,
            edges,
            scattered: very_far,
            long: very_far,
            long_backward: very_far / 2,
            branching: edges,
            ..Self::default()
        }
    }

    /// Returns a sample with this share of scattered edges; nearly all others lead far, too, if
    /// there are any.
    #[cfg(test)]
    pub(crate) fn with(scattered: f64) -> Self {
        Self {
            states: 1000,
            leading_far: if scattered > 0.0 { 900 } else { 0 },
            edges: 1000,
            scattered: (1000.0 * scattered) as u32,
            long: (1000.0 * scattered) as u32,
            long_backward: (500.0 * scattered) as u32,
            branching: 500,
            ..Self::default()
        }
    }

    /// Returns the same, in which all long edges are forward.
    #[cfg(test)]
    pub(crate) fn one_way(self) -> Self {
        Self {
            long_backward: 0,
            ..self
        }
    }

    /// Returns the same, in which no state leads to two others.
    #[cfg(test)]
    pub(crate) fn without_branches(self) -> Self {
        Self {
            branching: 0,
            ..self
        }
    }

    /// Returns the share of edges that are scattered.
    pub fn scattered(self) -> f64 {
        f64::from(self.scattered) / f64::from(self.edges.max(1))
    }

    /// Returns whether all long edges have the same direction, or at most this share of the edges
    /// is long. An edge is long if it leads farther away than a 64th of all states.
    pub(crate) fn is_in_order(self, most: f64) -> bool {
        self.long_edges_agree() || f64::from(self.long) <= most * f64::from(self.edges)
    }

    /// Returns whether there are long edges, and all of them are forward, or all are backward, as
    /// in trees whose states are numbered level by level.
    pub(crate) fn has_long_edges_one_way(self) -> bool {
        self.long > 0 && self.long_edges_agree()
    }

    /// Returns whether at least an eighth of this many edges belong to long rows, of which the
    /// sample has seen only the first edges, or none.
    pub(crate) fn has_long_rows(self, num_states: usize, num_edges: usize) -> bool {
        let (num_states, num_edges) = (num_states as u64, num_edges as u64);
        8 * u64::from(self.edges) * num_states < 7 * u64::from(self.states) * num_edges
    }

    /// Returns whether no two long edges have different directions.
    fn long_edges_agree(self) -> bool {
        self.long_backward == 0 || self.long_backward == self.long
    }

    /// Returns whether no state leads to two others.
    pub(crate) fn is_functional(self) -> bool {
        self.branching == 0
    }

    /// Returns the share of edges that lead to the next state or the one before.
    pub(crate) fn adjacent(self) -> f64 {
        f64::from(self.adjacent) / f64::from(self.edges.max(1))
    }

    /// Returns whether the graph leads backward. Each edge counts by the number of digits of its
    /// length: edges within components lead both ways, and those between components are longer.
    pub(crate) fn leads_backward(self) -> bool {
        self.backward_digits > self.forward_digits
    }

    /// Returns whether the graph leads forward: at most a sixth of the digits of all lengths belong
    /// to backward edges; or at most three eighths of the digits, if at most two fifths of the
    /// edges are backward.
    pub(crate) fn leads_forward(self) -> bool {
        let (backward, forward) = (self.backward_digits, self.forward_digits);
        let are_few = 5 * self.backward <= 2 * self.edges;
        5 * backward <= forward || are_few && 5 * backward <= 3 * forward
    }

    /// Returns the share of states without an edge.
    pub(crate) fn ending(self) -> f64 {
        f64::from(self.ending) / f64::from(self.states.max(1))
    }

    /// Returns whether no edge is backward.
    pub(crate) fn has_no_backward_edge(self) -> bool {
        self.backward == 0
    }

    /// Returns whether every edge is backward.
    pub(crate) fn is_all_backward(self) -> bool {
        self.backward == self.edges
    }

    /// Returns whether fewer than a sixth of the edges are backward.
    pub(crate) fn has_few_backward_edges(self) -> bool {
        FEW_DIVISOR * self.backward < self.edges
    }

    /// Returns whether more than five sixths of the edges are backward.
    pub(crate) fn is_almost_all_backward(self) -> bool {
        FEW_DIVISOR * (self.edges - self.backward) < self.edges
    }

    /// Returns whether at least an eighth of the edges is backward, and at least an eighth is not:
    /// then no order of the states follows the edges.
    pub(crate) fn has_both_directions(self) -> bool {
        let least = self.edges / 8;
        (least..=self.edges - least).contains(&self.backward)
    }

    /// Returns whether more than half of the edges are scattered: then states are numbered in no
    /// order.
    #[cfg(feature = "gpu")]
    pub(crate) fn is_scattered(self) -> bool {
        2 * self.scattered > self.edges
    }

    /// Returns whether at least half of the states have an edge that leads far.
    pub(crate) fn leads_far(self) -> bool {
        2 * self.leading_far >= self.states
    }

    /// Returns whether at least half of the states that have an edge have one that leads far.
    pub(crate) fn leads_far_if_at_all(self) -> bool {
        2 * self.leading_far >= self.states - self.ending
    }
}

/// Returns whether a target is in no cache after a look-up of the other state.
fn is_far_apart(target: u64, other: u64) -> bool {
    target.abs_diff(other) > FAR
}

/// Returns whether an edge that leads far is scattered. The state leads to `targets`, and `before`
/// has the targets of the states before it.
fn is_scattered(target: u64, state: u64, targets: &[u64], before: [&[u64]; 3]) -> bool {
    let [of_one_before, earlier @ ..] = before;
    let mut one_before = of_one_before.iter();
    if one_before.any(|&other| !is_far_apart(target, other)) {
        return false;
    }
    let mut lengths = targets.iter().map(|target| target.abs_diff(state));
    let has_short = lengths.any(|length| (1..CLOSE).contains(&length));
    let mut earlier = earlier.iter().flat_map(|targets| *targets);
    !(has_short && earlier.any(|&other| target.abs_diff(other) < CLOSE))
}

/// Returns a number that looks random. If the states of a sample were at equal distances, their
/// numbers would have digits in common; but in grids and in power-law graphs, these digits
/// determine the edges of a state.
fn scramble(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a sample of `states` rows.
    fn sample(states: u64, row: impl Fn(u64) -> Vec<u64>) -> EdgeSample {
        EdgeSample::of_rows(states, |state| row(state).into_iter())
    }

    #[test]
    fn edges_are_scattered_if_no_neighbour_leads_there() {
        let n = 1 << 20;
        let near = sample(n, |state| vec![(state + 1) % n, state]);
        assert_eq!((near.scattered(), near.leads_far()), (0.0, false));
        assert!(!near.has_both_directions());
        let in_parallel = sample(n, |state| vec![(state + n / 2) % n]);
        assert_eq!(
            (in_parallel.scattered(), in_parallel.leads_far()),
            (0.0, true)
        );
        let random = sample(n, |state| vec![state.wrapping_mul(0x9e37_79b9) % n]);
        assert!(random.scattered() > 0.9 && random.leads_far() && random.has_both_directions());
    }

    #[test]
    fn a_sample_is_not_of_states_with_the_same_digits() {
        // Of 1,024 consecutive states, 16 have edges: those whose numbers modulo 1,024 are near
        // `end`.
        let n = 1 << 20;
        for end in [0, 1, 1000] {
            let some = sample(n, |state| match state % 1024 {
                last if last.abs_diff(end) < 8 => vec![state / 2, state / 3],
                _ => Vec::new(),
            });
            assert!(some.ending() > 0.9 && some.branching < 64);
        }
    }

    #[test]
    fn graphs_are_in_order_if_long_edges_are_rare_or_have_one_direction() {
        let n = 1 << 20;
        let near = sample(n, |state| {
            vec![state.saturating_sub(100), (state + 5000).min(n - 1)]
        });
        let on = sample(n, |state| {
            vec![state.saturating_sub(1), (state + n / 3).min(n - 1)]
        });
        let back = sample(n, |state| vec![(state + 1).min(n - 1), state / 2]);
        let both = sample(n, |state| vec![(state + n / 2) % n]);
        assert!(
            [near, on, back]
                .iter()
                .all(|sample| sample.is_in_order(0.0))
        );
        assert!(!both.is_in_order(0.5) && both.is_in_order(1.0));
        let one_way = [near, on, back, both].map(EdgeSample::has_long_edges_one_way);
        assert_eq!(one_way, [false, true, true, false]);
    }

    #[test]
    fn states_that_lead_to_several_others_branch() {
        let n = 1 << 12;
        assert!(sample(n, |state| vec![state, state / 2, state / 2]).is_functional());
        assert!(sample(n, |_| Vec::new()).is_functional());
        assert!(!sample(n, |state| vec![state / 2, state / 3]).is_functional());
    }

    #[test]
    fn edges_between_neighbouring_numbers_are_counted() {
        let n = 1 << 12;
        let share = |row: fn(u64) -> Vec<u64>| sample(n, row).adjacent();
        assert_eq!(share(|state| vec![state ^ 1]), 1.0);
        assert_eq!(
            share(|state| vec![state, state.max(1) - 1, state ^ 2, 0]),
            0.25
        );
        assert_eq!(share(|_| vec![]), 0.0);
    }

    #[test]
    fn edges_of_every_other_state_are_not_scattered_along_short_edges() {
        // Even states lead to their halves, and odd ones to their triples.
        let n = 1 << 20;
        let far = |state: u64| match state % 2 {
            0 => state / 2,
            _ => 3 * state % n,
        };
        let along = sample(n, |state| vec![state.saturating_sub(7), far(state)]);
        assert!(along.scattered() < 0.01 && along.leads_far());
        for short in [0, FAR] {
            let across = sample(n, |state| vec![state.saturating_sub(short), far(state)]);
            assert!(across.scattered() > 0.2);
        }
    }

    #[test]
    fn a_graph_leads_backward_if_its_long_edges_do() {
        // The graph consists of rings of 16 states. Most edges lead in the other direction than the
        // long edges; every third state has a long edge.
        let n = 1 << 16;
        let on = |state: u64| state / 16 * 16 + (state + 1) % 16;
        let back = |state: u64| state / 16 * 16 + (state + 15) % 16;
        let row = |state: u64, next: u64, long: u64| match state % 3 {
            0 => vec![next, long],
            _ => vec![next],
        };
        let backward = sample(n, |state| row(state, on(state), state / 2));
        assert!(backward.leads_backward());
        let forward = sample(n, |state| row(state, back(state), (state + n) / 2));
        assert!(!forward.leads_backward());
    }

    #[test]
    fn a_graph_leads_forward_if_few_edges_lead_back_and_not_far() {
        // Of five edges of a state, some lead back by `length`, and the others lead on by 255.
        let n = 1 << 16;
        let leads_forward = |back: usize, length: u64| {
            let row = |state: u64| {
                let mut row = vec![(state + 255).min(n - 1); 5];
                row[..back].fill(state.saturating_sub(length));
                row
            };
            sample(n, row).leads_forward()
        };
        assert!(leads_forward(0, 0));
        assert!(leads_forward(1, n / 8));
        assert!(leads_forward(2, 15));
        assert!(!leads_forward(2, 255));
        assert!(leads_forward(3, 1));
        assert!(!leads_forward(3, 15));
    }

    #[test]
    fn long_rows_are_found_by_the_number_of_edges() {
        let n = 1 << 16;
        let thin = sample(n, |state| vec![state, state / 2]);
        assert!(!thin.has_long_rows(n as usize, 2 * n as usize));
        assert!(thin.has_long_rows(n as usize, 3 * n as usize));
        assert!(!EdgeSample::default().has_long_rows(n as usize, n as usize));
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
        assert!(hub.states > 1000 && hub.edges == 0 && hub.ending() == 1.0);
    }
}
