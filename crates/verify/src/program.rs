//! A kernel in naga's IR, with the source position of each of its lines.

use std::fmt;
use std::ops::Range;

use gpu::Kernel;
use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{EntryPoint, Function, Handle, Module, Span};

/// A kernel that naga has parsed and validated, with its override constants set.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) module: Module,
    pub(crate) info: ModuleInfo,
    text: String,
    file: File,
    constants: Vec<(String, u32)>,
}

#[derive(Clone, Debug)]
enum File {
    /// A single file with all lines.
    Named(String),
    /// A kernel of `shaders/`, which is assembled from several files.
    Kernel(&'static Kernel),
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The path; below `shaders/` for kernels of the project.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The text of the line, without surrounding space.
    pub text: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, text } = self;
        write!(f, "{file}:{line}: `{text}`")
    }
}

/// The reason why a kernel cannot be examined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The kernel is not valid WGSL.
    #[error("{place}: {message}")]
    Invalid {
        /// The place of the error.
        place: Place,
        /// The message of naga.
        message: String,
    },
    /// The kernel has no entry point, or several, or one that is not a compute shader.
    #[error("{file}: expected one entry point, a compute shader")]
    EntryPoint {
        /// The kernel's file.
        file: String,
    },
    /// The kernel uses a feature that the interpreter does not support.
    #[error("{place}: the interpreter does not know {what}")]
    Unsupported {
        /// The place at which it is used.
        place: Place,
        /// The feature.
        what: String,
    },
}

impl Program {
    /// Parses the WGSL of a single file with one entry point and no override constants.
    ///
    /// # Errors
    /// [`Error::Invalid`] or [`Error::EntryPoint`].
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        Self::new(text, File::Named(file.to_owned()), &[])
    }

    /// Parses a variant of a kernel of the project, with values for its override constants.
    ///
    /// # Errors
    /// [`Error::Invalid`], also if a constant is missing, or [`Error::EntryPoint`].
    pub fn of_kernel(kernel: &'static Kernel, constants: &[(&str, u32)]) -> Result<Self, Error> {
        Self::new(kernel.source, File::Kernel(kernel), constants)
    }

    /// Returns the same kernel with other values of some `const`s, each of which has to be on a
    /// separate line. Constants that are computed from them change, too.
    ///
    /// # Errors
    /// As [`Self::of_kernel`].
    pub fn with_values(
        kernel: &'static Kernel,
        constants: &[(&str, u32)],
        values: &[(&str, u32)],
    ) -> Result<Self, Error> {
        let line = |line: &str| {
            let named = line.strip_prefix("const ");
            let named = named.and_then(|rest| rest.split_once(" = "));
            let value = named.and_then(|(name, _)| values.iter().find(|(own, _)| *own == name));
            match value {
                Some((name, value)) => format!("const {name} = {value}u;\n"),
                None => format!("{line}\n"),
            }
        };
        let text: String = kernel.source.lines().map(line).collect();
        Self::new(&text, File::Kernel(kernel), constants)
    }

    fn new(text: &str, file: File, constants: &[(&str, u32)]) -> Result<Self, Error> {
        let invalid = |line: u32, message: String| Error::Invalid {
            place: place(&file, text, line),
            message,
        };
        let module = naga::front::wgsl::parse_str(text).map_err(|error| {
            let line = error.location(text).map_or(1, |at| at.line_number);
            invalid(line, error.message().to_owned())
        })?;
        let is_compute = |entry: &EntryPoint| entry.stage == naga::ShaderStage::Compute;
        if module.entry_points.len() != 1 || !module.entry_points.iter().all(is_compute) {
            let file = place(&file, text, 1).file;
            return Err(Error::EntryPoint { file });
        }
        let info = validator().validate(&module).map_err(|error| {
            let line = error.location(text).map_or(1, |at| at.line_number);
            invalid(line, chain(error.as_inner()))
        })?;
        let values = constants.iter();
        let values = values.map(|&(name, value)| (name.to_owned(), f64::from(value)));
        let (module, info) = {
            let (module, info) = process_overrides(&module, &info, None, &values.collect())
                .map_err(|error| invalid(1, chain(&error)))?;
            (module.into_owned(), info.into_owned())
        };
        Ok(Self {
            module,
            info,
            text: text.to_owned(),
            file,
            constants: constants
                .iter()
                .map(|&(name, value)| (name.to_owned(), value))
                .collect(),
        })
    }

    /// Returns the kernel with a changed IR, if this is still valid.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is not valid.
    pub fn changed(&self, change: impl FnOnce(&mut Module)) -> Result<Self, Error> {
        let mut module = self.module.clone();
        change(&mut module);
        let info = validator()
            .validate(&module)
            .map_err(|error| Error::Invalid {
                place: self.place(
                    error
                        .spans()
                        .next()
                        .map_or(Span::default(), |(span, _)| *span),
                ),
                message: chain(error.as_inner()),
            })?;
        Ok(Self {
            module,
            info,
            ..self.clone()
        })
    }

    /// Returns the kernel with a range of its text replaced by another text, which must not have
    /// more lines.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the new text is not valid.
    pub(crate) fn rewritten(&self, range: Range<usize>, with: &str) -> Result<Self, Error> {
        let mut text = self.text.clone();
        text.replace_range(range, with);
        let constants = self.constants.iter();
        let constants: Vec<_> = constants
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        Self::new(&text, self.file.clone(), &constants)
    }

    /// Returns the module in naga's IR.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Returns the place of a span in the source.
    pub(crate) fn place(&self, span: Span) -> Place {
        place(&self.file, &self.text, self.line(span))
    }

    /// Returns the place in the source of line `line` of the expanded text.
    pub(crate) fn place_of_line(&self, line: u32) -> Place {
        place(&self.file, &self.text, line)
    }

    /// Returns the line of the expanded text, counted from 1.
    pub(crate) fn line(&self, span: Span) -> u32 {
        match span.is_defined() {
            true => span.location(&self.text).line_number,
            false => 1,
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn entry(&self) -> &EntryPoint {
        &self.module.entry_points[0]
    }

    /// Returns a function, or the entry point for `None`, with naga's analysis of it.
    pub(crate) fn function(&self, handle: Option<Handle<Function>>) -> (&Function, &FunctionInfo) {
        match handle {
            Some(handle) => (&self.module.functions[handle], &self.info[handle]),
            None => (&self.entry().function, self.info.get_entry_point(0)),
        }
    }
}

fn validator() -> Validator {
    Validator::new(ValidationFlags::all(), Capabilities::SUBGROUP)
}

fn place(file: &File, text: &str, line: u32) -> Place {
    let written = text.lines().nth(line.saturating_sub(1) as usize);
    let (file, line) = match file {
        File::Named(name) => (name.as_str(), line),
        File::Kernel(kernel) => kernel.origin(line).unwrap_or((kernel.name, line)),
    };
    Place {
        file: file.to_owned(),
        line,
        text: written.unwrap_or_default().trim().to_owned(),
    }
}

/// Returns an error and all its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
