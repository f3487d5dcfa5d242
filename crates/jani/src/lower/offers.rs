//! The offers of an element of the system for each action: classes of edges with the same rewards.
//! Edges of one action are distinguished only if transient variables have different values on them.

use super::context::Context;
use super::edges::{Earned, Party};
use super::instances::Instance;
use crate::error::{Checked, unsupported};
use prism_language::ast::{Command, Ident, Span, TypeKeyword};
use std::collections::{BTreeSet, HashMap};

/// Edges of an element that have the same action and the same rewards.
#[derive(Debug, Clone)]
pub(super) struct Class {
    /// The action of their commands.
    pub(super) action: Option<Ident>,
    pub(super) earned: Earned,
}

/// The classes of an element, by action.
#[derive(Debug, Default)]
pub(super) struct Offers {
    classes: HashMap<Option<String>, Vec<Class>>,
    /// The index of each class, by action and rewards.
    places: HashMap<(Option<String>, String), usize>,
    /// The actions of commands with rates, in a Markov automaton, and their rewards. Commands
    /// without rewards are left out.
    pub(super) timed: Vec<(Ident, Earned)>,
}

/// The actions of an element that are used, by the way in which they are used.
#[derive(Debug, Default)]
pub(super) struct Uses<'m> {
    /// Actions that synchronise with other elements.
    pub(super) together: BTreeSet<&'m str>,
    /// Actions that the element takes alone.
    pub(super) alone: BTreeSet<&'m str>,
}

impl Offers {
    /// Returns the classes of an action.
    pub(super) fn of(&self, action: Option<&str>) -> &[Class] {
        let key = action.map(str::to_owned);
        self.classes.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Adds an edge with this action and these rewards. Returns the action of its command.
    pub(super) fn add(
        &mut self,
        action: Option<&Ident>,
        earned: Earned,
        span: Span,
    ) -> Option<Ident> {
        let name = action.map(|action| action.value.clone());
        let classes = self.classes.entry(name.clone()).or_default();
        let texts = earned.iter().map(|(key, value)| format!("{key}={value};"));
        let place = self.places.entry((name, texts.collect()));
        let place = *place.or_insert_with(|| {
            let number = classes.len();
            let action = match (action, number) {
                (action, 0) => action.cloned(),
                (Some(action), _) => Some(Ident {
                    value: format!("{}\0{number}", action.value),
                    span: action.span,
                }),
                (None, _) => Some(Ident {
                    value: format!("\0{number}"),
                    span,
                }),
            };
            classes.push(Class { action, earned });
            number
        });
        classes[place].action.clone()
    }

    /// Adds an edge with a rate. `element` is the name of its element. Returns the action of its
    /// command, to which only the rewards refer.
    fn add_timed(&mut self, element: &str, earned: Earned, span: Span) -> Option<Ident> {
        if earned.is_empty() {
            return None;
        }
        let known = self.timed.iter().find(|(_, other)| *other == earned);
        if let Some((action, _)) = known {
            return Some(action.clone());
        }
        let action = Ident {
            value: format!("\0{element} {}", self.timed.len()),
            span,
        };
        self.timed.push((action.clone(), earned));
        Some(action)
    }
}

/// Returns the commands of an element, and its offers.
pub(super) fn offers(
    context: &Context<'_>,
    instance: &Instance<'_>,
    uses: &Uses<'_>,
) -> Checked<(Vec<Command>, Offers)> {
    let mut commands = Vec::new();
    let mut offers = Offers::default();
    for edge in &instance.edges {
        let action = edge.action.as_ref();
        let is_in = |set: &BTreeSet<&str>| action.is_some_and(|a| set.contains(a.value.as_str()));
        let is_timed = edge.rate.is_some() && context.parts.model_type == TypeKeyword::Ma;
        if is_timed && is_in(&uses.together) {
            return Err(unsupported(edge.span, "edges with rates that synchronise"));
        }
        if action.is_some() && !is_in(&uses.together) && !is_in(&uses.alone) {
            continue;
        }
        let (mut command, earned) = context.command(&[Party { instance, edge }])?;
        command.is_markovian = is_timed;
        if is_timed {
            command.action = offers.add_timed(&instance.name, earned, edge.span);
        } else {
            command.action = offers.add(action, earned, edge.span);
        }
        commands.push(command);
    }
    Ok((commands, offers))
}
