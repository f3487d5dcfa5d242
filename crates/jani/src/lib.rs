//! Reader and compiler of JANI, the exchange format of probabilistic model checkers.
#![forbid(unsafe_code)]

mod error;
mod expr;
mod json;
mod lower;
mod model;
mod read;

pub use error::{Error, ErrorKind, Note, Position};
pub use prism_language::{Program, Widths};

use prism_language::ast;

/// A model that was read: names stand for something, and all parts are where they belong.
#[derive(Debug, Clone)]
pub struct Model {
    translated: ast::Model,
}

/// Reads the text of a model.
///
/// # Errors
///
/// If the text is no JSON, or no model in JANI, at the first place where it is wrong; and if a part
/// of the model is not supported.
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
    /// Checks types and ranges, and makes a program of the model. `constants` gives names and
    /// values of the constants that the model leaves open; a value is an expression of PRISM's
    /// language without names, such as `7`, `true` or `1/3`.
    ///
    /// # Errors
    ///
    /// If a constant is missing, given but unknown, or given a range of values; if types do not
    /// fit. What depends on the state is found when the program runs.
    pub fn compile(&self, constants: &[(&str, &str)]) -> Result<Program, Error> {
        self.compile_with(constants, &mut Widths::default())
    }

    /// The same with so many bits for unbounded variables, or with more if they do not hold the
    /// initial states.
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
