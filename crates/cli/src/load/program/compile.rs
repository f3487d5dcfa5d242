//! Compiles the text of a program, in PRISM's language or in JANI.

use super::system::PrismSystem;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::load::request::Request;
use crate::load::source::Source;
use prism_language::{Program, Value, Widths};

/// The language that a program was compiled from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Prism,
    Jani,
}

impl Language {
    pub(super) fn of(input: &Input, request: Request<'_>) -> Self {
        match Source::of(&request.args.model, input) {
            Source::Jani => Self::Jani,
            _ => Self::Prism,
        }
    }

    /// Returns the name of the language, for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Prism => "PRISM language",
            Self::Jani => "JANI",
        }
    }
}

/// Parses the text, and compiles it with the constants of the command line.
pub(super) fn compile(
    input: &Input,
    request: Request<'_>,
    widths: &mut Widths,
) -> Result<PrismSystem, Error> {
    let constants = request.args.builder.constants();
    let constants: Vec<(&str, &str)> = constants
        .map(|constant| (constant.name.as_str(), constant.value.as_str()))
        .collect();
    let compiled = match Language::of(input, request) {
        Language::Prism => {
            let model = prism_language::parse(input);
            let compiled = model.and_then(|model| model.compile_with(&constants, widths));
            compiled.map_err(|error| text_error(input, &error, error.kind()))
        }
        Language::Jani => {
            let model = jani::parse(input);
            let compiled = model.and_then(|model| model.compile_with(&constants, widths));
            compiled.map_err(|error| match error.kind() {
                jani::ErrorKind::Program(kind) => text_error(input, &error, kind),
                _ => Diagnostic::in_text(input, &error).into(),
            })
        }
    };
    compiled.map(|program| match request.args.allow_any_sum {
        true => PrismSystem(program.with_any_sums()),
        false => PrismSystem(program),
    })
}

/// Returns the error for a text that is not a program.
fn text_error<K: std::fmt::Display>(
    input: &Input,
    error: &parse_error::Error<K>,
    kind: &prism_language::ErrorKind,
) -> Error {
    let diagnostic = Diagnostic::in_text(input, error);
    match kind {
        prism_language::ErrorKind::ConstantMissing { name } => {
            diagnostic.note(format!("`--const {name}=VALUE` gives it one"))
        }
        _ => diagnostic,
    }
    .into()
}

/// Returns the constants to which the command line gives values, in the order of the text.
pub(crate) fn given_constants(program: &Program, request: Request<'_>) -> Vec<(String, Value)> {
    let given = || request.args.builder.constants();
    let is_given = |name: &str| given().any(|constant| constant.name == name);
    let all = program.constants().iter();
    all.filter(|(name, _)| is_given(name)).cloned().collect()
}
