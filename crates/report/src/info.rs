//! Properties of a model that are known without decomposing it: a short table for users.

use crate::StateLabel;
use crate::table::{self, Row, states};
use mdp_graph::{Digraph, MdpGraph, StateId, counted, grouped};
use std::io::{self, Write};

/// The information about a model that its graph does not contain.
#[derive(Clone, Copy, Debug)]
pub struct ModelFacts<'a> {
    /// The source of the model: a path, or `"-"`.
    pub model: &'a str,
    /// The format of its file.
    pub format: &'a str,
    /// The name of its type, such as `"mdp"`.
    pub model_type: &'a str,
    /// The number of observations, if the model is partially observable.
    pub observations: Option<u64>,
    /// The players with the number of states of each, if the model is a game.
    pub players: Option<&'a str>,
    /// Named sets of states.
    pub labels: &'a [StateLabel<'a>],
    /// The reward structures.
    pub rewards: &'a [RewardFacts<'a>],
}

/// A reward structure, with the numbers of rewards that are not 0.
#[derive(Clone, Copy, Debug)]
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
        ("model", facts.model.to_owned()),
        ("format", facts.format.to_owned()),
        ("type", facts.model_type.to_uppercase()),
    ];
    rows.extend(graph_rows(graph));
    let observations = facts.observations.map(grouped);
    rows.extend(observations.map(|count| ("observations", count)));
    rows.extend(facts.players.map(|players| ("players", players.to_owned())));
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
    let digraph = Digraph::new(graph);
    let choices = || graph.states().map(|s| graph.choices(s).len());
    let branches = graph
        .branch_offsets()
        .windows(2)
        .map(|w| (w[1] - w[0]) as usize);
    let out_degrees = graph.states().map(|s| digraph.successors(s).len());
    let self_loops = graph.states().filter(|&s| graph.has_self_loop(s)).count();
    let deadlocks = graph.states().filter(|&s| graph.is_deadlock(s)).count();
    vec![
        ("states", grouped(graph.num_states() as u64)),
        ("choices", grouped(graph.num_choices() as u64)),
        ("  of a state", spread(choices())),
        ("branches", grouped(graph.num_branches() as u64)),
        ("  of a choice", spread(branches)),
        ("edges", grouped(digraph.num_edges() as u64)),
        ("  from a state", spread(out_degrees)),
        ("  to a state", spread(in_degrees(&digraph).into_iter())),
        ("self-loops", states(self_loops as u64)),
        ("deadlocks", states(deadlocks as u64)),
    ]
}

/// Returns the number of edges that lead to each state.
fn in_degrees(digraph: &Digraph) -> Vec<usize> {
    let mut degrees = vec![0; digraph.num_states()];
    for target in digraph.targets() {
        degrees[StateId::index(*target)] += 1;
    }
    degrees
}

/// Returns the least, the greatest and the mean of some counts.
fn spread(counts: impl Iterator<Item = usize>) -> String {
    let (mut least, mut greatest, mut sum, mut number) = (usize::MAX, 0, 0u64, 0u64);
    for count in counts {
        least = least.min(count);
        greatest = greatest.max(count);
        sum += count as u64;
        number += 1;
    }
    if number == 0 {
        return "-".to_owned();
    }
    let mean = sum as f64 / number as f64;
    format!(
        "{least} to {}, {mean:.2} on average",
        grouped(greatest as u64)
    )
}
