//! Graphs and MDPs for code of the kernels that other inputs do not reach. Each is made for some of
//! the changes that `docs/mutations.md` lists, which have an effect on few graphs.

mod chains;
mod cycles;
mod deep;
mod levels;
mod order;
mod regions;

use chains::crossed_chains;
use cycles::{many_pairs, rings};
use decompose::gpu::worklist::Tuning;
use deep::{burst, bursts, strands};
use levels::{deferred_rows, longer_rows, same_words, spilled_rows, twice_found};
use mdp_graph::ComponentKind;
use order::shuffled;
use regions::{bereft, leaks, left_over, many_left_over, scattered};
use verify::run::{Schedule, Settings};
use verify::small::Model;

use crate::rng::Rng;
use crate::verify::small::SEVERAL_GROUPS;
use crate::verify::trial::HostLoop;

/// A kind of graphs, and the way to search them.
pub(super) struct CornerCase {
    pub(super) name: &'static str,
    pub(super) kind: ComponentKind,
    pub(super) model: fn(&mut Rng) -> Model,
    pub(super) loops: &'static [HostLoop],
    /// Changes the random tuning of the worklist engine.
    pub(super) tune: fn(&mut Tuning),
    /// Whether the worklist engine also searches without trimming.
    pub(super) is_searched_alone: bool,
    /// Whether workgroups are as large as on devices, and subgroups as large as possible.
    pub(super) has_wide_subgroups: bool,
    /// Whether the worklist engine uses several workgroups for a small graph.
    pub(super) has_several_groups: bool,
    /// The scheduler, instead of one chosen by the seed. With it, several workgroups run at a time.
    pub(super) schedule: Option<Schedule>,
}

impl CornerCase {
    /// Returns the settings of the interpreter. `by_seed` are those that the seed would choose.
    pub(super) fn settings(&self, by_seed: Settings) -> Settings {
        let mut settings = by_seed;
        if self.has_wide_subgroups {
            settings.subgroup = 128;
            settings.scales = &[];
        }
        if self.has_several_groups {
            settings.scales = SEVERAL_GROUPS;
        }
        if let Some(schedule) = self.schedule {
            settings.schedule = schedule;
            settings.resident = 4;
        }
        settings
    }
}

/// The engines that find components.
const BOTH: &[HostLoop] = &[HostLoop::Worklist, HostLoop::Papers];

/// The kinds of graphs for the breadth-first search by levels.
const LEVEL_CASES: [CornerCase; 8] = [
    level_case("strands", strands, None),
    level_case("burst", burst, None),
    level_case("bursts", bursts, None),
    level_case("longer rows", longer_rows, PRIORITIES),
    level_case("spilled rows", spilled_rows, LATE_UPDATES),
    level_case("twice found", twice_found, LATE_UPDATES),
    level_case("same words", same_words, LATE_UPDATES),
    level_case("deferred rows", deferred_rows, None),
];

const PRIORITIES: Option<Schedule> = Some(Schedule::Priorities { changes: 3 });
const LATE_UPDATES: Option<Schedule> = Some(Schedule::LateUpdates);

const fn level_case(
    name: &'static str,
    model: fn(&mut Rng) -> Model,
    schedule: Option<Schedule>,
) -> CornerCase {
    CornerCase {
        loops: &[HostLoop::Levels],
        schedule,
        ..corner_case(name, ComponentKind::Scc, model)
    }
}

/// Returns all kinds of graphs.
pub(super) fn all() -> impl Iterator<Item = &'static CornerCase> {
    LEVEL_CASES.iter().chain(&CORNER_CASES)
}

