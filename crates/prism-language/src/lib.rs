//! Parser, checker and compiler of the modelling language of PRISM.
//!
//! A model in this language consists of modules. The guarded commands of a module change its
//! variables, with given probabilities. Modules take steps one at a time or, if they synchronise on
//! actions, together. This crate reads such a model, checks it, and compiles it to a form from
//! which the successors of a state can be computed fast. It does not explore the state space, and
//! does not know about files.
//!
//! # From text to successors
//!
//! ```
//! use prism_language::{ActionId, Program, Visitor, parse};
//! use std::ops::ControlFlow;
//!
//! let text = b"
//! mdp
//! const int N;
//! module walk
//!   x : [0..N];
//!   [toss] x<N -> 0.5 : (x'=x+1) + 0.5 : (x'=0);
//!   []     x=N -> true;
//! endmodule
//! ";
//! let model = parse(text)?;
//! let program: Program = model.compile(&[("N", "3")])?;
//!
//! /// Prints the branches of a state.
//! struct Print<'p>(&'p Program, Vec<String>);
//!
//! impl Visitor for Print<'_> {
//!     fn choice(&mut self, action: Option<ActionId>) {
//!         let name = action.map_or("", |action| &self.0.actions()[action.0 as usize]);
//!         self.1.push(format!("[{name}]"));
//!     }
//!     fn branch(&mut self, probability: f64, target: &[u64]) {
//!         self.1.push(format!("{probability} : {}", self.0.show(target)));
//!     }
//! }
//!
//! let mut initial = Vec::new();
//! program.initial_states(|state| {
//!     initial.push(state.to_vec());
//!     ControlFlow::Continue(())
//! })?;
//! let mut print = Print(&program, Vec::new());
//! program.successors(&mut program.scratch(), &initial[0], &mut print)?;
//! assert_eq!(print.1, ["[toss]", "0.5 : (x=1)", "0.5 : (x=0)"]);
//! # Ok::<(), prism_language::Error>(())
//! ```
//!
//! - [`parse`] makes a [`Model`], the syntax tree, which can be printed.
//! - [`Model::expanded`] expands renamed modules, and substitutes formulas.
//! - [`Model::compile`] takes values for the constants that the model leaves open, checks names and
//!   types, and makes a [`Program`]: everything is an index, an expression is bytecode, and a state
//!   is a few words of bits.
//! - [`Program::observe`] returns the observation of a state of a partially observable model.
//! - [`Program::owner`] returns the player of a game who decides in a state.
//! - [`Program::initial_states`] and [`Program::successors`] are the interface for searches.
//!   Choices are in Storm's order, so that a breadth-first search numbers states as Storm does.
//!
//! # The language
//!
//! This crate supports all of PRISM's language (4.10) for `mdp`, `dtmc`, `ctmc`, `pomdp`, `pta`,
//! `popta` and `smg`, and of Storm's language for `ma`, including `system ... endsystem`, as far as
//! they concern the state space and rewards ([`Program::state_reward`],
//! [`Program::choice_reward`]). It differs from PRISM in the following points:
//!
//! - integers have 64 bits, not 32; overflow is an error, and so is a division by zero;
//! - `&`, `|` and `=>` do not evaluate their right operand if the left one decides;
//! - the probabilities of a command must sum to 1 up to [`SUM_TOLERANCE`] (10⁻⁶), unless
//!   [`Program::with_any_sums`] allows any sum; PRISM's tolerance is 10⁻⁵, and can be set;
//! - `||` and `|||` cannot be mixed without parentheses;
//! - a model needs at least one module, but no variable;
//! - unused formulas are checked, too;
//! - single capital letters such as `P` and `X` are ordinary names;
//! - a `? :` between the `?` and the `:` of another one needs no parentheses.
//!
//! It differs from Storm, among other points, in these:
//!
//! - `a => b => c` is `a => (b => c)`, as in PRISM 4.10; Storm groups to the left, as PRISM's
//!   manual says;
//! - the state rewards of a deadlock to which the caller adds a self-loop are kept; Storm drops
//!   them.
//!
//! Timed automata are translated to MDPs by digital clocks, as with PRISM's `-ptamethod digital`.
//! The weights of branches of interval models are their upper bounds;
//! [`Program::with_lower_bounds`] has the lower bounds.
//!
//! A packed state has only a few bits for an unbounded variable (`x : int;`). A value that needs
//! more is an error ([`ErrorKind::ValueTooWide`]). [`Widths`] uses this error to make room before
//! the model is compiled again.
//!
//! # Errors
//!
//! An [`Error`] has a place in the text, and notes that refer to other places:
//!
//! ```
//! use prism_language::parse;
//!
//! let text = b"module m\n  count : [0..3];\n  [] counr<3 -> (count'=count+1);\nendmodule";
//! let model = parse(text)?;
//! let error = model.compile(&[]).unwrap_err();
//! let message = "line 3, column 6: there is no variable, constant or formula `counr`";
//! assert_eq!(error.to_string(), message);
//! assert_eq!(error.notes()[0].text, "did you mean `count`?");
//! # Ok::<(), prism_language::Error>(())
//! ```
//!
//! No text makes this crate panic, overflow the stack, or use memory out of proportion to the size
//! of the text. Expressions are lists that are never processed recursively, and the growth by
//! formulas and compositions is limited.

