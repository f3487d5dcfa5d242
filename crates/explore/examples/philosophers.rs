//! Explores the randomised dining philosophers of Lehmann and Rabin, written in Rust, and prints
//! the speed with one thread and with all: `philosophers [NUMBER] [THREADS]...`
//!
//! The system is that of PRISM's case study `phil`, so the counts are known: 6 philosophers have
//! 917,424 states, 6,414,072 choices and 7,092,696 branches.

use explore::{Choices, Exploration, InitialStates, Options, System, explore};
use std::convert::Infallible;
use std::time::Instant;

/// A ring of philosophers. A state has 4 bits for each of them: his position in the protocol.
struct Philosophers {
    number: u32,
}

impl Philosophers {
    /// Returns the position of a philosopher in the protocol. His neighbours come before and after
    /// him on the ring.
    fn place(&self, state: u64, philosopher: u32) -> u64 {
        state >> (4 * (philosopher % self.number)) & 15
    }
}

/// Returns whether the fork to a philosopher's left is free, given the position of his left
/// neighbour.
fn left_free(neighbour: u64) -> bool {
    matches!(neighbour, 0..=4 | 6 | 10)
}

/// Returns whether the fork to a philosopher's right is free, given the position of his right
/// neighbour.
fn right_free(neighbour: u64) -> bool {
    matches!(neighbour, 0..=3 | 5 | 7 | 11)
}

impl System for Philosophers {
    type Scratch = ();
    type Error = Infallible;

    fn words(&self) -> usize {
        1
    }

    fn scratch(&self) {}

    fn initial_states(
        &self,
        (): &mut (),
        initial: &mut InitialStates<'_, '_>,
    ) -> Result<(), Infallible> {
        initial.add(&[0]);
        Ok(())
    }

    fn successors(
        &self,
        (): &mut (),
        state: &[u64],
        choices: &mut Choices<'_>,
    ) -> Result<(), Infallible> {
        let state = state[0];
        for philosopher in 0..self.number {
            let here = self.place(state, philosopher);
            let left = left_free(self.place(state, philosopher + 1));
            let right = right_free(self.place(state, philosopher + self.number - 1));
            let shift = 4 * philosopher;
            let go = |place: u64| [state & !(15 << shift) | place << shift];
            let mut sure = |place| {
                choices.begin(0);
                choices.branch(&go(place), 1.0);
            };
            match here {
                0 => {
                    sure(0);
                    sure(1);
                }
                1 => {
                    choices.begin(0);
                    choices.branch(&go(2), 0.5);
                    choices.branch(&go(3), 0.5);
                }
                2 => sure(if left { 4 } else { 2 }),
                3 => sure(if right { 5 } else { 3 }),
                4 => sure(if right { 8 } else { 6 }),
                5 => sure(if left { 8 } else { 7 }),
                6 | 7 => sure(1),
                8 => sure(9),
                9 => {
                    sure(10);
                    sure(11);
                }
                _ => sure(0),
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse());
    let number = numbers.next().unwrap_or(Ok(6))?;
    let mut threads = numbers.collect::<Result<Vec<usize>, _>>()?;
    if threads.is_empty() {
        threads = vec![1, rayon::current_num_threads()];
    }
    for threads in threads {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        let began = Instant::now();
        let number = u32::try_from(number)?;
        let found = pool.install(|| explore(&Philosophers { number }, &Options::default()))?;
        print(threads, &found, began.elapsed().as_secs_f64());
    }
    Ok(())
}

fn print(threads: usize, found: &Exploration, seconds: f64) {
    let graph = &found.graph;
    let branches = graph.num_branches() as f64;
    println!(
        "{threads} threads: {} states, {} choices, {} branches in {seconds:.3} s: {:.2} M states/s, {:.1} ns a branch",
        graph.num_states(),
        graph.num_choices(),
        graph.num_branches(),
        graph.num_states() as f64 / seconds / 1e6,
        seconds * 1e9 / branches,
    );
}