const CORNER_CASES: [CornerCase; 26] = [
    corner_case("starved", ComponentKind::Mec, starved),
    corner_case("absorbed", ComponentKind::Mec, absorbed),
    corner_case("cliff", ComponentKind::Mec, cliff),
    CornerCase {
        loops: BOTH,
        ..corner_case("cycles", ComponentKind::Scc, cycles)
    },
    CornerCase {
        loops: BOTH,
        is_searched_alone: true,
        ..corner_case("pairs", ComponentKind::Scc, pairs)
    },
    CornerCase {
        tune: |tuning| {
            tuning.hub_degree = MAX_EDGES;
            tuning.inline_degree = u32::MAX;
        },
        ..corner_case("full rows", ComponentKind::Scc, full_rows)
    },
    CornerCase {
        tune: |tuning| {
            tuning.hub_degree = MAX_EDGES;
            tuning.hops = 64;
            tuning.narrow = 256;
        },
        ..corner_case("several long rows", ComponentKind::Scc, several_long_rows)
    },
    CornerCase {
        tune: |tuning| tuning.hub_degree = 3,
        ..corner_case("stars", ComponentKind::Scc, stars)
    },
    CornerCase {
        tune: |tuning| tuning.functional_states = 0,
        ..corner_case("rings", ComponentKind::Scc, rings)
    },
    CornerCase {
        tune: |tuning| {
            tuning.one_component_degree = 0;
            tuning.by_degree = true;
            tuning.hops = 64;
            tuning.narrow = 256;
            tuning.spill_limit = 128;
        },
        ..corner_case("clique and ring", ComponentKind::Scc, clique_and_ring)
    },
    CornerCase {
        tune: |tuning| {
            tuning.most_thin = 1;
            tuning.hops = 1;
        },
        ..corner_case("tied", ComponentKind::Mec, tied)
    },
    CornerCase {
        tune: |tuning| tuning.most_thin = 1,
        ..corner_case("forgotten", ComponentKind::Mec, forgotten)
    },
    CornerCase {
        tune: |tuning| {
            tuning.most_thin = 1;
            tuning.hops = 1;
        },
        ..corner_case("crossed chains", ComponentKind::Mec, crossed_chains)
    },
    CornerCase {
        loops: &[HostLoop::Papers],
        ..corner_case("leaky", ComponentKind::Mec, leaky)
    },
    CornerCase {
        loops: &[HostLoop::Papers],
        ..corner_case("left over", ComponentKind::Mec, left_over)
    },
    CornerCase {
        loops: &[HostLoop::Papers],
        ..corner_case("many left over", ComponentKind::Mec, many_left_over)
    },
    CornerCase {
        loops: &[HostLoop::Papers],
        schedule: Some(Schedule::LateUpdates),
        ..corner_case("scattered regions", ComponentKind::Mec, scattered)
    },
    CornerCase {
        loops: &[HostLoop::Papers],
        ..corner_case("crowd", ComponentKind::Mec, crowd)
    },
    CornerCase {
        loops: &[HostLoop::Papers],
        ..corner_case("long rows", ComponentKind::Scc, long_rows)
    },
    CornerCase {
        loops: &[HostLoop::Papers],
        ..corner_case("large cliff", ComponentKind::Mec, large_cliff)
    },
    CornerCase {
        loops: &[HostLoop::Papers],
        has_wide_subgroups: true,
        ..corner_case("many pairs", ComponentKind::Scc, many_pairs)
    },
    CornerCase {
        tune: |tuning| {
            tuning.hub_degree = MAX_EDGES;
            tuning.inline_degree = u32::MAX;
            tuning.share = 1;
            tuning.most_groups = 3;
            tuning.one_component_degree = u32::MAX;
        },
        has_several_groups: true,
        ..corner_case("narrow passes", ComponentKind::Scc, narrow_pass)
    },
    CornerCase {
        tune: |tuning| {
            tuning.most_groups = 64;
            tuning.one_component_degree = u32::MAX;
        },
        has_several_groups: true,
        schedule: Some(Schedule::LateUpdates),
        ..corner_case("late cycles", ComponentKind::Scc, late_cycles)
    },
    CornerCase {
        tune: |tuning| {
            tuning.most_groups = 64;
            tuning.fixed_grid = true;
        },
        has_several_groups: true,
        schedule: Some(Schedule::LateUpdates),
        ..corner_case("leaks", ComponentKind::Mec, leaks)
    },
    CornerCase {
        loops: &[HostLoop::Papers],
        schedule: Some(Schedule::LateUpdates),
        ..corner_case("bereft", ComponentKind::Mec, bereft)
    },
    CornerCase {
        loops: &[HostLoop::Papers],
        ..corner_case("unfinished rows", ComponentKind::Scc, unfinished_rows)
    },
];

const fn corner_case(
    name: &'static str,
    kind: ComponentKind,
    model: fn(&mut Rng) -> Model,
) -> CornerCase {
    CornerCase {
        name,
        kind,
        model,
        loops: &[HostLoop::Worklist],
        tune: |_| {},
        is_searched_alone: false,
        has_wide_subgroups: false,
        has_several_groups: false,
        schedule: None,
    }
}

