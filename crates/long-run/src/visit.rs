//! Visits components in parallel, each after all components that its edges lead to.
//!
//! The result of a visit must only depend on the results for the components that its edges lead to.
//! Then it does not depend on the number of threads, or on which thread is faster.

use crate::error::Error;
use crate::order::Order;
use mdp_graph::ComponentId;
use rayon::Scope;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A thread that has at least this many components to visit leaves half of them to others.
const MANY: usize = 1 << 10;

/// The number of components with cycles that are being visited.
pub(crate) struct BusyComponents {
    visited: AtomicUsize,
    threads: usize,
}

impl BusyComponents {
    fn new() -> Self {
        Self {
            visited: AtomicUsize::new(0),
            threads: rayon::current_num_threads(),
        }
    }

    /// Returns the minimum number of items in a task of a component. It is `least` if threads are
    /// idle. If each thread has a component of its own, a task has all items of its component.
    pub(crate) fn grain(&self, least: usize) -> usize {
        match self.visited.load(Ordering::Relaxed) < self.threads {
            true => least,
            false => usize::MAX,
        }
    }
}

/// A visit of all components.
struct Walk<'a, V> {
    order: &'a Order,
    visit: V,
    busy: BusyComponents,
    /// For each component, the number of components to which its edges lead and that are not yet
    /// visited.
    left: Vec<AtomicU32>,
    giant: usize,
    giants: Mutex<Giants>,
    failure: Mutex<Option<Error>>,
}

#[derive(Default)]
struct Giants {
    is_visited: bool,
    waiting: Vec<ComponentId>,
}

/// Visits all components. Components with cycles that have at least `giant` states are visited one
/// at a time. An error ends the visits. If there are several errors, the threads determine which
/// one is returned.
pub(crate) fn visit_all<V>(order: &Order, giant: usize, visit: V) -> Result<(), Error>
where
    V: Fn(ComponentId, &BusyComponents) -> Result<(), Error> + Sync,
{
    let walk = Walk {
        order,
        visit,
        busy: BusyComponents::new(),
        left: order.targets().iter().map(|&n| AtomicU32::new(n)).collect(),
        giant,
        giants: Mutex::default(),
        failure: Mutex::default(),
    };
    let first = order.ids().filter(|id| order.targets()[id.index()] == 0);
    let first: Vec<ComponentId> = first.collect();
    rayon::scope(|scope| walk.go(scope, first));
    let failure = walk.failure.into_inner();
    match failure.unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

impl<V> Walk<'_, V>
where
    V: Fn(ComponentId, &BusyComponents) -> Result<(), Error> + Sync,
{
    /// Visits these components, and all components that become ready as a result.
    fn go<'s>(&'s self, scope: &Scope<'s>, mut ready: Vec<ComponentId>) {
        // Components with cycles may take long, and others may wait for the ready ones.
        let mut long = Vec::new();
        loop {
            while let Some(id) = ready.pop() {
                if self.order.has_cycle(id) {
                    long.push(id);
                    continue;
                }
                if !self.visit(id) {
                    return;
                }
                self.release(id, &mut ready);
                if ready.len() >= MANY {
                    let half = ready.split_off(ready.len() / 2);
                    scope.spawn(|scope| self.go(scope, half));
                }
            }
            let Some(mine) = long.pop() else {
                return;
            };
            for id in long.drain(..) {
                scope.spawn(move |scope| self.go_long(scope, id));
            }
            if !self.visit_long(scope, mine) {
                return;
            }
            self.release(mine, &mut ready);
        }
    }

    /// Visits a component with a cycle, and all components that become ready as a result.
    fn go_long<'s>(&'s self, scope: &Scope<'s>, id: ComponentId) {
        if self.visit_long(scope, id) {
            let mut ready = Vec::new();
            self.release(id, &mut ready);
            self.go(scope, ready);
        }
    }

    /// Visits a component with a cycle. Returns false if this failed, or if the component has to
    /// wait because another giant is being visited.
    fn visit_long<'s>(&'s self, scope: &Scope<'s>, id: ComponentId) -> bool {
        let is_giant = self.order.states(id).len() >= self.giant;
        if is_giant {
            let mut giants = self.giants.lock().unwrap_or_else(PoisonError::into_inner);
            if giants.is_visited {
                giants.waiting.push(id);
                return false;
            }
            giants.is_visited = true;
        }
        self.busy.visited.fetch_add(1, Ordering::Relaxed);
        let is_visited = self.visit(id);
        self.busy.visited.fetch_sub(1, Ordering::Relaxed);
        if is_giant {
            let mut giants = self.giants.lock().unwrap_or_else(PoisonError::into_inner);
            giants.is_visited = false;
            if let Some(next) = giants.waiting.pop() {
                scope.spawn(move |scope| self.go_long(scope, next));
            }
        }
        is_visited
    }

    /// Visits a component. Returns false if this failed.
    fn visit(&self, id: ComponentId) -> bool {
        let mut failure = match (self.visit)(id, &self.busy) {
            Ok(()) => return true,
            Err(error) => Some(error),
        };
        let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = failure.take();
        }
        false
    }

    /// Adds the components to `ready` that have waited only for this one.
    fn release(&self, id: ComponentId, ready: &mut Vec<ComponentId>) {
        // The thread that reduces a number to 0 sees the results of all these components.
        let is_ready = |id: &ComponentId| self.left[id.index()].fetch_sub(1, Ordering::AcqRel) == 1;
        ready.extend(self.order.sources(id).filter(is_ready));
    }
}

