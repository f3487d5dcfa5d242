//! Bounds the number of iterations that the loops of kernels may need for one state of a network.
//!
//! The check that ends a loop counts as one more iteration, as on Mesa's software device.

use crate::encode::{Dependent, SyncLabel};
use crate::network::Network;
use std::collections::HashMap;

/// The largest number of iterations for a synchronisation label and a state of the process that is
/// the first participant of its rules.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// The iterations for finding the rules in which the other processes can take part.
    scan: u64,
    /// The iterations for writing the successors, for each target of the process.
    each_target: u64,
}

/// The maxima over the states of a process.
struct Maxima {
    /// The largest number of targets of a state for each synchronisation label.
    most_targets: HashMap<SyncLabel, u64>,
    /// The largest number of steps of a binary search for a label among those of a state.
    most_steps: u64,
}

impl Network {
    /// Returns an upper bound on the total number of iterations of all loops in which an invocation
    /// counts the successors of a state, or writes them, with [`WordTables`](crate::WordTables)
    /// whose states have this many words. It assumes that each process is in its most expensive
    /// state, and that the participants of all rules can take part.
    #[must_use]
    pub fn most_iterations(&self, state_words: usize) -> u64 {
        // A successor is copied from the state and to its position, word by word. Loops over a
        // single word are unrolled, and need at most one iteration.
        let words = match state_words {
            1 => 1,
            more => more as u64 + 1,
        };
        let copy = 1 + 2 * words;
        let maxima: Vec<_> = (0..self.fields.len()).map(|own| self.maxima(own)).collect();
        // The loops over processes, their independent transitions and their labels.
        let of_process = |own| self.most_of_process(own, &maxima, copy).saturating_add(3);
        let all = (0..self.fields.len()).map(of_process);
        all.fold(1, u64::saturating_add)
    }

    /// Returns the maxima over the states of a process.
    fn maxima(&self, own: usize) -> Maxima {
        let rows = &self.tables.rows[own];
        let (mut most_targets, mut longest) = (HashMap::new(), 0);
        for state in 0..self.fields[own].num_states() {
            let dependent = rows.dependent(state);
            longest = longest.max(dependent.len());
            for Dependent { sync, targets, .. } in dependent {
                let most = most_targets.entry(*sync).or_insert(0);
                *most = (*most).max(targets.range().len() as u64);
            }
        }
        let most_steps = longest.checked_ilog2().map_or(0, |log| u64::from(log) + 1);
        Maxima {
            most_targets,
            most_steps,
        }
    }

    /// Returns the cost of the most expensive state of a process.
    fn most_of_process(&self, own: usize, maxima: &[Maxima], copy: u64) -> u64 {
        let rows = &self.tables.rows[own];
        let mut costs: HashMap<SyncLabel, Cost> = HashMap::new();
        let mut of_state = |state: u32| {
            let independent = rows.independent(state).len() as u64;
            let mut all = independent.saturating_mul(copy);
            for dependent in rows.dependent(state) {
                let cost = costs
                    .entry(dependent.sync)
                    .or_insert_with(|| self.cost_of(own, dependent, maxima, copy));
                let targets = dependent.targets.range().len() as u64;
                let writing = cost.each_target.saturating_mul(targets);
                // The loop over labels, and the end of the loop over the rules of a label.
                all = all.saturating_add(2 + cost.scan).saturating_add(writing);
            }
            all
        };
        let states = 0..self.fields[own].num_states();
        states.map(&mut of_state).max().unwrap_or(0)
    }

    /// Returns the cost of the rules of which the process is the first participant.
    fn cost_of(&self, own: usize, of: &Dependent, maxima: &[Maxima], copy: u64) -> Cost {
        let rules = &self.tables.rules;
        let mut cost = Cost::default();
        for rule in of.rules.range() {
            // The loop over the words of the rule; for each word, the loop over its participants;
            // and for each of these, the binary search.
            let (mut seeking, mut ways) = (1 + 2 * rules.words() as u64, 1_u64);
            for other in rules.participants(rule) {
                seeking += 2 + maxima[other].most_steps;
                if other != own {
                    let targets = maxima[other].most_targets.get(&of.sync);
                    ways = ways.saturating_mul(targets.copied().unwrap_or(0));
                }
            }
            // The loop over rules, and the end of the loop over combinations.
            cost.scan += 2 + seeking;
            let writing = ways.saturating_mul(copy + seeking);
            cost.each_target = cost.each_target.saturating_add(writing);
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use crate::Network;
    use lts_formats::read_exp;

    fn network(text: &str) -> Network {
        let behaviour = read_exp(text.as_bytes()).expect(text);
        Network::compile(&behaviour, |file| Err(file.path.clone())).expect(text)
    }

    #[test]
    fn loops_are_counted_for_the_most_expensive_states() {
        // Three loops and their ends for the process; for each of three transitions one iteration
        // and two for its word, or two times three for its two words.
        let alone = "des (0, 4, 4) (0, a, 1) (0, a, 2) (0, a, 3) (1, a, 0)";
        assert_eq!(network(alone).most_iterations(1), 4 + 3 * 3);
        assert_eq!(network(alone).most_iterations(2), 4 + 3 * 7);
        // The same of both processes, and a label of each; the rule of the first one. To see
        // whether both take part, the words of the rule, and for each process a binary search of
        // one step. The same again for each of 3 * 3 successors.
        let both = network(&format!("par a in {alone} || {alone} end par"));
        let seeking = 3 + 2 * (2 + 1);
        let expected = 1 + 2 * (3 + 2) + (2 + seeking) + 9 * (3 + seeking);
        assert_eq!(both.most_iterations(1), expected);
    }
}
