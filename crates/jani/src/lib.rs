//! Reader and compiler of JANI, the exchange format of quantitative model checkers.
//!
//! A model in [JANI](https://jani-spec.org) is a JSON text. It contains automata with variables,
//! whose edges have guards, probabilities and assignments. Automata move alone, or together by
//! synchronisation vectors. This crate reads such a model, checks names and members, and translates
//! it to the input of `prism-language`, which compiles it to a [`Program`]. It does not explore the
//! state space, and does not know about files.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! let text = br#"{
//!   "jani-version": 1, "name": "coin", "type": "mdp",
//!   "actions": [ {"name": "toss"} ],
//!   "constants": [ {"name": "N", "type": "int"} ],
//!   "variables": [ {"name": "heads", "initial-value": 0, "type":
//!     {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": "N"}} ],
//!   "automata": [ { "name": "player",
//!     "locations": [ {"name": "l"} ], "initial-locations": ["l"],
//!     "edges": [ { "location": "l", "action": "toss",
//!       "guard": {"exp": {"op": "<", "left": "heads", "right": "N"}},
//!       "destinations": [
//!         { "location": "l", "probability": {"exp": 0.5}, "assignments": [
//!           {"ref": "heads", "value": {"op": "+", "left": "heads", "right": 1}} ] },
//!         { "location": "l", "probability": {"exp": 0.5} } ] } ] } ],
//!   "system": { "elements": [ {"automaton": "player"} ] }
//! }"#;
//! let program = jani::parse(text)?.compile(&[("N", "3")])?;
//! program.initial_states(|state| {
//!     assert_eq!(program.show(state).to_string(), "(heads=0)");
//!     ControlFlow::Continue(())
//! }).expect("one initial state");
//! # Ok::<(), jani::Error>(())
//! ```
//!
//! The page `docs/jani.md` lists the models that are accepted, and defines their semantics.
//! [`Model::compile`] checks types and ranges, because these depend on the constants.
//!
//! # Errors
//!
//! An [`Error`] has a place in the text, and notes that refer to other places:
//!
//! ```
//! let text = br#"{ "jani-version": 1, "name": "m", "typ": "mdp" }"#;
//! let error = jani::parse(text).unwrap_err();
//! assert_eq!(error.to_string(), "line 1, column 35: a model has no member `typ`");
//! assert_eq!(error.notes()[0].text, "did you mean `type`?");
//! ```
//!
//! No text makes this crate panic, overflow the stack, or use memory out of proportion to the size
//! of the text. Neither JSON nor expressions are processed recursively, and the growth by functions
//! and vectors is limited.

#![forbid(unsafe_code)]

mod error;
mod expr;
mod json;
mod lower;
mod model;
mod read;

pub use error::{ArchiveKind, Error, ErrorKind, Note, Position};
pub use prism_language::{Program, Widths};

/// A model that was read: all names are defined, and all parts are where they belong.
#[derive(Debug, Clone)]
pub struct Model {
    translated: prism_language::ast::Model,
}

/// Reads the text of a model.
///
/// # Errors
///
/// If the text is not JSON, or not a model in JANI, or if a part of the model is not supported. The
/// error has the first place that is wrong.
pub fn parse(text: &[u8]) -> Result<Model, Error> {
    let translated = json::Json::parse(text).and_then(|json| {
        let parts = read::model(&json)?;
        lower::translate(&parts, text)
    });
    match translated {
        Ok(translated) => Ok(Model { translated }),
        Err(fault) => Err(fault.locate(text)),
    }
}

impl Model {
    /// Checks types and ranges, and compiles the model to a program. `constants` are the names and
    /// values of the constants that the model leaves open. A value is an expression of PRISM's
    /// language without names, such as `7`, `true` or `1/3`.
    ///
    /// # Errors
    ///
    /// If a constant is missing, unknown, or given a range of values, or if types do not fit.
    /// Errors that depend on the state are found when the program runs.
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
        let compiled = self.translated.compile_with(constants, widths);
        compiled.map_err(|error| error.map(ErrorKind::Program))
    }
}
