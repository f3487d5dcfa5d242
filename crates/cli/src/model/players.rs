//! The players of a stochastic game, and the graph on which a coalition of them decides.

use crate::error::Error;
use mdp_graph::{BuildError, MdpGraph, StateId, check_room};
use report::PlayerFacts;

/// The players of a model.
pub(crate) struct Players {
    pub(crate) names: Vec<String>,
    /// The player of each state, by number.
    pub(crate) of_states: Vec<u32>,
}

impl Players {
    /// Returns the players with these names.
    ///
    /// # Errors
    /// A name that no player has.
    pub(crate) fn coalition(&self, names: &[String]) -> Result<Vec<bool>, Error> {
        let mut is_in = vec![false; self.names.len()];
        for name in names {
            match self.names.iter().position(|known| known == name) {
                Some(player) => is_in[player] = true,
                None => {
                    let known = self.names.join(", ");
                    let wrong = match name.is_empty() {
                        true => format!("a name is empty; the players are {known}"),
                        false => format!("there is no player {name}, only {known}"),
                    };
                    return Err(Error::wrong(format!("--coalition: {wrong}")));
                }
            }
        }
        Ok(is_in)
    }

    /// Returns the players with the numbers of their states, for a report.
    pub(crate) fn as_report(&self) -> Vec<PlayerFacts<'_>> {
        let facts = |name| PlayerFacts { name, states: 0 };
        let mut players: Vec<_> = self.names.iter().map(String::as_str).map(facts).collect();
        for &player in &self.of_states {
            players[player as usize].states += 1;
        }
        players
    }

    /// Returns the graph in which the players of a coalition decide. All choices of the other
    /// players must be possible, so each of their states has one choice, with all of its branches.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn graph_of(
        &self,
        graph: &MdpGraph,
        is_in: &[bool],
    ) -> Result<MdpGraph, BuildError> {
        let (states, branches) = (graph.num_states(), graph.num_branches());
        check_room(
            "the graph of the coalition",
            &[4 * states, 4 * graph.num_choices(), 4 * branches],
        )?;
        let (mut choice_offsets, mut branch_offsets) = (vec![0], vec![0]);
        let mut targets: Vec<StateId> = Vec::with_capacity(branches);
        for state in graph.states() {
            if is_in[self.of_states[state.index()] as usize] || graph.is_deadlock(state) {
                for choice in graph.choices(state) {
                    targets.extend_from_slice(graph.targets(choice));
                    branch_offsets.push(targets.len() as u32);
                }
            } else {
                let first = targets.len();
                targets.extend_from_slice(graph.successors(state));
                targets[first..].sort_unstable();
                let mut kept = first;
                for at in first..targets.len() {
                    if kept == first || targets[kept - 1] != targets[at] {
                        targets[kept] = targets[at];
                        kept += 1;
                    }
                }
                targets.truncate(kept);
                branch_offsets.push(targets.len() as u32);
            }
            choice_offsets.push(branch_offsets.len() as u32 - 1);
        }
        MdpGraph::from_parts(choice_offsets, branch_offsets, targets)
    }
}

#[cfg(test)]
mod tests;
