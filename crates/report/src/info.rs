//! Properties of a model that are known without decomposing it: a short table for users, and JSON.

mod json;

pub use json::write_info_json;

use crate::table::{self, Row, states};
use crate::{Heading, StateLabel};
use mdp_graph::{Digraph, MdpGraph, StateId, counted, grouped};
use serde::Serialize;
use std::io::{self, Write};

/// The information about a model that its graph does not contain.
#[derive(Clone, Copy, Debug)]
pub struct ModelFacts<'a> {
    /// The tool and the model.
    pub heading: Heading<'a>,
    /// The format of the model's file.
    pub format: &'a str,
    /// The number of observations, if the model is partially observable.
    pub observations: Option<u64>,
    /// The players, if the model is a game.
    pub players: Option<&'a [PlayerFacts<'a>]>,
    /// Named sets of states.
    pub labels: &'a [StateLabel<'a>],
    /// The reward structures.
    pub rewards: &'a [RewardFacts<'a>],
}

/// A player of a game.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PlayerFacts<'a> {
    /// Its name.
    pub name: &'a str,
    /// The number of states in which it decides.
    pub states: u64,
}

impl PlayerFacts<'_> {
    /// Returns the player as text: `one (3 states)`.
    fn text(&self) -> String {
        format!("{} ({})", self.name, states(self.states))
    }
}

/// A reward structure, with the numbers of rewards that are not 0.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RewardFacts<'a> {
    /// Its name, if it has one.
    pub name: Option<&'a str>,
    /// The number of states that have a reward.
    pub states: u64,
    /// The number of choices that have a reward.
    pub choices: u64,
    /// The number of branches that have a reward.
    pub branches: u64,
}

impl RewardFacts<'_> {
    /// Returns the states, choices and branches that have rewards, as text.
    fn earners(&self) -> String {
        let counts = [
            (self.states, "state", "states"),
            (self.choices, "choice", "choices"),
            (self.branches, "branch", "branches"),
        ];
        let some = counts.into_iter().filter(|(count, ..)| *count > 0);
        let texts: Vec<String> = some
            .map(|(count, one, many)| counted(count, one, many))
            .collect();
        match texts.is_empty() {
            true => "nothing".to_owned(),
            false => texts.join(", "),
        }
    }
}

/// Writes the counts, degrees, labels and rewards of a model.
///
/// # Errors
/// Errors of `out`.
pub fn write_info(out: &mut dyn Write, graph: &MdpGraph, facts: &ModelFacts<'_>) -> io::Result<()> {
    let mut rows = vec![
        ("model", facts.heading.model.to_owned()),
        ("format", facts.format.to_owned()),
        ("type", facts.heading.model_type.to_uppercase()),
    ];
    rows.extend(graph_rows(graph));
    let observations = facts.observations.map(grouped);
    rows.extend(observations.map(|count| ("observations", count)));
    let players = facts.players.map(|players| {
        let players: Vec<String> = players.iter().map(PlayerFacts::text).collect();
        players.join(", ")
    });
    rows.extend(players.map(|players| ("players", players)));
    table::write(out, &rows)?;
    if !facts.labels.is_empty() {
        writeln!(out, "labels")?;
    }
    let names: Vec<String> = facts
        .labels
        .iter()
        .map(|l| format!("  {}", l.name))
        .collect();
    let counts = facts.labels.iter().map(|l| states(l.states.len() as u64));
    let rows: Vec<Row<'_>> = names.iter().map(String::as_str).zip(counts).collect();
    table::write(out, &rows)?;
    write_rewards(out, facts.rewards)
}

fn write_rewards(out: &mut dyn Write, rewards: &[RewardFacts<'_>]) -> io::Result<()> {
    if !rewards.is_empty() {
        writeln!(out, "rewards")?;
    }
    let names: Vec<String> = rewards
        .iter()
        .map(|rewards| format!("  {}", rewards.name.unwrap_or("(no name)")))
        .collect();
    let earners = rewards.iter().map(RewardFacts::earners);
    let rows: Vec<Row<'_>> = names.iter().map(String::as_str).zip(earners).collect();
    table::write(out, &rows)
}

fn graph_rows<'a>(graph: &MdpGraph) -> Vec<Row<'a>> {
    let counts = Counts::of(graph);
    let degrees = &counts.degrees;
    let spread = |spread: &Option<Spread>| spread.as_ref().map_or("-".to_owned(), Spread::text);
    vec![
        ("states", grouped(graph.num_states() as u64)),
        ("choices", grouped(graph.num_choices() as u64)),
        ("  of a state", spread(&degrees.choices_of_a_state)),
        ("branches", grouped(graph.num_branches() as u64)),
        ("  of a choice", spread(&degrees.branches_of_a_choice)),
        ("edges", grouped(counts.edges)),
        ("  from a state", spread(&degrees.edges_from_a_state)),
        ("  to a state", spread(&degrees.edges_to_a_state)),
        ("self-loops", states(counts.self_loops)),
        ("deadlocks", states(counts.deadlocks)),
    ]
}

/// The counts of a graph that take a pass over it.
#[derive(Serialize)]
struct Counts {
    edges: u64,
    self_loops: u64,
    deadlocks: u64,
    #[serde(skip)]
    degrees: Degrees,
}

/// How many choices, branches and edges there are at one state or choice.
#[derive(Serialize)]
struct Degrees {
    choices_of_a_state: Option<Spread>,
    branches_of_a_choice: Option<Spread>,
    edges_from_a_state: Option<Spread>,
    edges_to_a_state: Option<Spread>,
}

impl Counts {
    fn of(graph: &MdpGraph) -> Self {
        let digraph = Digraph::new(graph);
        let choices = graph.states().map(|s| graph.choices(s).len());
        let branches = graph
            .branch_offsets()
            .windows(2)
            .map(|w| (w[1] - w[0]) as usize);
        let out_degrees = graph.states().map(|s| digraph.successors(s).len());
        let self_loops = graph.states().filter(|&s| graph.has_self_loop(s)).count();
        let deadlocks = graph.states().filter(|&s| graph.is_deadlock(s)).count();
        Self {
            edges: digraph.num_edges() as u64,
            self_loops: self_loops as u64,
            deadlocks: deadlocks as u64,
            degrees: Degrees {
                choices_of_a_state: Spread::of(choices),
                branches_of_a_choice: Spread::of(branches),
                edges_from_a_state: Spread::of(out_degrees),
                edges_to_a_state: Spread::of(in_degrees(&digraph).into_iter()),
            },
        }
    }
}

/// Returns the number of edges that lead to each state.
fn in_degrees(digraph: &Digraph) -> Vec<usize> {
    let mut degrees = vec![0; digraph.num_states()];
    for target in digraph.targets() {
        degrees[StateId::index(*target)] += 1;
    }
    degrees
}

/// The least, the greatest and the mean of some counts.
#[derive(Serialize)]
struct Spread {
    least: usize,
    greatest: usize,
    mean: f64,
}

impl Spread {
    /// Returns the spread of some counts, if there are any.
    fn of(counts: impl Iterator<Item = usize>) -> Option<Self> {
        let (mut least, mut greatest, mut sum, mut number) = (usize::MAX, 0, 0u64, 0u64);
        for count in counts {
            least = least.min(count);
            greatest = greatest.max(count);
            sum += count as u64;
            number += 1;
        }
        (number > 0).then(|| Self {
            least,
            greatest,
            mean: sum as f64 / number as f64,
        })
    }

    fn text(&self) -> String {
        let greatest = grouped(self.greatest as u64);
        format!("{} to {greatest}, {:.2} on average", self.least, self.mean)
    }
}
