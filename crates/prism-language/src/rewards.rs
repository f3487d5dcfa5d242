//! Reward structures: the rewards of states, and of choices by their actions.

use crate::ast::{Model, Span, Type};
use crate::code::{Compiler, Pc};
use crate::composition::{ActionId, Actions};
use crate::error::Checked;
use crate::ir::{Scope, Wanted, typed};

/// `rewards "name" ... endrewards` of a [`Program`](crate::Program).
#[derive(Debug, Clone)]
pub struct RewardStructure {
    name: Option<String>,
    pub(crate) items: Vec<Item>,
}

/// `[a] guard : value;`, compiled.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// `None` for a reward of states, and otherwise the action whose choices have the reward.
    pub(crate) action: Option<Option<ActionId>>,
    pub(crate) guard: Pc,
    pub(crate) value: Pc,
    pub(crate) span: Span,
}

impl RewardStructure {
    /// Its name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns whether choices may have rewards.
    #[must_use]
    pub fn has_actions(&self) -> bool {
        self.items.iter().any(|item| item.action.is_some())
    }
}

/// Checks and compiles the reward structures of a model.
pub(crate) fn rewards(
    model: &Model,
    scope: &Scope<'_>,
    actions: &Actions<'_>,
    compiler: &mut Compiler<'_>,
) -> Checked<Vec<RewardStructure>> {
    let mut structures = Vec::with_capacity(model.rewards.len());
    for rewards in &model.rewards {
        let mut items = Vec::with_capacity(rewards.items.len());
        for item in &rewards.items {
            let condition = Wanted::Of(Type::Bool);
            let guard = typed(&item.guard, scope, "a guard of rewards", condition)?;
            // An integer is converted to a double once it is known to be a number.
            typed(&item.value, scope, "a reward", Wanted::Number)?;
            let value = typed(&item.value, scope, "a reward", Wanted::Of(Type::Double))?;
            items.push(Item {
                action: match &item.action {
                    None => None,
                    Some(None) => Some(None),
                    Some(Some(action)) => Some(Some(actions.find(action)?)),
                },
                guard: compiler.condition(&guard, &[guard.root()])?,
                value: compiler.value(&value, value.root())?,
                span: item.value.span(),
            });
        }
        structures.push(RewardStructure {
            name: rewards.name.as_ref().map(|name| name.value.clone()),
            items,
        });
    }
    Ok(structures)
}
