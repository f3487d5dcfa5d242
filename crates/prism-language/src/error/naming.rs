//! The kinds of things that names can stand for, in the words of errors.

use std::fmt;

/// The kinds of things that names can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Naming {
    /// `const`
    Constant,
    /// `formula`
    Formula,
    /// A variable, global or of a module.
    Variable,
    /// `module`
    Module,
    /// `label`
    Label,
    /// `observable`, or a variable in `observables`
    Observable,
    /// `rewards`
    Rewards,
    /// A function such as `min`.
    Function,
    /// The action of a command.
    Action,
    /// `player`
    Player,
    /// Anything that may be used in an expression.
    Value,
    /// `system` with a name.
    System,
}

impl Naming {
    /// `a constant`, `an action`
    pub(super) fn with_article(self) -> String {
        match self {
            Self::Action | Self::Observable => format!("an {self}"),
            _ => format!("a {self}"),
        }
    }
}

impl fmt::Display for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Constant => "constant",
            Self::Formula => "formula",
            Self::Variable => "variable",
            Self::Module => "module",
            Self::Label => "label",
            Self::Observable => "observable",
            Self::Rewards => "reward structure",
            Self::Function => "function",
            Self::Action => "action",
            Self::Player => "player",
            Self::Value => "variable, constant or formula",
            Self::System => "system",
        })
    }
}
