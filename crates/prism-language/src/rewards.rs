//! Reward structures: what states earn, and what choices earn by their actions.

use crate::ast::{Model, Span, Type};
use crate::code::{Compiler, Failure, Pc};
use crate::composition::{ActionId, Actions};
use crate::error::{Checked, Error, ErrorKind, Fault};
use crate::ir::{Scope, Wanted, typed};
use crate::program::Program;
use crate::successors::Scratch;

/// `rewards "name" ... endrewards` of a [`Program`].
#[derive(Debug, Clone)]
pub struct RewardStructure {
    name: Option<String>,
    items: Vec<Item>,
}

/// `[a] guard : value;`, compiled.
#[derive(Debug, Clone)]
struct Item {
    /// `None` for a reward of states, else the action whose choices earn it.
    action: Option<Option<ActionId>>,
    guard: Pc,
    value: Pc,
    span: Span,
}

impl RewardStructure {
    /// Its name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether choices may earn something.
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
            // An integer becomes a double once it is known to be a number.
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

/// Why a reward cannot be computed.
enum Stop {
    Failure(Failure),
    NotFinite(Span, f64),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Program {
    /// The reward structures, in the order of the text.
    #[must_use]
    pub fn rewards(&self) -> &[RewardStructure] {
        &self.rewards
    }

    /// What `state` earns: the sum of the items for states whose guards hold.
    ///
    /// # Errors
    ///
    /// If an expression has no value in this state, or a reward is not finite.
    pub fn state_reward(
        &self,
        structure: &RewardStructure,
        scratch: &mut Scratch,
        state: &[u64],
    ) -> Result<f64, Error> {
        self.reward(structure, scratch, state, None)
    }

    /// What a choice of `state` with this action earns: the sum of the items for the action whose
    /// guards hold. `None` stands for choices without an action.
    ///
    /// # Errors
    ///
    /// As [`state_reward`](Self::state_reward).
    pub fn choice_reward(
        &self,
        structure: &RewardStructure,
        scratch: &mut Scratch,
        state: &[u64],
        action: Option<ActionId>,
    ) -> Result<f64, Error> {
        self.reward(structure, scratch, state, Some(action))
    }

    /// The sum of the items for `earner`.
    fn reward(
        &self,
        structure: &RewardStructure,
        scratch: &mut Scratch,
        state: &[u64],
        earner: Option<Option<ActionId>>,
    ) -> Result<f64, Error> {
        let space = &mut scratch.space;
        self.unpack(state, &mut space.values);
        space.unpacked = 0;
        let mut sum = 0.0;
        for item in structure.items.iter().filter(|item| item.action == earner) {
            let mut earned = || -> Result<f64, Stop> {
                let (values, stack) = (&space.values, &mut space.stack);
                if self.code.run(item.guard, values, stack)? == 0 {
                    return Ok(0.0);
                }
                let value = f64::from_bits(self.code.run(item.value, values, stack)?);
                match value.is_finite() {
                    true => Ok(value),
                    false => Err(Stop::NotFinite(item.span, value)),
                }
            };
            sum += earned().map_err(|stop| self.stopped(&stop, state))?;
        }
        Ok(sum)
    }

    #[cold]
    fn stopped(&self, stop: &Stop, state: &[u64]) -> Error {
        let fault = match *stop {
            Stop::Failure(failure) => self.failed(failure),
            Stop::NotFinite(span, value) => Fault::new(span, ErrorKind::BadReward { value }),
        };
        self.locate(*fault.note(format!("in state {}", self.show(state))))
    }
}
