//! Random models of many shapes and sizes, most of them small.
//!
//! A shape draws edges (`shapes.rs`). Then edges are grouped into choices, states lose choices or
//! get self-loops, and all states are renumbered.

mod forks;
mod shapes;

pub(crate) use shapes::Rows;

use crate::generate::{Branch, Family, Model};
use crate::rng::Rng;
use mdp_graph::{MdpGraph, StateId};

/// A random model.
pub(crate) struct Drawn {
    /// The name of its shape.
    pub(crate) name: String,
    pub(crate) graph: MdpGraph,
}

/// Draws a model of at most this many states.
pub(crate) fn draw(rng: &mut Rng, largest: u32) -> Drawn {
    let size = size(rng, largest);
    if rng.one_in(16) {
        let names = rng.one_of(&[2, 3]);
        return twice(rng, size, names);
    }
    let (name, rows) = if rng.one_in(8) {
        of_family(rng, size)
    } else if rng.one_in(8) {
        ("forks".to_owned(), forks::draw(rng, size))
    } else {
        let (shape, edges) = shapes::draw(rng, size);
        (shape.to_owned(), choices(rng, &edges))
    };
    let rows = with_deadlocks_and_loops(rng, rows);
    let (order, numbering) = numbering(rng, rows.len() as u32);
    let graph = graph(&renumbered(rows, &order));
    Drawn {
        name: format!("{name}, {numbering}, {} states", graph.num_states()),
        graph,
    }
}

/// Draws a size, which is mostly small: errors often occur in small models, too, and more of them
/// can be tested.
fn size(rng: &mut Rng, largest: u32) -> u32 {
    let (first, last) = rng.one_of(&[
        (1, 64),
        (1, 64),
        (2, 1_000),
        (2, 1_000),
        (2, 1_000),
        (500, 10_000),
        (500, 10_000),
        (5_000, 100_000),
    ]);
    rng.magnitude(first, last.max(first)).min(largest)
}

/// Blocks in which a state loses its last predecessor and its last successor at the same time. The
/// states keep their numbers, which matter: they must give a region the same name as a pivot. See
/// `shapes.rs`.
pub(crate) fn twice(rng: &mut Rng, size: u32, names: u32) -> Drawn {
    let (rows, name) = shapes::twice(rng, size, names);
    Drawn {
        name: format!("{name}, {} states", rows.len()),
        graph: graph(&rows),
    }
}

/// Paths that begin at forks. The states keep their numbers, because it matters which states are
/// neighbours.
pub(crate) fn forks(rng: &mut Rng, size: u32) -> Rows {
    forks::draw(rng, size)
}

/// Returns a model of one of the families that are used for measurements.
fn of_family(rng: &mut Rng, size: u32) -> (String, Rows) {
    let family = rng.one_of(Family::ALL);
    let states = match family {
        // They take as many rounds as they have rungs, so their time grows with the square of the
        // size.
        Family::Ladder => size.min(400),
        Family::Stairs => size.min(1_000),
        _ => size,
    };
    let model = family
        .model(family.size_for(states), rng.below(u32::MAX))
        .expect("the size is within the limits");
    (family.described().0.to_owned(), rows(&*model))
}

/// Returns the choices of all states of a model.
pub(crate) fn rows(model: &dyn Model) -> Rows {
    let row = |state| {
        let mut row = Vec::new();
        model.choices(state, &mut |_, branches| {
            row.push(branches.iter().map(|&(target, _)| target).collect());
        });
        row
    };
    (0..model.num_states()).map(row).collect()
}

/// Groups edges into choices: one choice for each edge, one for all edges of a state, or something
/// between.
fn choices(rng: &mut Rng, edges: &[Vec<u32>]) -> Rows {
    let most = rng.one_of(&[1, 1, 2, 3, u32::MAX]);
    let of_state = |targets: &Vec<u32>| {
        let mut row = Vec::new();
        let mut rest = &targets[..];
        while !rest.is_empty() {
            let taken = rng.between(1, most.min(rest.len() as u32));
            let (choice, others) = rest.split_at(taken as usize);
            row.push(choice.to_vec());
            rest = others;
        }
        row
    };
    edges.iter().map(of_state).collect()
}

/// Takes all choices from some states, and gives some states a self-loop, as a choice or as a
/// branch.
fn with_deadlocks_and_loops(rng: &mut Rng, mut rows: Rows) -> Rows {
    let [deadlocks, stays, lingers] = [(); 3].map(|()| rng.one_of(&[u32::MAX, u32::MAX, 50, 3]));
    for (state, row) in (0..).zip(&mut rows) {
        if rng.one_in(deadlocks.max(20)) && deadlocks != u32::MAX {
            row.clear();
        }
        if rng.one_in(stays) {
            row.push(vec![state]);
        }
        if rng.one_in(lingers) {
            row.iter_mut().take(1).for_each(|choice| choice.push(state));
        }
    }
    rows
}

/// Returns the new number of each state, and the name of the numbering.
fn numbering(rng: &mut Rng, n: u32) -> (Vec<u32>, &'static str) {
    let mut order: Vec<u32> = (0..n).collect();
    let name = match rng.below(5) {
        0 => "as drawn",
        1 => {
            order.reverse();
            "reversed"
        }
        2 => {
            let mut states = order.clone();
            states.sort_by_key(|state| state.reverse_bits());
            (0..)
                .zip(&states)
                .for_each(|(new, &state)| order[state as usize] = new);
            "bits reversed"
        }
        3 => {
            // Neighbours stay together.
            let block = rng.magnitude(2, 64).min(n.max(1));
            let blocks = rng.order(n / block);
            for state in 0..blocks.len() as u32 * block {
                order[state as usize] = blocks[(state / block) as usize] * block + state % block;
            }
            "blocks in any order"
        }
        _ => {
            order = rng.order(n);
            "in any order"
        }
    };
    (order, name)
}

fn renumbered(rows: Rows, order: &[u32]) -> Rows {
    let mut new = vec![Vec::new(); rows.len()];
    for (mut row, &state) in rows.into_iter().zip(order) {
        for choice in &mut row {
            choice
                .iter_mut()
                .for_each(|target| *target = order[*target as usize]);
            choice.sort_unstable();
            choice.dedup();
        }
        new[state as usize] = row;
    }
    new
}

/// Returns the graph with these choices.
pub(crate) fn graph(rows: &Rows) -> MdpGraph {
    MdpGraph::from_choices(rows).expect("what was drawn is well formed")
}

impl Model for Drawn {
    fn num_states(&self) -> u32 {
        self.graph.num_states() as u32
    }

    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch])) {
        for targets in self
            .graph
            .choices(StateId(state))
            .map(|choice| self.graph.targets(choice))
        {
            let chance = 1.0 / targets.len() as f64;
            let branches: Vec<Branch> = targets.iter().map(|target| (target.0, chance)).collect();
            choice(None, &branches);
        }
    }
}
