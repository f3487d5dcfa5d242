//! The syntax tree of a model. Names are not resolved.
//!
//! Equality of syntax does not depend on the position in the text.

mod display;
mod expr;

use std::fmt;
use std::sync::Arc;

pub(crate) use expr::IF_PRECEDENCE;
pub use expr::{BinaryOp, Expr, Function, Node, NodeKind, Operands, UnaryOp};

/// A range of the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Returns the bytes from `start` to before `end`. Parsers check that no text has 4 GiB or
    /// more.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self {
            start: narrow(start),
            end: narrow(end),
        }
    }

    /// Returns the number of bytes before the range.
    #[must_use]
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// Returns the number of bytes before the end of the range.
    #[must_use]
    pub fn end(self) -> usize {
        self.end as usize
    }

    /// Returns whether the range is empty, and only marks a position.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the range from the start of this one to the end of another.
    pub(crate) fn to(self, end: Self) -> Self {
        Self {
            start: self.start,
            end: end.end,
        }
    }
}

/// A value and its place in the text. Comparisons ignore the place.
#[derive(Debug, Clone, Copy)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The place of the value.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// A name, with the place where it is used.
pub type Ident = Spanned<String>;

/// The keyword for the type of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TypeKeyword {
    /// Markov decision process: `mdp`, `nondeterministic`, or no keyword.
    Mdp,
    /// Discrete-time Markov chain: `dtmc`, `probabilistic`.
    Dtmc,
    /// Continuous-time Markov chain: `ctmc`, `stochastic`.
    Ctmc,
    /// Partially observable Markov decision process: `pomdp`.
    Pomdp,
    /// Stochastic game: `smg`.
    Smg,
    /// Markov automaton: `ma`.
    Ma,
    /// Probabilistic timed automaton: `pta`.
    Pta,
    /// Partially observable probabilistic timed automaton: `popta`.
    Popta,
}

impl fmt::Display for TypeKeyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mdp => "mdp",
            Self::Dtmc => "dtmc",
            Self::Ctmc => "ctmc",
            Self::Pomdp => "pomdp",
            Self::Smg => "smg",
            Self::Ma => "ma",
            Self::Pta => "pta",
            Self::Popta => "popta",
        })
    }
}

/// The type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// Integers. They have 64 bits here, and 32 in PRISM; results that do not fit are errors.
    Int,
    /// 64-bit floating-point numbers.
    Double,
    /// Truth values.
    Bool,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Int => "int",
            Self::Double => "double",
            Self::Bool => "bool",
        })
    }
}

/// A model as it was written. `Display` prints a text that is parsed to an equal model.
#[derive(Debug, Clone)]
pub struct Model {
    /// The keyword; a model without one is an [MDP](TypeKeyword::Mdp).
    pub model_type: Option<Spanned<TypeKeyword>>,
    /// `const`, in the order of the text, as are all lists here.
    pub constants: Vec<Constant>,
    /// `formula`
    pub formulas: Vec<Formula>,
    /// `label`
    pub labels: Vec<Label>,
    /// `global`
    pub globals: Vec<Variable>,
    /// `module`
    pub modules: Vec<Module>,
    /// The variables in `observables ... endobservables`, of all such lists.
    pub observed: Vec<Ident>,
    /// `observable`
    pub observables: Vec<Observable>,
    /// `player`
    pub players: Vec<Player>,
    /// `rewards`
    pub rewards: Vec<Rewards>,
    /// `init ... endinit`
    pub init: Option<Expr>,
    /// All `system ... endsystem`; [`system`](Model::system) returns the one that composes the
    /// model.
    pub systems: Vec<System>,
    /// The synchronisation vectors, for models in other languages than PRISM's, which has no syntax
    /// for them. They are not printed, and `systems` is ignored.
    pub vectors: Option<Vec<SyncVector>>,
    /// The text from which the model was read, for the positions of errors.
    pub(crate) text: Arc<[u8]>,
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.model_type == other.model_type
            && self.constants == other.constants
            && self.formulas == other.formulas
            && self.labels == other.labels
            && self.globals == other.globals
            && self.modules == other.modules
            && self.observed == other.observed
            && self.observables == other.observables
            && self.players == other.players
            && self.rewards == other.rewards
            && self.init == other.init
            && self.systems == other.systems
            && self.vectors == other.vectors
    }
}

