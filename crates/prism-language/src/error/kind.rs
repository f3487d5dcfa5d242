//! The kinds of errors in a model, and their texts.

use std::borrow::Cow;
use std::fmt;

use parse_error::ArchiveKind;

use super::naming::Naming;
use crate::ast::{self, Type};

/// The reason why an operation has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArithmeticError {
    /// `x / 0`
    #[error("division by zero")]
    DivisionByZero,
    /// A result outside the 64-bit integers.
    #[error("the result does not fit a 64-bit integer")]
    Overflow,
    /// `pow(2, -1)` of integers.
    #[error("an integer power needs an exponent that is not negative")]
    NegativeExponent,
    /// `mod(x, 0)`, `mod(x, -2)`
    #[error("the divisor of `mod` must be positive")]
    NonPositiveDivisor,
    /// `floor(x)` of infinity or of a value that is not a number.
    #[error("the value has no nearest integer")]
    NotFinite,
}

/// The reason why a probability or a rate is not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadValue {
    /// Less than 0.
    Negative,
    /// Not a number.
    NotANumber,
    /// Infinite.
    Infinite,
}

impl BadValue {
    /// Returns the value and the reason why it is wrong, unless the name of the value already is
    /// the reason.
    fn of(self, value: f64) -> String {
        match self {
            Self::Negative => format!("{value}, which is {self}"),
            Self::NotANumber | Self::Infinite => self.to_string(),
        }
    }
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Negative => "negative",
            Self::NotANumber => "not a number",
            Self::Infinite => "infinite",
        })
    }
}

