//! [`Room`]: how much one worker may be sent of what is left. At first that is little, so that no
//! worker needs much more memory than the others. But a search over all workers may take one
//! superstep for each edge. So once the search has taken as long as one worker would need for what
//! is left, that may be sent to one worker, if its memory suffices.

use crate::net::Net;
use crate::part::Part;
use mdp_graph::check_room;
use std::time::Instant;

/// The bytes that the decomposition takes for each node, choice and branch that one worker is sent.
const BYTES: usize = 30;

/// How much one worker may be sent.
pub(crate) struct Room {
    usual: u64,
    began: Instant,
}

impl Room {
    pub(crate) fn new(part: &Part, net: &mut Net<'_>) -> Self {
        let branches = net.sum(part.graph().num_branches() as u64);
        let size = part.ranges().num_states() + branches;
        Self {
            usual: net.tuning().room(size, net.workers()),
            began: Instant::now(),
        }
    }

    /// The most nodes, choices and branches that one worker may be sent now. All workers ask
    /// together, and get the same answer.
    pub(crate) fn limit(&self, net: &mut Net<'_>) -> u64 {
        let Some(each) = net.tuning().gather_after else {
            return self.usual;
        };
        let searched = self.began.elapsed().as_nanos();
        let paid = searched.checked_div(each.as_nanos()).unwrap_or(u128::MAX);
        // Nodes have numbers of 32 bits.
        let paid = paid.min(u128::from(u32::MAX) - 1) as u64;
        let own = if net.me() == 0 { paid } else { 0 };
        // The same time for all workers.
        net.sum(own).max(self.usual)
    }
}

/// Whether this process has the memory to decompose so much.
pub(crate) fn has_memory(size: u64) -> bool {
    let bytes = usize::try_from(size)
        .ok()
        .and_then(|size| size.checked_mul(BYTES));
    bytes.is_some_and(|bytes| check_room("what is left", &[bytes]).is_ok())
}

/// Tells a search over all workers when to end early, because one worker may be sent the rest.
pub(crate) struct Patience<'a> {
    room: &'a Room,
    /// The size of the rest.
    size: u64,
    supersteps: u32,
    is_endless: bool,
}

impl<'a> Patience<'a> {
    /// For a search in a rest of this size. It is endless if worker 0 has no memory for the rest.
    pub(crate) fn new(room: &'a Room, size: u64, net: &mut Net<'_>) -> Self {
        let lacks = net.me() == 0 && net.tuning().gather_after.is_some() && !has_memory(size);
        Self {
            room,
            size,
            supersteps: 0,
            is_endless: net.tuning().gather_after.is_none() || net.sum(lacks.into()) > 0,
        }
    }

    /// Whether the search is to end. All workers ask together after each superstep.
    pub(crate) fn is_over(&mut self, net: &mut Net<'_>) -> bool {
        self.supersteps += 1;
        let is_due = self.supersteps.is_multiple_of(net.tuning().ask_every);
        is_due && !self.is_endless && self.room.limit(net) >= self.size
    }
}
