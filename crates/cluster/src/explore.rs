//! Finds the states of a system on all workers. While states are found, the hash of a packed state
//! determines its owner. When all are found, they are distributed again, by ranges of their
//! numbers.
//!
//! The states that were found and not yet expanded form a queue, in the order of their numbers. A
//! batch from the front of the queue is processed in these supersteps:
//!
//! | superstep | messages |
//! | --- | --- |
//! | request | each worker expands its states of the batch, and sends each target to its owner, with its place: the state that leads there, and the branch |
//! | rank | an owner sends the first place of each new state to the worker that ranks this range of places |
//! | number | the ranks, which give the numbers of a sequential search, are sent back to the owners |
//! | answer | owners send the numbers of targets, in the order of the requests |
//!
//! With [`Numbering::ByLevels`], a batch is a level of a breadth-first search, with as many
//! *request* supersteps as it needs. A place is then only the state that leads to another state,
//! and new states with the same first place are ranked by their hashes. So states whose numbers are
//! close lead to states whose numbers are close, as in a sequential search. If states were ordered
//! by their hashes alone, look-ups would miss the caches, both here and when a part is decomposed.
//!
//! So a worker holds the packed states that hash to it, their numbers and their choices, and a
//! batch. When all states have been found, each row is sent to the worker whose range contains its
//! number, one slice of each range at a time.

mod cache;
mod options;
mod queue;
mod rank;
mod rows;
mod set;
mod share;
mod states;

use crate::error::Error;
use crate::net::Net;
use crate::part::Part;
use ::explore::System;
use queue::Queue;

pub use options::{ExploreOptions, Numbering};
pub use states::States;

/// Finds all reachable states of a system, and returns the part of this worker. States have the
/// numbers of a sequential search or, with [`Numbering::ByLevels`], other numbers. The
/// numbers do not depend on the number of workers.
///
/// # Errors
/// [`Error::System`] if the system cannot be explored; [`Error::TooManyStates`],
/// [`Error::TooLarge`] and [`Error::Deadlock`] as described there; [`Error::Elsewhere`] if another
/// worker has an error of its system.
pub fn explore<S: System>(
    system: &S,
    options: &ExploreOptions,
    net: &mut Net<'_>,
) -> Result<Part, Error> {
    let (rows, numbers, _) = search(system, options, net)?.finish();
    share::by_ranges(rows, &numbers, options, net)
}

/// Does the same as [`explore()`], but also returns the packed states of the part.
///
/// # Errors
/// As [`explore()`].
pub fn explore_with_states<S: System>(
    system: &S,
    options: &ExploreOptions,
    net: &mut Net<'_>,
) -> Result<(Part, States), Error> {
    let (rows, numbers, set) = search(system, options, net)?.finish();
    let found = States::from_packed(system.words(), set.into_packed());
    let part = share::by_ranges(rows, &numbers, options, net)?;
    let states = States::by_ranges(&found, &numbers, &part, net);
    Ok((part, states))
}

/// Finds all states.
fn search<'s, S: System>(
    system: &'s S,
    options: &'s ExploreOptions,
    net: &mut Net<'_>,
) -> Result<Queue<'s, S>, Error> {
    let mut queue = Queue::new(system, options);
    queue.initial_states(net)?;
    while queue.expanded() < queue.found() {
        queue.advance(net)?;
    }
    Ok(queue)
}
