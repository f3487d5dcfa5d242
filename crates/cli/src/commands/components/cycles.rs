//! Finds cycles through states within their components. Each of the first states gets a shortest
//! one. If a later state is on a cycle that was found before, this one serves for it, too: else the
//! cycles of all states of a long ring would be quadratic in its length.

use mdp_graph::{ChoiceId, ComponentKind, Components, MdpGraph, StateId};
use report::{Cycle, Step};
use std::collections::{HashMap, VecDeque};

/// The number of states that get a shortest cycle each: as many as `--limit` explains by default.
const WITH_OWN: usize = 10;

const NONE: u32 = u32::MAX;

/// The search for cycles of one state after the other.
pub(super) struct Cycles<'a> {
    graph: &'a MdpGraph,
    components: &'a Components,
    /// For each reached state: the choice that reached it, and the state before it.
    before: Vec<(u32, u32)>,
    /// The reached states.
    reached: Vec<StateId>,
    /// For each state on a cycle that was found: the state for which it was found first.
    owners: HashMap<StateId, StateId>,
    searches: usize,
}

impl<'a> Cycles<'a> {
    pub(super) fn new(graph: &'a MdpGraph, components: &'a Components) -> Self {
        Self {
            graph,
            components,
            before: vec![(NONE, NONE); graph.num_states()],
            reached: Vec::new(),
            owners: HashMap::new(),
            searches: 0,
        }
    }

    /// Returns a cycle through a state inside its component, if there is one.
    pub(super) fn through(&mut self, state: StateId) -> Cycle {
        self.searches += 1;
        let owner = self.owners.get(&state);
        if let Some(&owner) = owner.filter(|_| self.searches > WITH_OWN) {
            return Cycle::Of(owner);
        }
        let Some(steps) = self.shortest(state) else {
            return Cycle::None;
        };
        for step in &steps {
            self.owners.entry(step.state).or_insert(state);
        }
        Cycle::Steps(steps)
    }

    /// Returns a shortest cycle through a state inside its component, if there is one.
    fn shortest(&mut self, state: StateId) -> Option<Vec<Step>> {
        for reached in self.reached.drain(..) {
            self.before[reached.index()] = (NONE, NONE);
        }
        let own = Some(self.components.component(state)?);
        let mut choices = Vec::new();
        let mut queue = VecDeque::from([state]);
        while let Some(from) = queue.pop_front() {
            choices.clear();
            match self.components.kind() {
                // A strategy that stays in an end component cannot use the other choices.
                ComponentKind::Mec => {
                    choices.extend(self.components.retained_choices(self.graph, from));
                }
                _ => choices.extend(self.graph.choices(from)),
            }
            for &choice in &choices {
                for &target in self.graph.targets(choice) {
                    let is_known = self.before[target.index()].0 != NONE;
                    if is_known || self.components.component(target) != own {
                        continue;
                    }
                    self.before[target.index()] = (choice.0, from.0);
                    self.reached.push(target);
                    if target == state {
                        return Some(self.walk_back(state));
                    }
                    queue.push_back(target);
                }
            }
        }
        None
    }

    fn walk_back(&self, end: StateId) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut target = end;
        loop {
            let (choice, state) = self.before[target.index()];
            steps.push(Step {
                state: StateId(state),
                choice: ChoiceId(choice),
            });
            target = StateId(state);
            if target == end {
                steps.reverse();
                return steps;
            }
        }
    }
}
