//! Explores all interleavings of a small dispatch, up to equivalence.
//!
//! This is stateless model checking: the dispatch runs repeatedly from its beginning, each time
//! under a different schedule. Dynamic partial-order reduction finds the schedules that can make a
//! difference: if two steps conflict and nothing else orders them, the other order is tried, too
//! (source sets and sleep sets: P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, *Optimal dynamic
//! partial order reduction*, POPL 2014).

use std::collections::{BTreeSet, HashMap};

use super::finding::{Finding, Findings};
use super::machine::{Access, Buffers, Launch, Machine};
use super::races::WordMap;
use crate::Place;

/// A step of a schedule: the invocation that makes it, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The invocation.
    pub who: String,
    /// The line of the step.
    pub place: Place,
}

/// One possible end of a dispatch.
#[derive(Clone, Debug)]
pub struct Ending {
    /// The contents of the buffers.
    pub buffers: Vec<Vec<u32>>,
    /// The first schedule that led to this end.
    pub schedule: Vec<Step>,
}

/// The result of exploring a dispatch.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// The number of schedules that were run.
    pub executions: u64,
    /// Whether these represent all schedules.
    pub is_complete: bool,
    /// The different ends.
    pub endings: Vec<Ending>,
    /// The faults found in any schedule.
    pub findings: Vec<Finding>,
}

/// A point of the schedule that is being run.
struct Node {
    chosen: u32,
    access: Access,
    /// The index of the value that it has seen, and the number of values, for each choice.
    values: Vec<(usize, usize)>,
    /// The steps that need not be chosen here, because the schedules in which they come next were
    /// run.
    sleep: Vec<(u32, Access)>,
    done: Vec<(u32, Access)>,
    todo: BTreeSet<u32>,
}

/// Runs all schedules, but at most `most`.
pub(super) fn explore(launch: &Launch<'_>, initial: &Buffers, most: u64) -> Exploration {
    let mut found = Exploration::default();
    let mut findings = Findings::default();
    let mut endings: HashMap<Buffers, Vec<(u32, u32)>> = HashMap::new();
    let mut order: Vec<Buffers> = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    loop {
        let mut buffers = initial.clone();
        let schedule = execute(launch, &mut buffers, &mut findings, &mut nodes);
        found.executions += 1;
        if let Some(schedule) = schedule
            && !endings.contains_key(&buffers)
        {
            order.push(buffers.clone());
            endings.insert(buffers, schedule);
        }
        if !backtrack(&mut nodes) {
            found.is_complete = true;
            break;
        }
        if found.executions == most {
            break;
        }
    }
    found.findings = findings.all;
    let ending = |buffers: Buffers| {
        let steps = endings.get(&buffers).into_iter().flatten();
        let schedule = steps.map(|&(invocation, pc)| Step {
            who: launch.invocation(invocation),
            place: launch.code.place(pc),
        });
        Ending {
            schedule: schedule.collect(),
            buffers,
        }
    };
    found.endings = order.into_iter().map(ending).collect();
    found
}

/// Advances to the next schedule. Returns whether there is one.
fn backtrack(nodes: &mut Vec<Node>) -> bool {
    while let Some(node) = nodes.last_mut() {
        while let Some((value, of)) = node.values.pop() {
            if value + 1 < of {
                node.values.push((value + 1, of));
                return true;
            }
        }
        node.done.push((node.chosen, node.access));
        let is_known = |one: &u32| {
            let mut known = node.done.iter().chain(&node.sleep);
            known.any(|(other, _)| other == one)
        };
        let next = node.todo.iter().find(|one| !is_known(one)).copied();
        match next {
            Some(next) => {
                node.chosen = next;
                return true;
            }
            None => {
                nodes.pop();
            }
        }
    }
    false
}

/// The steps that were made so far, and their order.
struct Trace {
    invocations: usize,
    /// For each invocation, the number of steps of each other one that come before its next step.
    clocks: Vec<Vec<u32>>,
    /// The invocation that made each step, and its clock after the step.
    steps: Vec<(u32, Vec<u32>)>,
    /// For each word, its last write, and the reads after it.
    words: WordMap<(Option<usize>, Vec<usize>)>,
}

impl Trace {
    fn new(invocations: usize) -> Self {
        Self {
            invocations,
            clocks: vec![vec![0; invocations]; invocations],
            steps: Vec::new(),
            words: WordMap::default(),
        }
    }

    /// Returns whether step `step` certainly comes before a step with this clock.
    fn is_before(&self, step: usize, clock: &[u32]) -> bool {
        clock[self.steps[step].0 as usize] as usize > step
    }

