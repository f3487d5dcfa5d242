//! Determines the player of a stochastic game who decides in a state.

use crate::error::{Error, ErrorKind, Fault};
use crate::players::Players;
use crate::program::Program;
use crate::rule::Rule;
use crate::successors::Scratch;

impl Program {
    /// Returns the names of the players of a game, in the order of the text; empty for other
    /// models.
    #[must_use]
    pub fn players(&self) -> &[String] {
        &self.players.names
    }

    /// Returns the player that decides in `state`, by number: the owner of its choices. As in
    /// PRISM-games, choices without an owner belong to the player of the state. If the only choice
    /// of a state has no owner, the state belongs to the first player, and so does a state without
    /// choices.
    ///
    /// # Errors
    ///
    /// If two players have choices, or several choices have no owner. If the successors of a state
    /// cannot be computed, the result has no meaning.
    pub fn owner(&self, scratch: &mut Scratch, state: &[u64]) -> Result<u32, Error> {
        self.look_up(scratch, state);
        let mut owner = None;
        let mut fault = None;
        self.for_each_owner(scratch, |next| match (owner, next) {
            (Some(first), Some(second)) if first != second => {
                let name = |player: u32| self.players.names[player as usize].clone();
                fault = Some(ErrorKind::TwoPlayers {
                    first: name(first),
                    second: name(second),
                });
            }
            (_, next) => owner = owner.or(next),
        });
        let choices = self.count_choices(scratch);
        if owner.is_none() && choices > 1 {
            fault = Some(ErrorKind::UnownedChoices { choices });
        }
        match fault {
            Some(kind) => {
                let note = format!("in state {}", self.show(state));
                Err(self.locate(*Fault::placeless(kind).note(note)))
            }
            None => Ok(owner.unwrap_or(0)),
        }
    }

    /// Calls `visit` with the owner of each kind of choice in the state.
    fn for_each_owner(&self, scratch: &Scratch, mut visit: impl FnMut(Option<u32>)) {
        let Players {
            of_actions,
            of_modules,
            ..
        } = &self.players;
        for rule in self.allowed_rules(scratch) {
            match self.rules[rule] {
                // Games have no Markovian commands.
                Rule::Markovian(_) => visit(None),
                Rule::Together(action, _) => {
                    visit(action.and_then(|action| of_actions[action.0 as usize]));
                }
                Rule::Alone(group) => {
                    let module = self.module_of(group);
                    for action in self.actions_alone(scratch, rule) {
                        visit(match action {
                            Some(action) => of_actions[action.0 as usize],
                            None => of_modules[module],
                        });
                    }
                }
            }
        }
    }

    /// Returns the module of the commands of a group.
    fn module_of(&self, group: u32) -> usize {
        let first = self.groups[group as usize].commands.first();
        first.map_or(0, |&command| self.commands[command as usize].module)
    }
}
