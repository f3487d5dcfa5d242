//! Tables for users.

use crate::printable::printable;
use mdp_graph::counted;
use std::io::{self, Write};

/// A name and a value.
pub(crate) type Row<'a> = (&'a str, String);

/// The largest width of a column, which is that of the format language: a larger one is a panic.
/// Longer cells are written as they are, and what follows them is not aligned.
const MAX_WIDTH: usize = u16::MAX as usize;

/// Returns the width of a column with these cells.
fn width<'a>(cells: impl Iterator<Item = &'a str>) -> usize {
    let longest = cells.map(|cell| cell.chars().count()).max();
    longest.unwrap_or(0).min(MAX_WIDTH)
}

/// Writes rows with aligned values.
pub(crate) fn write(out: &mut dyn Write, rows: &[Row<'_>]) -> io::Result<()> {
    let width = width(rows.iter().map(|(name, _)| *name));
    rows.iter().try_for_each(|(name, value)| {
        let (name, value) = (printable(name), printable(value));
        writeln!(out, "{name:width$}  {value}")
    })
}

/// Writes rows, the first of which is the header. Names are on the left, and numbers are aligned.
pub(crate) fn write_columns(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths: Vec<usize> = (0..columns)
        .map(|column| width(cells(column).map(String::as_str)))
        .collect();
    for row in rows {
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let cell = printable(cell);
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

#[cfg(test)]
mod tests {
    use super::{MAX_WIDTH, write, write_columns};

    #[test]
    fn cells_of_any_length_are_written() {
        for length in [MAX_WIDTH, MAX_WIDTH + 1] {
            let long = "x".repeat(length);
            let mut out = Vec::new();
            let rows = [(long.as_str(), "1".to_owned()), ("y", "2".to_owned())];
            write(&mut out, &rows).expect("a vector takes all");
            let blanks = " ".repeat(MAX_WIDTH - 1);
            let expected = format!("{long}  1\ny{blanks}  2\n");
            assert!(out == expected.as_bytes(), "{length}");

            let mut out = Vec::new();
            let rows = [
                [long.clone(), long.clone()],
                ["y".to_owned(), "2".to_owned()],
            ];
            write_columns(&mut out, &rows.map(Vec::from)).expect("a vector takes all");
            let expected = format!("{long}  {long}\ny{blanks}  {blanks}2\n");
            assert!(out == expected.as_bytes(), "{length}");
        }
    }
}
