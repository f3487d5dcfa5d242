//! Tests of searches with batches, chunks and pools of every size, which are compared with a
//! sequential search.

mod goals;
#[path = "../../tests/it/systems/mod.rs"]
mod systems;

use super::{Tuning, explore_tuned};
use crate::{Choices, Exploration, NO_ACTION, Options, System};
use mdp_graph::StateId;
use proptest::prelude::*;
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;

/// A choice: its action, and its branches with packed targets, as the system reports them.
type Choice = (u32, Vec<(Vec<u64>, f64)>);

/// The targets of the states of a [`Random`] system.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Any states.
    Anywhere,
    /// States with slightly larger numbers: there are many levels, and each is thin.
    Ahead,
    /// Children in a tree, and sometimes the root: there are few levels, and each is wide.
    Tree,
    /// States with a digit that is larger by one: levels are widest in the middle.
    Grid,
}

/// A system that is determined by a seed. Its states are numbers, packed into words.
#[derive(Clone, Debug)]
struct Random {
    seed: u64,
    shape: Shape,
    /// States are numbers below this.
    size: u64,
    words: usize,
    max_choices: u64,
    max_branches: u64,
    initial: Vec<u64>,
}

/// Returns a number that looks random and depends on two numbers.
fn mix(a: u64, b: u64) -> u64 {
    let mut x = a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Random {
    /// Packs a number. Only one word is not 0, and its place depends on the number.
    fn pack(&self, number: u64) -> Vec<u64> {
        let mut packed = vec![0; self.words];
        packed[number as usize % self.words] = number;
        packed
    }

    fn unpack(packed: &[u64]) -> u64 {
        packed.iter().sum()
    }

    fn target(&self, state: u64, random: u64) -> u64 {
        let target = match self.shape {
            Shape::Anywhere => random,
            Shape::Ahead => state + random % 3,
            Shape::Tree if random.is_multiple_of(16) => 0,
            Shape::Tree => state * 3 + random % 3 + 1,
            Shape::Grid => state + [1, 10, 100, 1000][random as usize % 4],
        };
        target % self.size
    }

    fn choices(&self, packed: &[u64]) -> Vec<Choice> {
        let state = Self::unpack(packed);
        let base = mix(self.seed, state);
        (0..base % (self.max_choices + 1))
            .map(|choice| {
                let base = mix(base, choice + 1);
                let branches = (0..=base % self.max_branches).map(|branch| {
                    let random = mix(base, branch + 1);
                    // The first branch has a probability above 0, so that the choice has at least
                    // one branch.
                    let probability = if branch == 0 { 1 } else { random % 4 };
                    let target = self.target(state, random >> 8);
                    (self.pack(target), probability as f64 / 4.0)
                });
                ((base >> 32) as u32 % 5, branches.collect())
            })
            .collect()
    }
}

impl Random {
    /// Returns the system in the form that is explored.
    fn system(&self) -> impl System<Error = Infallible> {
        let initial = self.initial.iter();
        let initial = initial.map(|&number| self.pack(number % self.size));
        let random = self.clone();
        let successors = move |state: &[u64], choices: &mut Choices<'_>| {
            for (action, branches) in random.choices(state) {
                choices.begin(action);
                for (target, probability) in branches {
                    choices.branch(&target, probability);
                }
            }
            Ok(())
        };
        systems::system(initial.collect(), successors)
    }
}

/// The result of a sequential search with a queue and a map.
#[derive(Debug, Default, PartialEq)]
struct Oracle {
    states: Vec<u64>,
    num_initial: usize,
    choice_offsets: Vec<u32>,
    branch_offsets: Vec<u32>,
    targets: Vec<u32>,
    actions: Vec<u32>,
    probabilities: Vec<f64>,
    deadlocks: u64,
    dropped: u64,
}

impl Oracle {
    fn search(system: &Random) -> Self {
        let mut oracle = Self {
            choice_offsets: vec![0],
            branch_offsets: vec![0],
            ..Self::default()
        };
        let mut numbers = HashMap::new();
        let mut queue = VecDeque::new();
        for &initial in &system.initial {
            let packed = system.pack(initial % system.size);
            oracle.number(&mut numbers, &mut queue, &packed);
        }
        oracle.num_initial = numbers.len();
        while let Some(packed) = queue.pop_front() {
            let mut choices = system.choices(&packed);
            if choices.is_empty() {
                oracle.deadlocks += 1;
                choices = vec![(NO_ACTION, vec![(packed, 1.0)])];
            }
            for (action, branches) in choices {
                oracle.actions.push(action);
                let first = oracle.targets.len();
                for (target, probability) in branches {
                    if probability == 0.0 {
                        oracle.dropped += 1;
                        continue;
                    }
                    let target = oracle.number(&mut numbers, &mut queue, &target);
                    match oracle.targets[first..].iter().position(|&t| t == target) {
                        Some(at) => oracle.probabilities[first + at] += probability,
                        None => {
                            oracle.targets.push(target);
                            oracle.probabilities.push(probability);
                        }
                    }
                }
                oracle.branch_offsets.push(oracle.targets.len() as u32);
            }
            let choices = oracle.branch_offsets.len() as u32 - 1;
            oracle.choice_offsets.push(choices);
        }
        oracle
    }