impl Model {
    /// Makes an empty model, for translations from another language. `text` is the text that is
    /// translated, and all places in the model refer to it.
    #[must_use]
    pub fn new(text: &[u8]) -> Self {
        Self {
            model_type: None,
            constants: Vec::new(),
            formulas: Vec::new(),
            labels: Vec::new(),
            globals: Vec::new(),
            modules: Vec::new(),
            observed: Vec::new(),
            observables: Vec::new(),
            players: Vec::new(),
            rewards: Vec::new(),
            init: None,
            systems: Vec::new(),
            vectors: None,
            text: Arc::from(text),
        }
    }

    /// Returns the composition of the modules, if the model has one: the composition without a name
    /// or, if all have names, the first one.
    #[must_use]
    pub fn system(&self) -> Option<&System> {
        let mut systems = self.systems.iter();
        let unnamed = systems.find(|system| system.name.is_none());
        unnamed.or(self.systems.first())
    }
}

/// `const int N = 3;`
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// Its name.
    pub name: Ident,
    /// Its type; `int` if none is written.
    pub of: Type,
    /// Its value. If it has none, the caller must give one.
    pub value: Option<Expr>,
}

/// `formula busy = c1>0 | c2>0;`
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// Its name.
    pub name: Ident,
    /// The expression that it stands for.
    pub value: Expr,
}

/// `label "done" = s=3;`
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Its name, without the quotes.
    pub name: Ident,
    /// The condition on states that have it.
    pub value: Expr,
}

/// `observable "wall" = x=0;`
#[derive(Debug, Clone, PartialEq)]
pub struct Observable {
    /// Its name, without the quotes.
    pub name: Ident,
    /// The value that is observed in a state.
    pub value: Expr,
}

/// `player one m, [a] endplayer`
#[derive(Debug, Clone, PartialEq)]
pub struct Player {
    /// Its name.
    pub name: Ident,
    /// The modules and actions that the player controls.
    pub items: Vec<PlayerItem>,
}

/// A module or an action that a player controls.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayerItem {
    /// `m`: the commands of a module that have no action.
    Module(Ident),
    /// `[a]`: the steps with an action.
    Action(Ident),
}

/// `x : [0..N] init 0;`
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Ident,
    /// The values that it may have.
    pub range: VariableRange,
    /// Its initial value. If it has none, this is the lower bound or `false`.
    pub init: Option<Expr>,
}

/// The values that a variable can take.
#[derive(Debug, Clone, PartialEq)]
pub enum VariableRange {
    /// `[low..high]`, both included.
    Int {
        /// The lower bound.
        low: Expr,
        /// The upper bound.
        high: Expr,
    },
    /// `int`, without bounds.
    Unbounded,
    /// `clock`
    Clock,
    /// `bool`
    Bool,
}

/// `module`
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// Its name.
    pub name: Ident,
    /// The body: either written out, or a renaming.
    pub body: ModuleBody,
}

/// The body of a module.
#[derive(Debug, Clone, PartialEq)]
pub enum ModuleBody {
    /// `module M ... endmodule`
    Written {
        /// The module's variables.
        variables: Vec<Variable>,
        /// `invariant ... endinvariant`: the condition under which time may pass.
        invariant: Option<Expr>,
        /// The module's commands.
        commands: Vec<Command>,
    },
    /// `module M = B [x=y, ...] endmodule`
    Renamed {
        /// The module that is copied.
        base: Ident,
        /// Pairs of old and new names.
        names: Vec<(Ident, Ident)>,
    },
}