#![forbid(unsafe_code)]

mod arith;
pub mod ast;
mod average;
mod bundles;
mod code;
mod commands;
mod compile;
mod composition;
mod constants;
mod digital_clocks;
mod enabled;
mod error;
mod evaluate;
mod expand;
mod formulas;
mod grammar;
mod groups;
mod initial;
mod intervals;
mod ir;
mod key;
mod lexer;
mod moves;
mod names;
mod observables;
mod order;
mod owner;
mod players;
mod program;
mod rewards;
mod rule;
mod steps;
mod stop;
mod successors;
mod systems;
mod tokens;
mod variables;
mod widths;
mod words;

pub use ast::Model;
pub use average::average;
pub use composition::ActionId;
pub use constants::Value;
pub use error::{ArchiveKind, ArithmeticError, BadValue, Error, ErrorKind, Naming, Note, Position};
pub use grammar::PROPERTY_WORDS;
pub use lexer::parse_double;
pub use model_type::ModelType;
pub use model_type::SUM_TOLERANCE;
pub use observables::Observable;
pub use program::{Label, Program};
pub use rewards::RewardStructure;
pub use successors::{Scratch, StepSize, Visitor};
pub use variables::Variable;
pub use widths::Widths;
pub use words::{LAYOUT, TableBits, Unsuited, WordTables};

/// Parses the text of a model. Bytes that are not ASCII are permitted only in comments.
///
/// # Errors
///
/// If the text does not follow the grammar. The error has the first place that is wrong.
pub fn parse(text: &[u8]) -> Result<Model, Error> {
    grammar::model(text).map_err(|fault| fault.locate(text))
}

/// Parses a text that consists of an expression.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_expression(text: &[u8]) -> Result<ast::Expr, Error> {
    let read = grammar::whole_expression(text);
    read.map_err(|fault| fault.locate(text).in_place_of_file("the expression"))
}

impl Model {
    /// Returns the model with renamed modules written out, and with formulas and named systems
    /// substituted.
    ///
    /// # Errors
    ///
    /// If a name is defined twice, a formula, renaming or system depends on itself, or a renaming
    /// does not fit its module.
    pub fn expanded(&self) -> Result<Self, Error> {
        expand::expand(self).map_err(|fault| fault.locate(&self.text))
    }

    /// Checks the model and compiles it to a program. `constants` are the names and values of the
    /// constants that the model leaves open. A value is an expression without names, such as `7`,
    /// `true` or `1/3`.
    ///
    /// # Errors
    ///
    /// If a constant is missing, unknown, or given a range of values; if names or types do not fit;
    /// if a module writes a variable that it may not write. Errors that depend on the state are
    /// found when the program runs.
    pub fn compile(&self, constants: &[(&str, &str)]) -> Result<Program, Error> {
        self.compile_with(constants, &mut Widths::default())
    }

    /// As [`compile`](Self::compile), with this many bits for each unbounded variable, or more if
    /// the initial states need them.
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile).
    pub fn compile_with(
        &self,
        constants: &[(&str, &str)],
        widths: &mut Widths,
    ) -> Result<Program, Error> {
        loop {
            match compile::compile(self, constants, widths) {
                Err(fault) if widths.widen(&fault.kind) => {}
                compiled => return compiled.map_err(|fault| fault.locate(&self.text)),
            }
        }
    }
}