    fn number(
        &mut self,
        numbers: &mut HashMap<Vec<u64>, u32>,
        queue: &mut VecDeque<Vec<u64>>,
        packed: &[u64],
    ) -> u32 {
        let next = numbers.len() as u32;
        *numbers.entry(packed.to_vec()).or_insert_with(|| {
            self.states.extend(packed);
            queue.push_back(packed.to_vec());
            next
        })
    }
}

impl From<Exploration> for Oracle {
    fn from(found: Exploration) -> Self {
        Self {
            states: found.states.packed().to_vec(),
            num_initial: found.num_initial,
            choice_offsets: found.graph.choice_offsets().to_vec(),
            branch_offsets: found.graph.branch_offsets().to_vec(),
            targets: StateId::as_numbers(found.graph.all_targets()).to_vec(),
            actions: found.actions.expect("actions were asked for"),
            probabilities: found.probabilities.expect("probabilities were asked for"),
            deadlocks: found.deadlocks,
            dropped: found.dropped_branches,
        }
    }
}

fn explore_on(threads: usize, system: &Random, tuning: &Tuning) -> Oracle {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().expect("threads start");
    let options = Options {
        actions: true,
        probabilities: true,
        ..Options::default()
    };
    let found = pool.install(|| explore_tuned(&system.system(), &options, tuning));
    found.expect("nothing stops it").into()
}

prop_compose! {
    fn systems()(
        seed: u64,
        shape in prop::sample::select(
            vec![Shape::Anywhere, Shape::Ahead, Shape::Tree, Shape::Grid]
        ),
        size in prop_oneof![1..=20_u64, 1..=3000_u64],
        words in prop_oneof![Just(1_usize), Just(2), 3..=5_usize],
        max_choices in 1..=5_u64,
        max_branches in prop_oneof![1..=4_u64, 1..=60_u64],
        initial in prop::collection::vec(0..3000_u64, 1..6),
    ) -> Random {
        Random { seed, shape, size, words, max_choices, max_branches, initial }
    }
}

prop_compose! {
    fn tunings()(
        batch_branches in 1..=2000_u64,
        thin in 0..=30_u32,
        chunks in 1..=20_usize,
    ) -> Tuning {
        Tuning { batch_branches, thin, chunks }
    }
}

proptest! {
    #[test]
    fn any_number_of_threads_finds_what_one_queue_finds(
        system in systems(),
        tuning in tunings(),
        threads in 1..=8_usize,
    ) {
        prop_assert_eq!(explore_on(threads, &system, &tuning), Oracle::search(&system));
    }
}

#[test]
fn the_random_systems_are_worth_searching() {
    let system = |shape, size| Random {
        seed: 7,
        shape,
        size,
        words: 2,
        max_choices: 4,
        max_branches: 4,
        initial: vec![0, 5, 0],
    };
    for (shape, most) in [
        (Shape::Anywhere, 3000),
        (Shape::Ahead, 3000),
        (Shape::Tree, 3000),
        (Shape::Grid, 3000),
    ] {
        let oracle = Oracle::search(&system(shape, most));
        let states = oracle.choice_offsets.len() - 1;
        assert!(states > 10, "{shape:?} has {states} states");
        assert!(oracle.deadlocks > 0, "{shape:?} has no deadlock");
        assert!(oracle.dropped > 0, "{shape:?} drops no branch");
        assert_eq!(oracle.num_initial, 2);
    }
}

#[test]
fn a_long_chain_is_searched() {
    let found = crate::explore(&systems::ring(200_000), &Options::default());
    let found = found.expect("nothing stops it");
    assert_eq!(found.graph.num_states(), 200_000);
    assert!((0..200_000).eq(found.states.packed().iter().copied()));
    assert_eq!(found.graph.successors(StateId(199_999)), [StateId(0)]);
}
