//! A protocol: workers around a table, one tool between each two of them.
//!
//! A worker who wants to work flips a coin for the tool to take first, takes it if it is free, and
//! then takes the other one too; who finds a tool in use puts the other back and flips again. Who has
//! worked with both puts them back, and in one of twenty cases resigns. The scheduler picks who moves:
//! one choice a worker who has not resigned.
//!
//! Its decomposition is rich. Resignations cannot be undone, so the choices that risk one are in no
//! end component. Then whoever works has to go on forever, so that beginning to work cannot be undone
//! either; but their neighbours may flip coins forever, for the tools that they need are in use.

use super::{Branch, Model};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Three bits a worker, in 64 bits.
pub(super) const MOST_WORKERS: u32 = 21;

/// What a worker is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Worker {
    Idle,
    /// Wants the left tool first.
    WantLeft,
    WantRight,
    HoldLeft,
    HoldRight,
    Working,
    Gone,
}

impl Worker {
    const ALL: [Self; 7] = [
        Self::Idle,
        Self::WantLeft,
        Self::WantRight,
        Self::HoldLeft,
        Self::HoldRight,
        Self::Working,
        Self::Gone,
    ];

    /// What the worker does when it moves on from here.
    fn verb(self) -> &'static str {
        match self {
            Self::Idle => "flips",
            Self::WantLeft | Self::WantRight => "takes",
            Self::HoldLeft | Self::HoldRight => "begins",
            Self::Working => "finishes",
            Self::Gone => "rests",
        }
    }

    fn has_left_tool(self) -> bool {
        matches!(self, Self::HoldLeft | Self::Working)
    }

    fn has_right_tool(self) -> bool {
        matches!(self, Self::HoldRight | Self::Working)
    }
}

/// What all workers are doing, three bits each; all idle at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Table(u64);

impl Table {
    fn worker(self, i: u32) -> Worker {
        Worker::ALL[(self.0 >> (3 * i) & 7) as usize]
    }

    fn with(self, i: u32, worker: Worker) -> Self {
        Self(self.0 & !(7 << (3 * i)) | (worker as u64) << (3 * i))
    }

    /// The moves of worker `i`, of `workers`: what it does next, with which chances. None if it has
    /// resigned.
    fn moves(self, i: u32, workers: u32) -> &'static [(Worker, f64)] {
        let left = self.worker((i + workers - 1) % workers);
        let right = self.worker((i + 1) % workers);
        let left_is_free = !left.has_right_tool();
        let right_is_free = !right.has_left_tool();
        match self.worker(i) {
            Worker::Idle => &[(Worker::WantLeft, 0.5), (Worker::WantRight, 0.5)],
            Worker::WantLeft if left_is_free => &[(Worker::HoldLeft, 1.0)],
            Worker::WantRight if right_is_free => &[(Worker::HoldRight, 1.0)],
            Worker::HoldLeft if right_is_free => &[(Worker::Working, 1.0)],
            Worker::HoldRight if left_is_free => &[(Worker::Working, 1.0)],
            Worker::WantLeft | Worker::WantRight | Worker::HoldLeft | Worker::HoldRight => {
                &[(Worker::Idle, 1.0)]
            }
            Worker::Working => &[(Worker::Idle, 0.95), (Worker::Gone, 0.05)],
            Worker::Gone => &[],
        }
    }
}

/// The reachable states of the protocol, numbered as a breadth-first search meets them.
pub(super) struct Workshop {
    workers: u32,
    tables: Vec<Table>,
    numbers: HashMap<Table, u32>,
}

impl Workshop {
    pub(super) fn explore(workers: u32) -> Self {
        let start = Table(0);
        let mut tables = vec![start];
        let mut numbers = HashMap::from([(start, 0)]);
        let mut next = 0;
        while let Some(&table) = tables.get(next) {
            next += 1;
            for i in 0..workers {
                for &(worker, _) in table.moves(i, workers) {
                    let target = table.with(i, worker);
                    numbers.entry(target).or_insert_with(|| {
                        tables.push(target);
                        tables.len() as u32 - 1
                    });
                }
            }
        }
        Self {
            workers,
            tables,
            numbers,
        }
    }

    fn workers(&self, state: u32) -> impl Iterator<Item = Worker> {
        let table = self.tables[state as usize];
        (0..self.workers).map(move |i| table.worker(i))
    }
}

impl Model for Workshop {
    fn num_states(&self) -> u32 {
        self.tables.len() as u32
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        let table = self.tables[state as usize];
        for i in 0..self.workers {
            let mut branches = [(0, 0.0); 2];
            let moves = table.moves(i, self.workers);
            for (branch, &(worker, probability)) in branches.iter_mut().zip(moves) {
                *branch = (self.numbers[&table.with(i, worker)], probability);
            }
            if !moves.is_empty() {
                let action = format!("worker{i}_{}", table.worker(i).verb());
                choice(Some(&action), &branches[..moves.len()]);
            }
        }
    }

    fn variables(&self) -> Vec<String> {
        (0..self.workers).map(|i| format!("worker{i}")).collect()
    }

    fn valuation(&self, state: u32, text: &mut String) {
        for (i, worker) in self.workers(state).enumerate() {
            let _ = write!(text, "{}{}", if i == 0 { "" } else { "," }, worker as u8);
        }
    }

    fn labels(&self) -> &'static [&'static str] {
        &["init", "deadlock", "working", "gone"]
    }

    fn has_label(&self, state: u32, label: usize) -> bool {
        match label {
            0 => state == 0,
            1 => self.workers(state).all(|worker| worker == Worker::Gone),
            2 => self.workers(state).any(|worker| worker == Worker::Working),
            _ => self.workers(state).any(|worker| worker == Worker::Gone),
        }
    }
}
