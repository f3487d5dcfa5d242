//! Shortest paths from the initial states, and their output.

use crate::error::Error;
use crate::model::Model;
use mdp_graph::{ChoiceId, MdpGraph, StateId, check_room};
use report::{PathState, Valuations, printable};
use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};

/// A transition: the number of its action, if it is known, and its target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) action: Option<u32>,
    pub(super) target: StateId,
}

/// A state where something was found, and a trace to it.
pub(super) struct Witness {
    /// The state, or the source of the transition. It is the first such state.
    pub(super) at: StateId,
    pub(super) trace: Trace,
}

/// A path from an initial state.
pub(super) struct Trace {
    initial: StateId,
    steps: Vec<Step>,
    /// The number of steps before the cycle at the end of the trace, if there is a cycle.
    cycle: Option<usize>,
}

impl Trace {
    /// Returns a shortest path to a reachable state. The numbers of states are those of a
    /// breadth-first search, so one pass over the graph finds it.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn to(model: &Model, state: StateId) -> Result<Self, Error> {
        let graph = &model.graph;
        // For each state after the initial ones, in order, the choice and the branch that found it.
        let num_initial = model.states.initial.len();
        let later = (state.index() + 1).saturating_sub(num_initial);
        check_room("a trace", &[8 * later, 4 * later])?;
        let mut found_by: Vec<(ChoiceId, u32)> = Vec::with_capacity(later);
        let mut sources: Vec<StateId> = Vec::with_capacity(later);
        let known = |found: &Vec<_>| num_initial + found.len();
        'search: for source in graph.states() {
            if known(&found_by) > state.index() {
                break;
            }
            for choice in graph.choices(source) {
                let first = graph.branch_offsets()[choice.index()];
                for (branch, target) in (first..).zip(graph.targets(choice)) {
                    if target.index() == known(&found_by) {
                        found_by.push((choice, branch));
                        sources.push(source);
                    }
                    if known(&found_by) > state.index() {
                        break 'search;
                    }
                }
            }
        }
        let mut steps = Vec::new();
        let mut at = state;
        while let Some(number) = at.index().checked_sub(num_initial) {
            let (choice, branch) = found_by[number];
            steps.push(Step {
                action: model.choices.actions(choice, branch as usize).next(),
                target: at,
            });
            at = sources[number];
        }
        steps.reverse();
        Ok(Self {
            initial: at,
            steps,
            cycle: None,
        })
    }

    pub(super) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Appends a cycle.
    pub(super) fn push_cycle(&mut self, steps: Vec<Step>) {
        self.cycle = Some(self.steps.len());
        self.steps.extend(steps);
    }

    /// Returns the number of transitions before the cycle.
    pub(super) fn len(&self) -> usize {
        self.cycle.unwrap_or(self.steps.len())
    }

    /// Returns the states up to the cycle, and those of the cycle, for a report.
    pub(super) fn shown<'m>(
        &self,
        model: &'m Model,
        values: Option<&Valuations<'_>>,
    ) -> (Vec<PathState<'m>>, Option<Vec<PathState<'m>>>) {
        let shown = |step: &Step| PathState::new(step.target, step.action(model), values);
        let (path, cycle) = self.steps.split_at(self.len());
        let initial = PathState::new(self.initial, "", values);
        let path = std::iter::once(initial).chain(path.iter().map(shown));
        let cycle = self.cycle.map(|_| cycle.iter().map(shown).collect());
        (path.collect(), cycle)
    }

    /// Writes states and the actions between them, a line each.
    pub(super) fn write(&self, out: &mut (dyn Write + Send), model: &Model) -> io::Result<()> {
        writeln!(out, "  {}", show(model, self.initial))?;
        for (number, step) in self.steps.iter().enumerate() {
            if Some(number) == self.cycle {
                writeln!(out, "  and then for ever:")?;
            }
            match step.action(model) {
                "" => writeln!(out, "    -->")?,
                action => writeln!(out, "    --> {}", printable(action))?,
            }
            writeln!(out, "  {}", show(model, step.target))?;
        }
        Ok(())
    }
}

impl Step {
    /// Returns the name of the action; empty if there is none, or if it is not known.
    fn action(self, model: &Model) -> &str {
        let names = model.choices.details.as_ref().map(|details| &details.names);
        let action = names.zip(self.action);
        action.map_or("", |(names, action)| &names[action as usize])
    }
}

/// Formats a state: its number, and the values of its variables.
fn show(model: &Model, state: StateId) -> String {
    match &model.states.valuations {
        Some(values) => format!("{state} {}", printable(&values.text(state))),
        None => state.to_string(),
    }
}

/// Returns a shortest cycle through a state, whose branches are those for which `action` returns an
/// action; `None` if there is none.
pub(super) fn cycle(
    graph: &MdpGraph,
    state: StateId,
    action: impl Fn(ChoiceId, usize, StateId) -> Option<u32>,
) -> Option<Vec<Step>> {
    let mut found_by: HashMap<StateId, (StateId, u32)> = HashMap::new();
    let mut queue = VecDeque::from([state]);
    while let Some(source) = queue.pop_front() {
        for choice in graph.choices(source) {
            let first = graph.branch_offsets()[choice.index()] as usize;
            for (branch, &target) in (first..).zip(graph.targets(choice)) {
                if found_by.contains_key(&target) {
                    continue;
                }
                let Some(action) = action(choice, branch, target) else {
                    continue;
                };
                found_by.insert(target, (source, action));
                if target == state {
                    return Some(backwards(state, &found_by));
                }
                queue.push_back(target);
            }
        }
    }
    None
}

/// Returns the cycle through `state` that a search found.
fn backwards(state: StateId, found_by: &HashMap<StateId, (StateId, u32)>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut target = state;
    loop {
        let (source, action) = found_by[&target];
        steps.push(Step {
            action: Some(action),
            target,
        });
        if source == state {
            break;
        }
        target = source;
    }
    steps.reverse();
    steps
}