/// Returns pairs of states that lead to each other, and by the same choice to a state whose only
/// successors are in a clique after them. Nothing is trimmed before the first split, which is at a
/// state of the clique, and many states are trimmed after it. Then the pairs have lost their
/// choices.
fn starved(rng: &mut Rng) -> Model {
    let pairs = 9 + rng.below(4);
    let clique = pairs + rng.below(8);
    let mut model = Model::new();
    for first in (0..pairs).map(|pair| 3 * pair) {
        let [one, other, starves] = [first, first + 1, first + 2];
        let goes_on = 3 * pairs + rng.below(2) * rng.below(clique);
        let mut choices = vec![vec![other, starves]];
        if rng.one_in(3) {
            choices.push(vec![other]);
        }
        model.extend([choices, vec![vec![one]], vec![vec![goes_on]]]);
    }
    let first = 3 * pairs;
    let all: Vec<u32> = (first..first + clique).collect();
    for state in &all {
        let others = all.iter().filter(|other| *other != state);
        model.push(vec![others.copied().collect()]);
    }
    model
}

/// Returns a clique, and a ring beside it with this property: if each entry of a search from the
/// clique, except the first two, were counted as many times as a small workgroup has invocations,
/// the entries would be as many as those of one component.
fn clique_and_ring(rng: &mut Rng) -> Model {
    const INVOCATIONS: u32 = 8;
    let clique = 3 + rng.below(4);
    let ring = (INVOCATIONS - 1) * (clique - 1);
    let in_clique = |state: u32| (0..clique).filter(|&other| other != state).collect();
    let mut model: Model = (0..clique).map(|state| vec![in_clique(state)]).collect();
    model.extend((0..ring).map(|state| vec![vec![clique + (state + 1) % ring]]));
    model
}

/// Returns states whose only choice leads to two absorbing states, so it is removed twice. Each of
/// these states is entered from a component of two states.
fn absorbed(rng: &mut Rng) -> Model {
    let mut model = Model::new();
    for first in (0..1 + rng.below(6)).map(|copy| 5 * copy) {
        let [one, other, falls] = [first, first + 1, first + 2];
        let ends = [first + 3, first + 4];
        model.push(vec![vec![other], vec![falls]]);
        model.push(vec![vec![one]]);
        model.push(vec![ends.to_vec()]);
        model.extend(ends.map(|end| vec![vec![end]]));
    }
    shuffled(rng, model)
}

/// Returns so many states with several choices that a workgroup handles several blocks of them.
/// Most of the states lose all choices at once.
fn large_cliff(rng: &mut Rng) -> Model {
    let states = 330 + rng.below(60);
    let ends = 6 + rng.below(4);
    let row = |state: u32| -> Vec<Vec<u32>> {
        match state {
            _ if state < ends => Vec::new(),
            _ if rng.one_in(8) => vec![vec![state]],
            _ => {
                let first = rng.below(ends);
                let choices = 3 + rng.below(3);
                let end = |k: u32| (first + k) % ends;
                (0..choices).map(|k| vec![state, end(k)]).collect()
            }
        }
    };
    (0..states).map(row).collect()
}

/// Returns states with a few choices, each of which may lead to one of a few states without
/// successors: all of these choices are removed at once. Another state of a cycle may lead to such
/// a state.
fn cliff(rng: &mut Rng) -> Model {
    let ends = 2 + rng.below(6);
    let falling = rng.one_of(&[6, 12, 60]) + rng.below(4);
    let is_absorbing = rng.one_in(2);
    let mut model: Model = (0..ends)
        .map(|state| match is_absorbing && state != 0 {
            true => vec![vec![state]],
            false => Vec::new(),
        })
        .collect();
    for k in 0..falling {
        let falls = model.len() as u32;
        let [one, other] = [falls + 1, falls + 2];
        let choices = 2 + rng.below(3);
        let choice = |choice| vec![(k + choice) % ends, one];
        model.push((0..choices).map(choice).collect());
        model.extend([vec![vec![other, falls]], vec![vec![one]]]);
    }
    model
}

/// Returns cycles of few or many states, with edges from one to another. No state lacks edges, and
/// the graph is not one component.
fn cycles(rng: &mut Rng) -> Model {
    let most = rng.one_of(&[3, 8, 20]);
    let size = rng.one_of(&[10, 60, 200]);
    let mut model = Model::new();
    let mut firsts = Vec::new();
    while (model.len() as u32) < size {
        let first = model.len() as u32;
        let length = 2 + rng.below(most);
        model.extend((1..length).map(|k| vec![vec![first + k]]));
        model.push(vec![vec![first]]);
        firsts.push(first);
        if first > 0 && rng.one_in(2) {
            let target = rng.below(first);
            model[first as usize].push(vec![target]);
        }
    }
    let model = model
        .into_iter()
        .map(|choices| vec![choices.concat()])
        .collect();
    match rng.one_in(2) {
        true => model,
        false => shuffled(rng, model),
    }
}

