//! The formats that models are written in.

use crate::args::To;
use crate::error::Error;
use crate::output;
use prism_explicit::Dialect;
use std::path::Path;

/// A format that models are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Unified Markov Binary, one file.
    Umb,
    /// Explicit transitions in one of the dialects, with labels and values of variables beside
    /// them.
    Explicit(Dialect),
    /// A labelled transition system in the Aldebaran format.
    Aut,
    /// Storm's text format, one file.
    Drn,
}

impl Target {
    /// Returns the requested format or, by default, the one that the name of `out` suggests.
    /// Returns `None` for explicit transitions in either dialect, which a name without an ending
    /// suggests too.
    pub(crate) fn of(to: Option<To>, out: &Path) -> Result<Option<Self>, Error> {
        Ok(match to {
            Some(To::Umb) => Some(Self::Umb),
            Some(To::Aut) => Some(Self::Aut),
            Some(To::Drn) => Some(Self::Drn),
            Some(To::Prism) => Some(Self::Explicit(Dialect::Prism)),
            Some(To::Storm) => Some(Self::Explicit(Dialect::Storm)),
            None => Self::by_name(out)?,
        })
    }

    /// Returns whether the format consists of one file only.
    pub(crate) fn is_one_file(self) -> bool {
        !matches!(self, Self::Explicit(_))
    }

    fn by_name(out: &Path) -> Result<Option<Self>, Error> {
        let plain = match output::is_archive(out) {
            true => out.with_extension(""),
            false => out.to_owned(),
        };
        let Some(ending) = plain.extension() else {
            return Ok(None);
        };
        let is = |known: &str| ending.eq_ignore_ascii_case(known);
        if is("aut") {
            return Ok(Some(Self::Aut));
        }
        if is("drn") {
            return Ok(Some(Self::Drn));
        }
        if is("umb") || is("tra") {
            return Ok(is("umb").then_some(Self::Umb));
        }
        let message = format!(
            "cannot tell what to write to {}: its name ends in .{}, not in .tra, .drn, .aut or .umb; give --to",
            out.display(),
            ending.display(),
        );
        Err(Error::Usage(message))
    }
}