    /// Adds a step. Returns the earlier steps whose order with it could be reversed.
    fn add(&mut self, who: u32, access: Access) -> Vec<usize> {
        let mut conflicting = BTreeSet::new();
        let words = access.word..access.word + u64::from(access.n);
        for word in words.clone() {
            if let Some((write, reads)) = self.words.get(&word) {
                conflicting.extend(*write);
                if access.is_write {
                    conflicting.extend(reads.iter().copied());
                }
            }
        }
        let mut clock = std::mem::take(&mut self.clocks[who as usize]);
        let mut racing = Vec::new();
        for &step in conflicting.iter().rev() {
            if !self.is_before(step, &clock) {
                racing.push(step);
                join(&mut clock, &self.steps[step].1);
            }
        }
        let index = self.steps.len();
        clock[who as usize] = index as u32 + 1;
        self.steps.push((who, clock.clone()));
        self.clocks[who as usize] = clock;
        for word in words {
            let known = self.words.entry(word).or_default();
            match access.is_write {
                true => *known = (Some(index), Vec::new()),
                false => known.1.push(index),
            }
        }
        racing
    }

    /// Records that invocations have waited for each other.
    fn meet(&mut self, who: &[u32]) {
        let mut all = vec![0; self.invocations];
        for &one in who {
            join(&mut all, &self.clocks[one as usize]);
        }
        for &one in who {
            self.clocks[one as usize].clone_from(&all);
        }
    }

    /// Returns the invocation to be tried instead of `step`, so that the last step comes before it.
    fn instead(&self, step: usize) -> u32 {
        let rest = step + 1..self.steps.len();
        let mut free = rest.filter(|&other| !self.is_before(step, &self.steps[other].1));
        let last = self.steps.len() - 1;
        self.steps[free.next().unwrap_or(last)].0
    }
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (a, &b) in clock.iter_mut().zip(other) {
        *a = b.max(*a);
    }
}

/// Runs the schedule that the nodes describe, and continues it. Returns the schedule, unless it
/// turns out to be equivalent to an earlier one.
fn execute(
    launch: &Launch<'_>,
    buffers: &mut Buffers,
    findings: &mut Findings,
    nodes: &mut Vec<Node>,
) -> Option<Vec<(u32, u32)>> {
    let invocations = (launch.num_groups() * launch.code.invocations()) as usize;
    let mut trace = Trace::new(invocations);
    let mut machine = Machine::new(launch, buffers, findings);
    machine.met = Some(Vec::new());
    for group in 0..launch.num_groups() {
        machine.start(group);
    }
    let mut ready = BTreeSet::new();
    let mut schedule = Vec::new();
    for depth in 0.. {
        for met in machine.met.iter_mut().flat_map(std::mem::take) {
            trace.meet(&met);
        }
        ready.extend(machine.woken.drain(..));
        if ready.is_empty() {
            break;
        }
        if depth == nodes.len() {
            nodes.push(choose(&machine, &ready, nodes.last())?);
        }
        let node = &mut nodes[depth];
        let chosen = node.chosen;
        node.access = machine.next(chosen)?;
        let access = node.access;
        let mut taken = 0;
        schedule.push((chosen, machine.pc(chosen)));
        ready.remove(&chosen);
        let values = &mut node.values;
        machine.step(chosen, &mut |n| {
            taken += 1;
            if values.len() < taken {
                values.push((0, n));
            }
            values[taken - 1].0
        });
        for step in trace.add(chosen, access) {
            // The step itself is the last one of the trace here.
            let other = trace.instead(step);
            nodes[step].todo.insert(other);
        }
    }
    Some(schedule)
}

/// Makes a new node for the first invocation that has to be tried; `None` if there is none.
fn choose(machine: &Machine<'_>, ready: &BTreeSet<u32>, before: Option<&Node>) -> Option<Node> {
    let sleep: Vec<(u32, Access)> = before.map_or(Vec::new(), |node| {
        let known = node.sleep.iter().chain(&node.done);
        known
            .filter(|(one, access)| *one != node.chosen && !access.conflicts(node.access))
            .copied()
            .collect()
    });
    let is_asleep = |one: &u32| sleep.iter().any(|(other, _)| other == one);
    let chosen = ready.iter().find(|one| !is_asleep(one)).copied()?;
    Some(Node {
        chosen,
        access: machine.next(chosen)?,
        values: Vec::new(),
        sleep,
        done: Vec::new(),
        todo: BTreeSet::from([chosen]),
    })
}
