//! Maximal end components over all workers.

use super::contract::Contracted;
use super::live::Live;
use super::local::{LocalResult, Verdict};
use super::room::Room;
use super::scc::Sccs;
use super::smallest::{keep_smaller, smallest};
use super::sweeps::Swept;
use super::undecided::undecided;
use crate::answer::ComponentLabels;
use crate::error::{Error, agree};
use crate::net::pool::Pool;
use crate::net::words::{pair, wide};
use crate::net::{Net, Outbox};
use crate::part::Part;
use mdp_graph::{BitSet, ChoiceId, ComponentKind, StateId, transpose};
use std::collections::HashMap;

/// The number of supersteps of waves before other steps are tried.
const WAVES: usize = 16;

/// Finds the maximal end components of the model that the workers hold together.
///
/// # Errors
/// [`Error::Decompose`] if a worker cannot decompose its part. In this case, all workers end.
pub fn mec(part: &Part, net: &mut Net<'_>) -> Result<ComponentLabels, Error> {
    let room = Room::new(part, net);
    let swept = Swept::new(part, ComponentKind::Mec, net);
    if swept.is_done() {
        return Ok(swept.labels);
    }
    let has_swept = swept.has_swept();
    let mut search = MecSearch::new(part, swept, net);
    if has_swept {
        search.kill_what_leads_out(net);
        search.spread(net);
    }
    loop {
        search.decide_alone(net)?;
        if undecided(search.live.states.count() as u64, net) == 0 {
            return Ok(search.labels);
        }
        let contracted = Contracted::new(part, &search.live, net)?;
        if contracted.decide(room.limit(net), &mut search.labels, net)? {
            return Ok(search.labels);
        }
        drop(contracted);
        search.decide_together(&room, net)?;
    }
}

/// The search on one worker.
struct MecSearch<'a> {
    part: &'a Part,
    labels: ComponentLabels,
    live: Live,
    /// The number of own states that are undecided.
    open: usize,
    /// The choices by their targets. This is computed when it is first needed, because often most
    /// states are decided before.
    choices_into: Option<ChoicesInto>,
    /// The number of remaining choices of each own state.
    left: Vec<u32>,
    /// The own states and ghosts that are decided, but whose incoming choices are not yet removed.
    gone: Vec<StateId>,
    /// The ghosts that are decided.
    gone_ghosts: BitSet,
    outbox: Outbox<u32>,
}

impl<'a> MecSearch<'a> {
    /// Begins with the states that sweeps have not decided.
    fn new(part: &'a Part, swept: Swept<'_>, net: &Net<'_>) -> Self {
        let live = Live::but(part, &swept.closed);
        let left = part
            .states()
            .map(|own| part.choices(own).len() as u32)
            .collect();
        Self {
            labels: swept.labels,
            open: live.states.count(),
            live,
            choices_into: None,
            left,
            gone: Vec::new(),
            gone_ghosts: BitSet::from_fn(part.num_ghosts(), |ghost| {
                swept.closed.contains((part.num_own() + ghost) as u32)
            }),
            outbox: net.outbox(),
            part,
        }
    }

    /// Decides the states that the part can decide alone, and tells the other workers.
    fn decide_alone(&mut self, net: &mut Net<'_>) -> Result<(), Error> {
        let entries = self.live.entries(self.part, net);
        let local = LocalResult::new(self.part, &self.live, &entries, net);
        drop(entries);
        for (state, verdict) in agree(net, local)?.verdicts() {
            match verdict {
                Verdict::Open => continue,
                Verdict::Dead => {}
                Verdict::In(smallest) => self.labels.set(state, self.part.global(smallest)),
            }
            self.leave(state, net);
        }
        self.kill_what_leads_out(net);
        self.spread(net);
        Ok(())
    }

    /// Removes the choices of undecided states that may lead to decided states. If nearly all
    /// states are decided, these are few choices, and the choices of decided states are not
    /// visited.
    fn kill_what_leads_out(&mut self, net: &mut Net<'_>) {
        self.gone.clear();
        let part = self.part;
        let open: Vec<u32> = self.live.states(part).collect();
        let decided = {
            let states = &self.live.states;
            // States that are decided below are added to `gone`.
            BitSet::from_fn(part.num_own(), |own| !states.contains(own))
        };
        let of_ghosts = self.gone_ghosts.clone();
        let is_decided = |target: &StateId| match part.ghost(*target) {
            None => decided.contains(target.index()),
            Some(ghost) => of_ghosts.contains(ghost as usize),
        };
        for state in open {
            for choice in part.choices(state) {
                if part.graph().targets(choice).iter().any(is_decided) {
                    self.kill(choice, net);
                }
            }
        }
    }

    /// Records that an own state is decided.
    fn leave(&mut self, state: u32, net: &mut Net<'_>) {
        if !self.live.states.contains(state as usize) {
            return;
        }
        self.live.states.remove(state as usize);
        self.open -= 1;
        self.gone.push(StateId(state));
        for &[worker, ghost] in self.part.copies(state) {
            self.outbox.push(net, worker as usize, ghost);
        }
    }

