//! The players of stochastic games, and their modules and actions.

use crate::ast::{Ident, Model, PlayerItem, Span};
use crate::composition::Actions;
use crate::error::{Checked, ErrorKind, Fault, Naming};
use crate::names::{self, Names};
use model_type::ModelType;
use std::collections::HashMap;

/// The players, with their actions and modules.
#[derive(Debug, Clone, Default)]
pub(crate) struct Players {
    pub(crate) names: Vec<String>,
    /// The owner of each action.
    pub(crate) of_actions: Vec<Option<u32>>,
    /// The owner of the steps without an action of each module.
    pub(crate) of_modules: Vec<Option<u32>>,
}

/// Checks the players of a model. Each module and action belongs to at most one.
pub(crate) fn players(
    model: &Model,
    actions: &Actions<'_>,
    model_type: ModelType,
) -> Checked<Players> {
    check_presence(model, model_type)?;
    let mut players = Players {
        names: Vec::new(),
        of_actions: vec![None; actions.names.len()],
        of_modules: vec![None; model.modules.len()],
    };
    let modules = model
        .modules
        .iter()
        .map(|module| module.name.value.as_str());
    let modules: HashMap<&str, usize> = modules.zip(0..).collect();
    let mut taken = Names::default();
    // The place where each module and action got its owner.
    let mut first = HashMap::new();
    for (player, number) in model.players.iter().zip(0..) {
        taken.take(Naming::Player, &player.name)?;
        players.names.push(player.name.value.clone());
        for item in &player.items {
            let (what, name, owner) = match item {
                PlayerItem::Module(name) => {
                    let module = find(name, &modules)?;
                    (Naming::Module, name, &mut players.of_modules[module])
                }
                PlayerItem::Action(name) => {
                    let action = actions.find(name)?.0 as usize;
                    (Naming::Action, name, &mut players.of_actions[action])
                }
            };
            if owner.replace(number).is_some() {
                return Err(two_owners(what, name, &first));
            }
            first.insert((what, name.value.as_str()), name.span);
        }
    }
    Ok(players)
}

/// Checks that a game has players, and that another model has none.
fn check_presence(model: &Model, of: ModelType) -> Checked<()> {
    let model_type = of.acronym();
    match (model.players.first(), of.has_players()) {
        (Some(first), false) => Err(Fault::new(
            first.name.span,
            ErrorKind::NotPlayed { model_type },
        )),
        (None, true) => {
            let keyword = model.model_type.as_ref();
            let place = keyword.map_or(Span::default(), |keyword| keyword.span);
            let fault = Fault::new(place, ErrorKind::NoPlayers { model_type });
            Err(fault.note("`player one m, [a] endplayer` owns the module `m` and the action `a`"))
        }
        _ => Ok(()),
    }
}

/// Returns the module with this name.
fn find(name: &Ident, modules: &HashMap<&str, usize>) -> Checked<usize> {
    modules.get(name.value.as_str()).copied().ok_or_else(|| {
        let known = modules.keys().copied();
        names::unknown(&name.value, name.span, Naming::Module, known)
    })
}

/// Returns the error that a module or an action has two owners. `first` has the place where each
/// got its owner.
fn two_owners(what: Naming, name: &Ident, first: &HashMap<(Naming, &str), Span>) -> Box<Fault> {
    let kind = ErrorKind::TwoOwners {
        what,
        name: name.value.clone(),
    };
    let fault = Fault::new(name.span, kind);
    match first.get(&(what, name.value.as_str())) {
        Some(&span) => fault.note_at(span, "first here"),
        None => fault,
    }
}
