//! Tables of two columns, for people.

use crate::number::grouped;
use std::io::{self, Write};

/// A name and what it names.
pub(crate) type Row<'a> = (&'a str, String);

/// Writes the rows, the values below each other.
pub(crate) fn write(out: &mut dyn Write, rows: &[Row<'_>]) -> io::Result<()> {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    rows.iter()
        .try_for_each(|(name, value)| writeln!(out, "{name:width$}  {value}"))
}

/// `1 state`, `1,234 states`.
pub(crate) fn states(count: u64) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} state{plural}", grouped(count))
}