/// Formats a number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The kinds of errors, with the names and numbers that describe them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text does not follow the grammar.
    #[error("unexpected text")]
    Syntax,
    /// The text ends where the grammar needs more.
    #[error("the file ends too early")]
    Truncated,
    /// The file is an archive, which was not decompressed.
    #[error("this is {archive}: {}", archive.advice())]
    Compressed {
        /// The kind of archive.
        archive: ArchiveKind,
    },
    /// The text is UTF-16 or UTF-32.
    #[error("the text is in {encoding}, not in UTF-8: `iconv -f {encoding} -t UTF-8` converts it")]
    WideEncoding {
        /// Its encoding.
        encoding: &'static str,
    },
    /// A part of the language is not supported.
    #[error("{what} are not supported")]
    Unsupported {
        /// The part, in the plural.
        what: &'static str,
    },
    /// A number in the text is too large for its type.
    #[error("the number is too large")]
    NumberTooLarge,
    /// A number exceeds a limit of this crate.
    #[error("there are too many {what}: the limit is {}", grouped(*.limit))]
    TooMany {
        /// The name of what is counted.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// A construct that may occur once occurs twice.
    #[error("there is a second {what}")]
    Repeated {
        /// The construct.
        what: &'static str,
    },
    /// A name is defined twice.
    #[error("the name `{name}` is taken: it is {} already", taken.with_article())]
    DuplicateName {
        /// The name.
        name: String,
        /// What the first definition defines.
        taken: Naming,
    },
    /// A name is not defined.
    #[error("there is no {wanted} `{}`", cut(name))]
    UnknownName {
        /// The name.
        name: String,
        /// The kind of thing that was expected.
        wanted: Naming,
    },
    /// A label has a name that model checkers define themselves.
    #[error("the label name `{name}` is reserved")]
    ReservedLabel {
        /// `init` or `deadlock`.
        name: String,
    },
    /// Constants or formulas depend on each other, or modules are renamings of each other.
    #[error("a definition depends on itself: {}", path.join(" -> "))]
    Cycle {
        /// The names, with the first one repeated at the end.
        path: Vec<String>,
    },
    /// A definition that must be known before the model runs uses a variable.
    #[error("`{name}` is a variable, and {what} must be constant")]
    NotConstant {
        /// The variable.
        name: String,
        /// The definition that uses it.
        what: &'static str,
    },
    /// An expression has another type than is needed here.
    #[error("{what} must be of type {wanted}, not {found}")]
    TypeMismatch {
        /// The kind of expression.
        what: Cow<'static, str>,
        /// The type that is needed.
        wanted: &'static str,
        /// The type that the expression has.
        found: Type,
    },
    /// The types of two operands do not fit together.
    #[error("{operator} does not take {left} and {right}")]
    OperandTypes {
        /// The operator, in backticks, or a description.
        operator: &'static str,
        /// The type of the left operand.
        left: Type,
        /// The type of the right operand.
        right: Type,
    },
    /// The values of a `? :` have types that do not fit together.
    #[error("the two values of `? :` must have the same type, not {yes} and {no}")]
    ChoiceTypes {
        /// The type of the value before the `:`.
        yes: Type,
        /// The type of the value after it.
        no: Type,
    },
    /// A function has too few or too many arguments.
    #[error("`{function}` takes {wanted}, not {found}")]
    Arity {
        /// The function.
        function: &'static str,
        /// The number of arguments that it takes.
        wanted: &'static str,
        /// The number of arguments that were found.
        found: u32,
    },
    /// A constant has no value.
    #[error("the constant `{name}` has no value")]
    ConstantMissing {
        /// The constant.
        name: String,
    },
    /// A value was given for a constant that the model defines itself.
    #[error("the model defines the constant `{name}` itself")]
    ConstantDefined {
        /// The constant.
        name: String,
    },
    /// A value was given twice.
    #[error("the constant `{name}` is given twice")]
    ConstantRepeated {
        /// The constant.
        name: String,
    },
    /// A range of values was given for a constant, as for a series of experiments.
    #[error(
        "`{}` is a range of values for `{name}`; one model needs one value",
        cut(text)
    )]
    ConstantRange {
        /// The constant.
        name: String,
        /// The text given.
        text: String,
    },
    /// The text given for a constant is not a value of its type.
    #[error(
        "`{}` is not a value for `{name}`, a constant of type {wanted}",
        cut(text)
    )]
    ConstantValue {
        /// The constant.
        name: String,
        /// The text given.
        text: String,
        /// The constant's type.
        wanted: Type,
    },
    /// An operation has no result.
    #[error("{0}")]
    Arithmetic(ArithmeticError),
    /// The lower bound of a variable is above its upper bound.
    #[error("the range of `{name}` is empty: {low} is above {high}")]
    EmptyRange {
        /// The variable.
        name: String,
        /// Its lower bound.
        low: i64,
        /// Its upper bound.
        high: i64,
    },
    /// The initial value of a variable is outside its range.
    #[error("`{name}` starts at {value}, outside its range [{low}..{high}]")]
    InitialValue {
        /// The variable.
        name: String,
        /// The initial value.
        value: i64,
        /// The variable's lower bound.
        low: i64,
        /// The variable's upper bound.
        high: i64,
    },
    /// A variable has an initial value, although there is `init ... endinit`.
    #[error("`{name}` has an initial value, and the model has `init ... endinit`")]
    TwoInitials {
        /// The variable.
        name: String,
    },
    /// No state satisfies `init ... endinit`.
    #[error("no state satisfies the condition on initial states")]
    NoInitialState,
    /// A module writes a variable that it may only read.
    #[error("module `{module}` cannot write `{name}`, a variable of module `{owner}`")]
    NotOwned {
        /// The module that writes.
        module: String,
        /// The variable.
        name: String,
        /// The module that owns it.
        owner: String,
    },
    /// A command with an action writes a global variable.
    #[error("a command with an action cannot write the global variable `{name}`")]
    GlobalInAction {
        /// The variable.
        name: String,
    },
    /// An update writes a variable twice.
    #[error("the update writes `{name}` twice")]
    WrittenTwice {
        /// The variable.
        name: String,
    },
    /// A renaming renames a name twice.
    #[error("`{name}` is renamed twice")]
    RenamedTwice {
        /// The name.
        name: String,
    },
    /// A renaming renames a formula.
    #[error(
        "the formula `{name}` cannot be renamed: formulas are expanded before modules are renamed"
    )]
    FormulaRenamed {
        /// The formula.
        name: String,
    },
    /// A renaming replaces a name that an expression uses by the name of a formula.
    #[error(
        "`{old}` cannot be renamed to the formula `{new}`: formulas are expanded before modules are renamed"
    )]
    RenamedToFormula {
        /// The name that an expression uses.
        old: String,
        /// The formula.
        new: String,
    },
    /// A renaming does not rename a variable of its base module.
    #[error("the renaming of module `{base}` must give its variable `{name}` a new name")]
    NotRenamed {
        /// The base module.
        base: String,
        /// The variable.
        name: String,
    },
    /// A partially observable model has no observables.
    #[error("a model of type {model_type} must say what is observable")]
    NoObservables {
        /// The type.
        model_type: &'static str,
    },
    /// A model of a type without observations has observables.
    #[error("a model of type {model_type} has no observables")]
    NotObserved {
        /// The type.
        model_type: &'static str,
    },
    /// A game has no players.
    #[error("a model of type {model_type} must say who the players are")]
    NoPlayers {
        /// The type.
        model_type: &'static str,
    },
    /// A model that is not a game has players.
    #[error("a model of type {model_type} has no players")]
    NotPlayed {
        /// The type.
        model_type: &'static str,
    },
    /// A module or an action belongs to two players.
    #[error("the {what} `{name}` belongs to a player already")]
    TwoOwners {
        /// A module or an action.
        what: Naming,
        /// Its name.
        name: String,
    },
    /// A state has choices of two players.
    #[error("players `{first}` and `{second}` both have choices")]
    TwoPlayers {
        /// The player of the first choice that has one.
        first: String,
        /// The player of a later choice.
        second: String,
    },
    /// A state has several choices, none of which belongs to a player.
    #[error("there are {choices} choices, and no player owns any of them")]
    UnownedChoices {
        /// The number of choices.
        choices: u64,
    },
    /// A model that is not a Markov automaton has a Markovian command.
    #[error("a model of type {model_type} has no Markovian commands (`<>`)")]
    NotMarkovian {
        /// The type.
        model_type: &'static str,
    },
    /// A model that is not timed has clocks or invariants.
    #[error("a model of type {model_type} has no {what}")]
    NotTimed {
        /// The type.
        model_type: ast::TypeKeyword,
        /// `clocks` or `invariants`.
        what: &'static str,
    },
    /// A clock is global.
    #[error("the clock `{name}` is global; clocks are variables of modules")]
    GlobalClock {
        /// The clock.
        name: String,
    },
    /// A clock has an initial value.
    #[error("the clock `{name}` cannot have an initial value: clocks start at 0")]
    ClockInitial {
        /// The clock.
        name: String,
    },
    /// A clock is used where it is not permitted.
    #[error(
        "the clock `{name}` cannot stand here: clocks are compared with integers, in guards, \
         invariants and observables"
    )]
    ClockMisplaced {
        /// The clock.
        name: String,
    },
    /// A clock is not observed, in a partially observable model.
    #[error("the clock `{name}` must be observable, as all clocks of a `popta`")]
    HiddenClock {
        /// The clock.
        name: String,
    },
    /// A clock is compared with `<` or `>`, for which digital clocks are not exact.
    #[error(
        "the clock `{name}` cannot be compared by {operator}: digital clocks need `<=` or `>=`"
    )]
    StrictComparison {
        /// The clock.
        name: String,
        /// `<` or `>`, in backticks.
        operator: &'static str,
    },
    /// Two clocks are compared with each other.
    #[error("the clocks `{left}` and `{right}` cannot be compared with each other")]
    DiagonalComparison {
        /// The clock on the left.
        left: String,
        /// The clock on the right.
        right: String,
    },
    /// A clock is not compared with any value of 0 or more, so it has no greatest value.
    #[error("the clock `{name}` has no largest value: it is compared with no value of 0 or more")]
    UnboundedClock {
        /// The clock.
        name: String,
    },
    /// A clock is compared with infinitely many values.
    #[error("a clock cannot be compared with what depends on `{name}`, which is unbounded")]
    UnboundedComparison {
        /// The variable.
        name: String,
    },
    /// The model has no module.
    #[error("there is no module")]
    NoModule,
    /// `system ... endsystem` omits a module or has it more than once.
    #[error("module `{name}` occurs {count} times in `system ... endsystem`, not once")]
    SystemModule {
        /// The module.
        name: String,
        /// The number of times that it occurs.
        count: u64,
    },
    /// A module takes part twice in a step.
    #[error("module `{name}` occurs twice in one vector")]
    TwiceInVector {
        /// The module.
        name: String,
    },
    /// Two modules write the same variable in a step.
    #[error("two modules that move together write the variable `{name}`")]
    TwoWriters {
        /// The variable.
        name: String,
    },
    /// Two operators of `system ... endsystem` need parentheses.
    #[error("`{second}` beside `{first}` needs parentheses")]
    MixedSystem {
        /// The operator on the left.
        first: &'static str,
        /// The operator on the right.
        second: &'static str,
    },
    /// An update assigns a value outside the range of a variable.
    #[error("module `{module}` sets `{variable}` to {value}, outside its range [{low}..{high}]")]
    OutOfRange {
        /// The module of the command.
        module: String,
        /// The variable.
        variable: String,
        /// The value that it would have.
        value: i64,
        /// The variable's lower bound.
        low: i64,
        /// The variable's upper bound.
        high: i64,
    },
    /// An unbounded variable gets a value that does not fit into its bits. This does not happen if
    /// it has enough bits ([`Widths`](crate::Widths)).
    #[error("`{variable}` is {value}, and a state has {bits} bits for it")]
    ValueTooWide {
        /// The variable.
        variable: String,
        /// The value that it would have.
        value: i64,
        /// The number of bits of the variable.
        bits: u32,
    },
    /// Infinitely many states may satisfy `init ... endinit`.
    #[error("the condition on initial states has no bounds for `{name}`, which is unbounded")]
    UnboundedInitial {
        /// The variable.
        name: String,
    },
    /// The probabilities of a command do not sum to 1.
    #[error("the probabilities of a command of module `{module}` sum to {sum}, not 1")]
    BadSum {
        /// The module of the command.
        module: String,
        /// The sum.
        sum: f64,
    },
    /// A model of a type without intervals has an interval.
    #[error("a model of type {model_type} has no intervals of probabilities")]
    UnexpectedInterval {
        /// The type.
        model_type: ast::TypeKeyword,
    },
    /// The lower bound of an interval is above its upper bound.
    #[error("an interval of module `{module}` is empty: {low} is above {high}")]
    EmptyInterval {
        /// The module of the command.
        module: String,
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// The intervals of a command do not contain a distribution.
    #[error(
        "the intervals of a command of module `{module}` hold no distribution: they sum to \
         [{low},{high}]"
    )]
    BadIntervals {
        /// The module of the command.
        module: String,
        /// The sum of the lower bounds.
        low: f64,
        /// The sum of the upper bounds.
        high: f64,
    },
    /// A probability or rate is not valid.
    #[error("a {what} of module `{module}` is {}", fault.of(*value))]
    BadWeight {
        /// `probability` or `rate`.
        what: &'static str,
        /// The module of the command.
        module: String,
        /// The value.
        value: f64,
        /// The reason.
        fault: BadValue,
    },
    /// A reward is infinite or not a number.
    #[error("a reward is {value}, which is not finite")]
    BadReward {
        /// The value.
        value: f64,
    },
}

/// Returns a text from outside the model, cut off if it is long.
fn cut(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