/// Returns states that may continue to the middle of a path to an absorbing state, or to a cycle
/// that may lead back to the path, and other cycles. In half of the graphs, a deadlock removes a
/// choice before.
fn tied(rng: &mut Rng) -> Model {
    let tied = 1 + rng.below(3);
    let length = 8 + rng.below(6);
    let pairs = 25 + rng.below(15);
    let first = 3 * tied + 2 * pairs;
    let absorbing = first + length;
    let mut model = Model::new();
    for state in (0..tied).map(|k| 3 * k) {
        let [one, other] = [state + 1, state + 2];
        let falls = first + 1 + rng.below(length - 2);
        model.push(vec![vec![one, falls]]);
        model.extend([vec![vec![state, other]], vec![vec![one]]]);
    }
    for one in (0..pairs).map(|k| 3 * tied + 2 * k) {
        model.extend([vec![vec![one + 1]], vec![vec![one]]]);
    }
    // The path, from its end to the absorbing state.
    model.extend((first..absorbing).map(|state| vec![vec![state + 1]]));
    model.push(vec![vec![absorbing]]);
    if rng.one_in(2) {
        model.push(Vec::new());
        model.push(vec![vec![absorbing + 1], vec![absorbing]]);
    }
    model
}

/// Returns cycles. One state of each has another choice, to a state that may fall, or to a third
/// state, which leads back. The cycle loses that choice, and the third state loses everything that
/// leads to it.
fn forgotten(rng: &mut Rng) -> Model {
    let mut model: Model = vec![vec![vec![0]]];
    for _ in 0..1 + rng.below(8) {
        let first = model.len() as u32;
        let length = 2 + rng.below(2);
        let [falls, third] = [first + length, first + length + 1];
        model.extend((1..length).map(|k| vec![vec![first + k]]));
        model.push(vec![vec![first]]);
        model[first as usize].push(vec![falls]);
        model.extend([vec![vec![third, 0]], vec![vec![first]]]);
    }
    model
}

/// The number of edges of some rows. A state with more edges is a hub.
const MAX_EDGES: u32 = 12;

/// Returns a cycle, and a few states before it. Nothing leads to the first of these states. They
/// have exactly the largest number of edges of a state that is not a hub, or one edge less or more.
fn full_rows(rng: &mut Rng) -> Model {
    let states = 16 + rng.below(20);
    let before = 1 + rng.below(3);
    let mut model: Model = (0..states)
        .map(|state| vec![vec![(state + 1) % states]])
        .collect();
    for k in 0..before {
        let degree = rng.one_of(&[MAX_EDGES, MAX_EDGES, MAX_EDGES - 1, MAX_EDGES + 1]);
        let mut targets: Vec<u32> = rng.order(states);
        targets.truncate(degree as usize - usize::from(k > 0));
        if k > 0 {
            targets.push(states + k - 1);
        }
        model.push(vec![targets]);
    }
    shuffled(rng, model)
}

/// Returns a cycle, and three or four states that lead to many states of it, and to which nothing
/// leads. They are trimmed together, and each row is too long for the invocations that share it. If
/// the rest of a row were followed twice, a state of the cycle would be trimmed.
fn several_long_rows(rng: &mut Rng) -> Model {
    let states = MAX_EDGES + rng.below(20);
    let cycle = (0..states).map(|state| vec![vec![(state + 1) % states]]);
    let mut model: Model = cycle.collect();
    for _ in 0..rng.between(3, 4) {
        let mut targets = rng.order(states);
        targets.truncate(rng.between(MAX_EDGES - 3, MAX_EDGES) as usize);
        model.push(vec![targets]);
    }
    shuffled(rng, model)
}

/// Returns a cycle that passes through a single state, and continues from it to as many states as a
/// state may have edges without being a hub. A search reaches that state alone, whatever its pivot.
fn narrow_pass(rng: &mut Rng) -> Model {
    let before = 1 + rng.below(3);
    let pass = before - 1;
    let others = before..before + MAX_EDGES;
    let mut model: Model = (0..pass).map(|state| vec![vec![state + 1]]).collect();
    model.push(vec![others.clone().collect()]);
    model.extend(others.map(|_| vec![vec![0]]));
    shuffled(rng, model)
}

