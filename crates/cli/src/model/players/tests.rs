//! Compares end components of coalitions with the definition, which is tried on every set of
//! states.

use super::Players;
use decompose::{ComponentSearch, Device, Options};
use mdp_graph::{ComponentKind, MdpGraph, StateId};
use proptest::prelude::*;

/// Returns whether the players can keep a game within `set` forever, whatever the other players
/// choose, and can get from each of its states to each other. A state of the players keeps the
/// choices that stay in the set, of which there must be one. A state of other players keeps all of
/// its choices, which must stay in the set.
fn is_end_component(game: &Game, set: u32) -> bool {
    let contains = |state: u32| set >> state & 1 == 1;
    let members: Vec<u32> = (0..game.states.len() as u32)
        .filter(|&s| contains(s))
        .collect();
    let mut edges = Vec::new();
    for &state in &members {
        let choices = &game.states[state as usize];
        let stays = |choice: &&Vec<u32>| choice.iter().all(|&target| contains(target));
        let staying: Vec<_> = choices.iter().filter(stays).collect();
        let kept = match game.is_in[game.owners[state as usize] as usize] {
            true => !staying.is_empty(),
            false => !choices.is_empty() && staying.len() == choices.len(),
        };
        if !kept {
            return false;
        }
        let targets = staying.into_iter().flatten();
        edges.extend(targets.map(|&target| (state, target)));
    }
    members
        .iter()
        .all(|&from| reached(&edges, from) & set == set)
}

/// Returns the states that are reachable from a state, including the state itself.
fn reached(edges: &[(u32, u32)], from: u32) -> u32 {
    let mut found = 1u32 << from;
    loop {
        let next = edges.iter().fold(found, |all, &(source, target)| {
            all | (all >> source & 1) << target
        });
        if next == found {
            return found;
        }
        found = next;
    }
}

/// Returns the maximal end components, each as a set of states.
fn by_definition(game: &Game) -> Vec<u32> {
    let all: Vec<u32> = (1..1u32 << game.states.len())
        .filter(|&set| is_end_component(game, set))
        .collect();
    let is_maximal = |set: &&u32| {
        !all.iter()
            .any(|other| other != *set && other & **set == **set)
    };
    all.iter().filter(is_maximal).copied().collect()
}

fn by_the_graph(game: &Game) -> Vec<u32> {
    let graph = MdpGraph::from_choices(&game.states).expect("a graph");
    let players = Players {
        names: vec![String::new(); game.is_in.len()],
        of_states: game.owners.clone(),
    };
    let merged = players
        .graph_of(&graph, &game.is_in)
        .expect("enough memory");
    let options = Options {
        search: ComponentSearch::Tarjan,
        device: Device::Cpu,
        ..Options::default()
    };
    let found = decompose::decompose(&merged, ComponentKind::Mec, &options).expect("on the CPU");
    let sets = found.ids().map(|id| {
        let states = (0..game.states.len() as u32).map(StateId);
        let members = states.filter(|&state| found.component(state) == Some(id));
        members.fold(0, |set, state| set | 1 << state.0)
    });
    let mut sets: Vec<u32> = sets.collect();
    sets.sort_unstable();
    sets
}

#[derive(Debug)]
struct Game {
    states: Vec<Vec<Vec<u32>>>,
    owners: Vec<u32>,
    is_in: Vec<bool>,
}

fn game() -> impl Strategy<Value = Game> {
    let choice = prop::collection::btree_set(0..7u32, 1..3);
    let state = prop::collection::vec(choice, 0..4);
    let states = prop::collection::vec((state, 0..3u32), 1..7);
    (states, prop::collection::vec(any::<bool>(), 3)).prop_map(|(drawn, is_in)| {
        let count = drawn.len() as u32;
        let (states, owners): (Vec<_>, _) = drawn.into_iter().unzip();
        let within = |choice: std::collections::BTreeSet<u32>| {
            let targets: std::collections::BTreeSet<u32> =
                choice.into_iter().map(|target| target % count).collect();
            targets.into_iter().collect::<Vec<u32>>()
        };
        let states = states
            .into_iter()
            .map(|choices| choices.into_iter().map(within).collect())
            .collect();
        Game {
            states,
            owners,
            is_in,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn end_components_of_coalitions_agree_with_the_definition(game in game()) {
        prop_assert_eq!(by_the_graph(&game), by_definition(&game));
    }
}
