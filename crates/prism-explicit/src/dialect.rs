//! The dialects of files, as users write them.

use std::fmt;
use std::str::FromStr;

/// The text is not the name of a dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not one of prism, storm")]
pub struct UnknownDialect {
    text: String,
}

/// The dialect of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// PRISM: `.tra` files have a header of counts; `.lab` files declare `0="init"`.
    Prism,
    /// Storm: `.tra` files have the model type as their first word and no counts; `.lab` files
    /// declare names between `#DECLARATION` and `#END`.
    Storm,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Prism => "prism",
            Self::Storm => "storm",
        })
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    /// Parses `prism` or `storm`, in any case.
    fn from_str(text: &str) -> Result<Self, UnknownDialect> {
        match () {
            () if text.eq_ignore_ascii_case("prism") => Ok(Self::Prism),
            () if text.eq_ignore_ascii_case("storm") => Ok(Self::Storm),
            () => Err(UnknownDialect {
                text: text.to_owned(),
            }),
        }
    }
}
