//! [`Room`]: the largest rest that may be sent to one worker. At first, this is small, so that no
//! worker needs much more memory than the others. But a search over all workers may take one
//! superstep for each edge. So once the search has taken as long as one worker would need for the
//! rest, the rest may be sent to one worker, if its memory suffices.

use crate::net::Net;
use crate::part::Part;
use mdp_graph::check_room;
use std::time::Instant;

/// The number of bytes that the decomposition needs for each node, choice and branch that one
/// worker receives.
const BYTES: usize = 30;

/// The limit on what one worker may receive.
pub(super) struct Room {
    usual: u64,
    began: Instant,
}

impl Room {
    pub(super) fn new(part: &Part, net: &mut Net<'_>) -> Self {
        let branches = net.sum(part.graph().num_branches() as u64);
        let size = part.ranges().num_states() + branches;
        Self {
            usual: net.tuning().room(size, net.workers()),
            began: Instant::now(),
        }
    }

    /// Returns the largest number of nodes, choices and branches that may be sent to one worker
    /// now. All workers must call this together, and get the same result.
    pub(super) fn limit(&self, net: &mut Net<'_>) -> u64 {
        let Some(each) = net.tuning().gather_after else {
            return self.usual;
        };
        let searched = self.began.elapsed().as_nanos();
        let paid = searched.checked_div(each.as_nanos()).unwrap_or(u128::MAX);
        // The numbers of nodes have 32 bits.
        let paid = paid.min(u128::from(u32::MAX) - 1) as u64;
        let own = if net.me() == 0 { paid } else { 0 };
        // The result must be the same on all workers.
        net.sum(own).max(self.usual)
    }
}

/// Returns whether this process has enough memory to decompose a rest of this size.
pub(super) fn has_memory(size: u64) -> bool {
    let bytes = usize::try_from(size)
        .ok()
        .and_then(|size| size.checked_mul(BYTES));
    bytes.is_some_and(|bytes| check_room("what is left", &[bytes]).is_ok())
}

/// Determines when a search over all workers ends early, because the rest may be sent to one
/// worker.
pub(super) struct EarlyEnd<'a> {
    room: &'a Room,
    /// The size of the rest.
    size: u64,
    supersteps: u32,
    is_endless: bool,
}

impl<'a> EarlyEnd<'a> {
    /// Returns the condition for a search in a rest of this size. The search never ends early if
    /// worker 0 does not have enough memory for the rest.
    pub(super) fn new(room: &'a Room, size: u64, net: &mut Net<'_>) -> Self {
        let lacks = net.me() == 0 && net.tuning().gather_after.is_some() && !has_memory(size);
        Self {
            room,
            size,
            supersteps: 0,
            is_endless: net.tuning().gather_after.is_none() || net.sum(lacks.into()) > 0,
        }
    }

    /// Returns whether the search must end. All workers must call this together, after each
    /// superstep.
    pub(super) fn is_due(&mut self, net: &mut Net<'_>) -> bool {
        self.supersteps += 1;
        let is_due = self.supersteps.is_multiple_of(net.tuning().ask_every);
        is_due && !self.is_endless && self.room.limit(net) >= self.size
    }
}