impl ModuleBody {
    /// Returns the variables of a module that is written out. A renaming has none.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        match self {
            Self::Written { variables, .. } => variables,
            Self::Renamed { .. } => &[],
        }
    }

    /// Returns the invariant of a module that is written out, if it has one. A renaming has none.
    #[must_use]
    pub fn invariant(&self) -> Option<&Expr> {
        match self {
            Self::Written { invariant, .. } => invariant.as_ref(),
            Self::Renamed { .. } => None,
        }
    }

    /// Returns the commands of a module that is written out. A renaming has none.
    #[must_use]
    pub fn commands(&self) -> &[Command] {
        match self {
            Self::Written { commands, .. } => commands,
            Self::Renamed { .. } => &[],
        }
    }
}

/// `[a] guard -> p1 : (x'=1) + p2 : (x'=2);`
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// Whether it is written with `<>`, so that its weights are rates, as in Markov automata.
    pub is_markovian: bool,
    /// The action, if there is one.
    pub action: Option<Ident>,
    /// The condition under which the command is enabled.
    pub guard: Expr,
    /// The possible updates, with their probabilities or rates.
    pub updates: Vec<Update>,
    /// The place of the whole command.
    pub span: Spanned<()>,
}

/// `p : (x'=1) & (y'=2)`, `[p,q] : true`
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// The probability or rate; 1 if none is written. Of an interval, the lower bound.
    pub weight: Option<Expr>,
    /// The upper bound of an interval.
    pub upper: Option<Expr>,
    /// The assignments; none for `true`.
    pub assignments: Vec<Assignment>,
}

/// `(x'=1)`
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub variable: Ident,
    /// Its new value, computed from the old values of all variables.
    pub value: Expr,
}

/// `rewards "name" ... endrewards`. Rewards do not affect the state space.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewards {
    /// The name, without the quotes.
    pub name: Option<Ident>,
    /// The rewards of states and transitions.
    pub items: Vec<Reward>,
}

/// `[a] guard : value;`
#[derive(Debug, Clone, PartialEq)]
pub struct Reward {
    /// `None` for a reward of states, `Some(None)` for a reward of transitions without an action
    /// (`[]`), and otherwise the action whose transitions have the reward.
    pub action: Option<Option<Ident>>,
    /// The condition on the states that have the reward.
    pub guard: Expr,
    /// The reward.
    pub value: Expr,
}

/// `system ... endsystem`: the composition of the modules, in postfix order.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    /// The name, without the quotes.
    pub name: Option<Ident>,
    /// Each operator comes after its operands. The last node represents the whole composition.
    pub nodes: Vec<Spanned<SystemNode>>,
}

/// A step that modules take together: it takes one command of each, and has an action of its own.
///
/// Commands are taken by vectors only, even those without an action. Several vectors may have the
/// same action, and a module may take part in several vectors with the same action. Commands with
/// actions may write any variables, if no two modules of a vector write the same one. In the name
/// of an action, NUL and the text after it distinguish actions of the same name; this part is not
/// shown.
#[derive(Debug, Clone, PartialEq)]
pub struct SyncVector {
    /// The action of the step.
    pub action: Option<Ident>,
    /// The modules that take part, by their indices, each with the action of its commands.
    pub parties: Vec<(usize, Option<Ident>)>,
    /// The place of the vector in the text.
    pub span: Spanned<()>,
}

/// A part of a [`System`].
#[derive(Debug, Clone, PartialEq)]
pub enum SystemNode {
    /// A module.
    Module(String),
    /// `"s"`: the composition with this name.
    Reference(String),
    /// `A || B`: synchronised on the actions that both have.
    Full,
    /// `A ||| B`: not synchronised.
    Interleaved,
    /// `A |[a,b]| B`: synchronised on these actions alone.
    Restricted(Vec<Ident>),
    /// `A / {a,b}`: these actions become unlabelled.
    Hide(Vec<Ident>),
    /// `A {a<-b}`: action `a` is renamed to `b`.
    Rename(Vec<(Ident, Ident)>),
}
