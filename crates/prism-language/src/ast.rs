//! The syntax tree of a model. Names are not resolved.
//!
//! Equality of syntax does not depend on the position in the text.

mod display;
mod expr;

use std::fmt;
use std::sync::Arc;

pub(crate) use expr::IF_PRECEDENCE;
pub use expr::{BinaryOp, Expr, Function, Node, NodeKind, Operands, UnaryOp};

/// A stretch of the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The bytes from `start` to before `end`. No text has 4 GiB or more, which parsers check.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self {
            start: narrow(start),
            end: narrow(end),
        }
    }

    /// Bytes before the stretch.
    #[must_use]
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// Bytes before what follows the stretch.
    #[must_use]
    pub fn end(self) -> usize {
        self.end as usize
    }

    /// Whether the stretch is a mere place.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The stretch from the start of this one to the end of another.
    pub(crate) fn to(self, end: Self) -> Self {
        Self {
            start: self.start,
            end: end.end,
        }
    }
}

/// A value and where it stands; the place does not count in comparisons.
#[derive(Debug, Clone, Copy)]
pub struct Spanned<T> {
    /// What stands there.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// A name, with the place where it is used.
pub type Ident = Spanned<String>;

/// The word that says what kind of process a model describes.
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
    /// Integers: 64 bits here, 32 in PRISM; results that do not fit are errors.
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

/// A model as it was written. `Display` prints it so that it parses back to an equal model.
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
    /// `system ... endsystem`; which of them is the model's, [`system`](Model::system) says.
    pub systems: Vec<System>,
    /// How modules move together, if another language than PRISM's says so; PRISM's has no words
    /// for it, and nothing is printed of it. `systems` say nothing then.
    pub vectors: Option<Vec<SyncVector>>,
    /// The text that the model was read from, for the positions of errors.
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
    /// A model with nothing in it, for translations from another language. `text` is what is
    /// translated: all places are places in it.
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

    /// How the modules are composed, if the model says it: the composition without a name or, if
    /// all have names, the first one.
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
    /// Its type; `int` where none is written.
    pub of: Type,
    /// Its value; without one it must be given from outside.
    pub value: Option<Expr>,
}

/// `formula busy = c1>0 | c2>0;`
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// Its name.
    pub name: Ident,
    /// What it stands for.
    pub value: Expr,
}

/// `label "done" = s=3;`
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// Its name, without the quotes.
    pub name: Ident,
    /// The states that have it.
    pub value: Expr,
}

/// `observable "wall" = x=0;`
#[derive(Debug, Clone, PartialEq)]
pub struct Observable {
    /// Its name, without the quotes.
    pub name: Ident,
    /// What is seen of a state.
    pub value: Expr,
}

/// `player one m, [a] endplayer`
#[derive(Debug, Clone, PartialEq)]
pub struct Player {
    /// Its name.
    pub name: Ident,
    /// What it decides.
    pub items: Vec<PlayerItem>,
}

/// What belongs to a player.
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
    /// Its values.
    pub range: VariableRange,
    /// Its initial value; without one, the lower bound or `false`.
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
    /// Written out, or as a renaming.
    pub body: ModuleBody,
}

/// What a module does.
#[derive(Debug, Clone, PartialEq)]
pub enum ModuleBody {
    /// `module M ... endmodule`
    Written {
        /// The module's variables.
        variables: Vec<Variable>,
        /// `invariant ... endinvariant`: where time may pass.
        invariant: Option<Expr>,
        /// The module's commands.
        commands: Vec<Command>,
    },
    /// `module M = B [x=y, ...] endmodule`
    Renamed {
        /// The module that is copied.
        base: Ident,
        /// Old names and new names.
        names: Vec<(Ident, Ident)>,
    },
}

impl ModuleBody {
    /// The variables of a module that is written out; none of a renaming.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        match self {
            Self::Written { variables, .. } => variables,
            Self::Renamed { .. } => &[],
        }
    }

    /// The invariant of a module that is written out, if it has one; none of a renaming.
    #[must_use]
    pub fn invariant(&self) -> Option<&Expr> {
        match self {
            Self::Written { invariant, .. } => invariant.as_ref(),
            Self::Renamed { .. } => None,
        }
    }

    /// The commands of a module that is written out; none of a renaming.
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
    /// Whether it is written `<>`, and its weights are rates, as in Markov automata.
    pub is_markovian: bool,
    /// The label, if there is one.
    pub action: Option<Ident>,
    /// When the command can happen.
    pub guard: Expr,
    /// What then happens, and how probably.
    pub updates: Vec<Update>,
    /// The whole command.
    pub span: Spanned<()>,
}

/// `p : (x'=1) & (y'=2)`, `[p,q] : true`
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// Probability or rate; without one, 1. Of an interval, the lower bound.
    pub weight: Option<Expr>,
    /// The upper bound of an interval.
    pub upper: Option<Expr>,
    /// The variables that change; none for `true`.
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

/// `rewards "name" ... endrewards`: no part of the state space.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewards {
    /// The name, without the quotes.
    pub name: Option<Ident>,
    /// What is earned where.
    pub items: Vec<Reward>,
}

/// `[a] guard : value;`
#[derive(Debug, Clone, PartialEq)]
pub struct Reward {
    /// `None` for a reward of states, `Some(None)` for one of unlabelled transitions (`[]`), else
    /// that of an action's transitions.
    pub action: Option<Option<Ident>>,
    /// Where it is earned.
    pub guard: Expr,
    /// How much.
    pub value: Expr,
}

/// `system ... endsystem`: how modules are composed, in postfix order.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    /// The name, without the quotes.
    pub name: Option<Ident>,
    /// Each operator comes after its operands; the last node is the whole.
    pub nodes: Vec<Spanned<SystemNode>>,
}

/// A step that modules take together: one command of each, with the action that the vector says.
///
/// Every command moves by a vector alone, also one without an action. Several vectors may have the
/// same action, and a module may offer an action of its own to several vectors. Commands with
/// actions may write any variables, if no two modules of a vector write the same one. In the name
/// of an action, NUL and what stands after it tell actions of one name apart; it is not shown.
#[derive(Debug, Clone, PartialEq)]
pub struct SyncVector {
    /// What the step is called.
    pub action: Option<Ident>,
    /// The modules that take part, by their indices, each with an action of its commands.
    pub parties: Vec<(usize, Option<Ident>)>,
    /// Where the vector stands.
    pub span: Spanned<()>,
}

/// A part of a [`System`].
#[derive(Debug, Clone, PartialEq)]
pub enum SystemNode {
    /// A module.
    Module(String),
    /// `"s"`: what the system of that name composes.
    Reference(String),
    /// `A || B`: synchronised on the actions that both know.
    Full,
    /// `A ||| B`: not synchronised.
    Interleaved,
    /// `A |[a,b]| B`: synchronised on these actions alone.
    Restricted(Vec<Ident>),
    /// `A / {a,b}`: these actions become unlabelled.
    Hide(Vec<Ident>),
    /// `A {a<-b}`: action `a` is called `b`.
    Rename(Vec<(Ident, Ident)>),
}
