//! Reward structures: one for each numeric transient variable, with the rewards of states and
//! steps.

use super::build::leaf;
use super::context::Context;
use super::edges::Earned;
use prism_language::ast::{Ident, NodeKind, Reward, Rewards, Span};
use std::collections::HashMap;

/// The rewards of steps, by the names of their actions.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// The number of names that were made for each result.
    counts: HashMap<Option<String>, usize>,
    /// The names, by result and rewards.
    names: HashMap<(Option<String>, String), Option<Ident>>,
    earned: Vec<(Ident, Earned)>,
}

impl Results {
    /// Returns the name of the action of a step with this result and these rewards.
    pub(super) fn name(
        &mut self,
        result: Option<&Ident>,
        earned: Earned,
        span: Span,
    ) -> Option<Ident> {
        let key = result.map(|result| result.value.clone());
        let texts = earned.iter().map(|(key, value)| format!("{key}={value};"));
        let entry = (key.clone(), texts.collect());
        if let Some(name) = self.names.get(&entry) {
            return name.clone();
        }
        let count = self.counts.entry(key.clone()).or_default();
        let name = match (result, *count) {
            (None, _) if earned.is_empty() => None,
            (Some(result), 0) => Some(result.clone()),
            (_, number) => Some(Ident {
                value: format!("{}\0{number}", key.unwrap_or_default()),
                span: result.map_or(span, |result| result.span),
            }),
        };
        *count += usize::from(name.is_some());
        self.names.insert(entry, name.clone());
        self.earned.extend(name.clone().map(|name| (name, earned)));
        name
    }

    /// Adds the rewards of edges with rates, by the actions of their commands, which are in no
    /// vector.
    pub(super) fn add_timed(&mut self, timed: &[(Ident, Earned)]) {
        self.earned.extend_from_slice(timed);
    }
}

/// Returns the reward structures of all transient variables that have rewards.
pub(super) fn structures(context: &Context<'_>, results: &Results) -> Vec<Rewards> {
    let mut structures = Vec::new();
    let numbers = context
        .transients
        .all()
        .iter()
        .filter(|transient| !transient.is_bool);
    for transient in numbers {
        let span = transient.span;
        let reward = |action, holds, value| Reward {
            action,
            guard: leaf(NodeKind::Bool(holds), span),
            value,
        };
        let mut items = Vec::new();
        let nodes = transient.in_state.nodes();
        let is_zero = |kind: &NodeKind| matches!(kind, NodeKind::Int(0) | NodeKind::Double(0.0));
        if !matches!(nodes, [node] if is_zero(&node.kind)) {
            items.push(reward(None, true, transient.in_state.clone()));
        }
        for (name, earned) in &results.earned {
            if let Some((_, value)) = earned.iter().find(|(key, _)| *key == transient.key) {
                items.push(reward(Some(Some(name.clone())), true, value.clone()));
            }
        }
        if !items.is_empty() {
            structures.push(Rewards {
                name: Some(Ident {
                    value: transient.key.clone(),
                    span,
                }),
                items,
            });
        }
    }
    structures
}
