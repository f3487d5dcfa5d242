//! Compiles the text of a program, in PRISM's language or in JANI.

use super::system::PrismSystem;
use crate::error::Error;
use crate::error::diagnostic::Diagnostic;
use crate::input::Input;
use crate::load::request::Request;
use crate::load::source::{Source, is_named_as_properties};
use prism_language::{Program, Value, Widths};

/// A note about a text that is not a program, if its name says that it holds properties.
const PROPERTIES: &str = "the name is that of a file of properties: a model is expected";

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
            compiled.map_err(|error| {
                let diagnostic = text_error(input, &error, error.kind());
                let is_explained = !error.notes().is_empty();
                match is_named_as_properties(&request.args.model) && !is_explained {
                    true => diagnostic.note(PROPERTIES),
                    false => diagnostic,
                }
                .into()
            })
        }
        Language::Jani => {
            let model = jani::parse(input);
            let compiled = model.and_then(|model| model.compile_with(&constants, widths));
            compiled.map_err(|error| match error.kind() {
                jani::ErrorKind::Program(kind) => text_error(input, &error, kind).into(),
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
) -> Diagnostic {
    let diagnostic = Diagnostic::in_text(input, error);
    match kind {
        prism_language::ErrorKind::ConstantMissing { name } => {
            diagnostic.note(format!("`--const {name}=VALUE` gives it one"))
        }
        _ => diagnostic,
    }
}

/// Returns the constants to which the command line gives values, in the order of the text.
pub(crate) fn given_constants(program: &Program, request: Request<'_>) -> Vec<(String, Value)> {
    let given = || request.args.builder.constants();
    let is_given = |name: &str| given().any(|constant| constant.name == name);
    let all = program.constants().iter();
    all.filter(|(name, _)| is_given(name)).cloned().collect()
}