    /// Removes the choices that may lead to decided states, and decides states without a remaining
    /// choice, in waves over all workers. There may be too many waves to wait for all of them.
    fn spread(&mut self, net: &mut Net<'_>) {
        for _ in 0..WAVES {
            while let Some(target) = self.gone.pop() {
                // If no state is undecided, there is no choice that could be removed.
                if self.open == 0 {
                    self.gone.clear();
                    break;
                }
                let into = self.choices_into.take();
                let pool = net.compute.pool();
                let into = into.unwrap_or_else(|| ChoicesInto::new(self.part, &self.live, &pool));
                for &choice in into.target(target) {
                    self.kill(ChoiceId(choice), net);
                }
                self.choices_into = Some(into);
            }
            let inbox = net.send_all(&mut self.outbox);
            if inbox.total() == 0 {
                return;
            }
            for (_, ghost) in inbox {
                if self.gone_ghosts.insert(ghost as usize) {
                    self.gone.push(StateId(self.part.num_own() as u32 + ghost));
                }
            }
        }
    }

    /// Removes a choice. If it was the last one of its state, the state is decided.
    fn kill(&mut self, choice: ChoiceId, net: &mut Net<'_>) {
        if !self.live.killed.insert(choice.index()) {
            return;
        }
        let state = self.part.source(choice);
        let left = &mut self.left[state as usize];
        *left -= 1;
        if *left == 0 {
            self.leave(state, net);
        }
    }

    /// Finds the SCCs of the undecided states, and removes the choices that may leave their SCC. An
    /// SCC without such a choice is an end component.
    fn decide_together(&mut self, room: &Room, net: &mut Net<'_>) -> Result<(), Error> {
        let sccs = Sccs::new(self.part, &self.live, room, net)?;
        let of_ghosts = ghosts_of(&sccs, self.part, net);
        let leaving = self.leaving(&sccs, &of_ghosts);
        // An SCC is an end component if the smallest mark for it is not 0.
        let mut marks: HashMap<u64, u64> = HashMap::new();
        for &component in &sccs.of_nodes {
            marks.insert(component, 1);
        }
        for &choice in &leaving {
            if let Some(node) = sccs.condensation.node(self.part.source(choice)) {
                keep_smaller(&mut marks, sccs.of_nodes[node as usize], 0);
            }
        }
        let marks = smallest(self.part, &marks, net);
        let names = sccs.names(self.part, net);
        for choice in leaving {
            self.kill(choice, net);
        }
        for (state, node) in sccs.condensation.states() {
            let component = sccs.of_nodes[node as usize];
            if marks[&component] == 1 {
                self.labels.set(state, sccs.name(node, &names));
                self.leave(state, net);
            }
        }
        self.spread(net);
        Ok(())
    }

    /// Returns the choices of undecided states that may leave their SCC.
    fn leaving(&self, sccs: &Sccs, of_ghosts: &[u64]) -> Vec<ChoiceId> {
        let part = self.part;
        let mut leaving = Vec::new();
        for (state, node) in sccs.condensation.states() {
            let own = sccs.of_nodes[node as usize];
            let is_in = |&target: &StateId| match part.ghost(target) {
                Some(ghost) => of_ghosts[ghost as usize] == own,
                None => {
                    let node = sccs.condensation.node(target.0);
                    node.is_some_and(|node| sccs.of_nodes[node as usize] == own)
                }
            };
            let choices = self.live.choices(part, state);
            leaving.extend(choices.filter(|&c| !part.graph().targets(c).iter().all(is_in)));
        }
        leaving
    }
}

/// The choices of undecided states, by their targets.
struct ChoicesInto {
    offsets: Vec<u32>,
    choices: Vec<u32>,
}

impl ChoicesInto {
    /// Returns the choices that exist now. No others are added later.
    fn new(part: &Part, live: &Live, pool: &Pool) -> Self {
        let (mut ends, mut targets, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for state in live.states(part) {
            for choice in live.choices(part, state) {
                targets.extend(part.graph().targets(choice).iter().map(|target| target.0));
                ends.push(targets.len() as u32);
                rows.push(choice.0);
            }
        }
        let states = part.graph().num_states();
        let (offsets, mut choices) = pool.run(|| transpose(&ends, &targets, states));
        for row in &mut choices {
            *row = rows[*row as usize];
        }
        Self { offsets, choices }
    }

    /// Returns the choices that may lead to an own state or a ghost.
    fn target(&self, target: StateId) -> &[u32] {
        let (start, end) = (
            self.offsets[target.index()],
            self.offsets[target.index() + 1],
        );
        &self.choices[start as usize..end as usize]
    }
}

/// Returns the SCC of each ghost, or `u64::MAX` if it is decided.
fn ghosts_of(sccs: &Sccs, part: &Part, net: &mut Net<'_>) -> Vec<u64> {
    let mut outbox = net.outbox();
    for (node, &component) in sccs.of_nodes.iter().enumerate() {
        for &[worker, ghost] in sccs.condensation.copies(node as u32) {
            outbox.push(net, worker as usize, pair(ghost, component));
        }
    }
    let mut of_ghosts = vec![u64::MAX; part.num_ghosts()];
    for (_, message) in net.exchange(outbox) {
        of_ghosts[message[0] as usize] = wide(message);
    }
    of_ghosts
}
