//! Tables for users.

use mdp_graph::counted;
use std::io::{self, Write};

/// A name and a value.
pub(crate) type Row<'a> = (&'a str, String);

/// Writes rows with aligned values.
pub(crate) fn write(out: &mut dyn Write, rows: &[Row<'_>]) -> io::Result<()> {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    rows.iter()
        .try_for_each(|(name, value)| writeln!(out, "{name:width$}  {value}"))
}

/// Writes rows, the first of which is the header. Names are on the left, and numbers are aligned.
pub(crate) fn write_columns(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|cell: &String| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            match column {
                0 => write!(out, "{cell:width$}")?,
                _ => write!(out, "  {cell:>width$}")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Returns a number of states as text: `1 state`, `1,234 states`.
pub(crate) fn states(count: u64) -> String {
    counted(count, "state", "states")
}