#[cfg(test)]
mod tests {
    use super::visit_all;
    use crate::error::Error;
    use crate::order::Order;
    use decompose::Silent;
    use mdp_graph::{MdpGraph, StateId};
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// Returns a graph of `states` states with these edges. States without edges have a self-loop.
    fn graph(states: u32, edges: &[(u32, u32)]) -> MdpGraph {
        let (mut choices, mut targets) = (vec![0], Vec::new());
        for state in 0..states {
            let own = edges.iter().filter(|edge| edge.0 % states == state);
            targets.extend(own.map(|edge| StateId(edge.1 % states)));
            if targets.len() as u32 == choices[state as usize] {
                targets.push(StateId(state));
            }
            choices.push(targets.len() as u32);
        }
        let branches = (0..=targets.len() as u32).collect();
        MdpGraph::from_parts(choices, branches, targets).expect("the arrays are a graph")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn each_component_is_visited_once_behind_its_targets(
            states in 1..60u32,
            edges in prop::collection::vec((0..60u32, 0..60u32), 0..100),
            threads in 1..5usize,
            giant in 1..4usize,
        ) {
            let graph = graph(states, &edges);
            let order = Order::new(&graph, &Silent).expect("nobody cancels");
            let done: Vec<AtomicBool> = order.ids().map(|_| AtomicBool::new(false)).collect();
            let giants = AtomicUsize::new(0);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let visited = pool.expect("it starts").install(|| visit_all(&order, giant, |id, busy| {
                let states = order.states(id);
                let is_giant = order.has_cycle(id) && states.len() >= giant;
                if is_giant {
                    assert_eq!(
                        giants.fetch_add(1, Ordering::SeqCst),
                        0,
                        "only one giant is visited at a time"
                    );
                    assert!([8, usize::MAX].contains(&busy.grain(8)));
                    std::thread::yield_now();
                }
                for &state in states {
                    for &target in graph.successors(state) {
                        let is_other = order.place_beside(state, target).is_none();
                        let component = order.ids().find(|&id| order.states(id).contains(&target));
                        let component = component.expect("each state is in a component").index();
                        assert!(
                            !is_other || done[component].load(Ordering::SeqCst),
                            "the component of a target was visited before"
                        );
                    }
                }
                if is_giant {
                    giants.fetch_sub(1, Ordering::SeqCst);
                }
                assert!(
                    !done[id.index()].swap(true, Ordering::SeqCst),
                    "each component is visited once"
                );
                Ok(())
            }));
            prop_assert!(visited.is_ok());
            prop_assert!(done.iter().all(|done| done.load(Ordering::SeqCst)));
        }
    }

    /// One component is visited first, and then all others become ready at the same time.
    #[test]
    fn an_error_ends_all_visits() {
        let edges: Vec<(u32, u32)> = (1..5000).map(|state| (state, 0)).collect();
        let graph = graph(5000, &edges);
        let order = Order::new(&graph, &Silent).expect("nobody cancels");
        let visits = AtomicUsize::new(0);
        let refused = visit_all(&order, 1, |id, _| {
            visits.fetch_add(1, Ordering::Relaxed);
            match order.states(id) {
                [StateId(0)] => Err(Error::Cancelled),
                _ => Ok(()),
            }
        });
        assert!(matches!(refused, Err(Error::Cancelled)));
        assert_eq!(visits.into_inner(), 1);
        let all = visit_all(&order, 1, |_, _| Ok(()));
        assert!(all.is_ok());
    }
}