/// Returns a path with so many states that one workgroup counts no others, and a few cycles behind
/// it, which lead to earlier cycles. Only one other workgroup finds that states are live.
fn late_cycles(rng: &mut Rng) -> Model {
    const COUNTED_TOGETHER: u32 = 32;
    let mut model: Model = (1..=COUNTED_TOGETHER)
        .map(|next| vec![vec![next]])
        .collect();
    let mut before = COUNTED_TOGETHER;
    while model.len() < 2 * COUNTED_TOGETHER as usize - 3 {
        let first = model.len() as u32;
        let length = 2 + rng.below(2);
        model.push(vec![vec![first + 1, before]]);
        model.extend((2..length).map(|k| vec![vec![first + k]]));
        model.push(vec![vec![first]]);
        before = rng.between(COUNTED_TOGETHER, first);
    }
    model
}

/// Returns a component with a long row, and others that lead to it. A search from one of these
/// reaches the row, and has only begun to walk it when the search in the other direction ends.
fn unfinished_rows(rng: &mut Rng) -> Model {
    let leaves = 20 + rng.below(20);
    let row = 90 + rng.below(60);
    // The state with the long row, and those to which it leads, which lead back.
    let mut model: Model = vec![vec![(1..=row).collect()]];
    model.extend((1..=row).map(|_| vec![vec![0]]));
    for _ in 0..4 {
        let centre = model.len() as u32;
        model.push(vec![(centre + 1..=centre + leaves).collect()]);
        model.extend((0..leaves).map(|_| vec![vec![0, centre]]));
    }
    model
}

/// Returns one or two states that lead to all others and to each other. Each of the others leads
/// back to one of them.
fn stars(rng: &mut Rng) -> Model {
    let centres = 1 + rng.below(2);
    let others = 9 + rng.below(30);
    let centre = |state: u32| {
        let all = (0..centres + others).filter(|other| *other != state);
        vec![all.collect::<Vec<u32>>()]
    };
    let mut model: Model = (0..centres).map(centre).collect();
    model.extend((0..others).map(|_| vec![vec![rng.below(centres)]]));
    model
}

/// Returns pairs of states. Each state has another choice, to one of two deadlocks, whose incoming
/// edges are more than are walked at a time.
fn crowd(rng: &mut Rng) -> Model {
    let pairs = 33 + rng.below(30);
    let row = |state: u32| {
        let falls = rng.below(2);
        match rng.one_in(3) {
            true => vec![vec![state ^ 1]],
            false => vec![vec![falls], vec![state ^ 1]],
        }
    };
    let rows = (2..2 * pairs).map(row);
    [Vec::new(), Vec::new()].into_iter().chain(rows).collect()
}

/// Returns states with long rows. The first edges of a row lead to states that are trimmed, and the
/// last ones to a cycle, or to no state that remains.
fn long_rows(rng: &mut Rng) -> Model {
    let sinks = 30 + rng.below(12);
    let hubs = 2 + rng.below(4);
    let mut model: Model = (0..sinks).map(|_| Vec::new()).collect();
    for hub in (0..hubs).map(|k| sinks + 2 * k) {
        let first = rng.below(4);
        let mut targets: Vec<u32> = (first..sinks - rng.below(8)).collect();
        if !rng.one_in(4) {
            targets.push(hub + 1);
        }
        model.push(vec![targets]);
        let back = match rng.one_in(3) {
            true => vec![hub, rng.between(sinks, hub)],
            false => vec![hub],
        };
        model.push(vec![back]);
    }
    model
}

/// Returns a few pairs of states, and states without edges on either side.
fn pairs(rng: &mut Rng) -> Model {
    let mut model = Model::new();
    while model.len() < 20 {
        let first = model.len() as u32;
        match rng.below(3) {
            0 => model.push(vec![vec![rng.below(first + 1)]]),
            1 => model.push(Vec::new()),
            _ => model.extend([
                vec![vec![first + 1]],
                vec![vec![first, rng.below(first + 1)]],
            ]),
        }
    }
    model
}

/// Returns pairs of states with choices to other pairs, which may also leave for good.
pub(super) fn leaky(rng: &mut Rng) -> Model {
    let pairs = rng.below(5) + 2;
    let sink = 2 * pairs;
    let row = |state: u32| {
        let leaks = (0..=rng.below(2)).map(|_| vec![rng.below(sink), sink]);
        std::iter::once(vec![state ^ 1]).chain(leaks).collect()
    };
    let mut model: Model = (0..sink).map(row).collect();
    model.push(Vec::new());
    model
}
