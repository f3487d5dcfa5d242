//! The fast path for states files whose rows have the form that programs write: `12:(3,true,-4)`,
//! without blanks, comments and empty lines, with numbers of up to 32 bits. All threads read chunks
//! of rows. It reports no errors: if any row has another form, it gives up, and the grammar reads
//! the file (`both_paths_agree`).

use super::{Column, States};
use crate::error::Checked;
use crate::options::ReadOptions;
use parse_error::read_chunks;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads the rows from byte `at` on, which follow those that `states` has, and adds them. Returns
/// false if they are not all plain, or are not rows of consecutive states up to `max_states`. Then
/// nothing is added.
pub(super) fn read(
    states: &mut States,
    input: &[u8],
    at: usize,
    max_states: u32,
    options: &ReadOptions<'_>,
) -> Checked<bool> {
    let is_known = |column: &Column| matches!(column, Column::Bool(_) | Column::Int(_));
    if !states.columns.iter().all(is_known) {
        return Ok(false);
    }
    let shape = &*states;
    let counted = AtomicU64::new(0);
    let read_one = |_, range: Range<usize>| {
        let bytes = range.len();
        let rows = Rows::read(shape, input, range);
        options.advance(bytes)?;
        counted.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(rows)
    };
    let chunks = cut(input, at, options.chunk_bytes);
    let results = read_chunks(chunks, read_one, |read| !matches!(read, Ok(Some(_))));
    let all: Checked<Option<Vec<Rows>>> = results.into_iter().collect();
    let added = all?.is_some_and(|all| add(states, all, max_states));
    if !added && let Some(progress) = options.progress {
        // The grammar reads, and counts, the same bytes.
        progress.fetch_sub(counted.into_inner(), Ordering::Relaxed);
    }
    Ok(added)
}

/// Divides the bytes from `at` on into chunks of whole lines.
fn cut(input: &[u8], mut at: usize, chunk_bytes: usize) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    while at < input.len() {
        let full = at.saturating_add(chunk_bytes.max(1)).min(input.len());
        let newline = memchr::memchr(b'\n', &input[full..]);
        let end = newline.map_or(input.len(), |newline| full + newline + 1);
        chunks.push(at..end);
        at = end;
    }
    chunks
}

/// Adds rows to those of the states before. Returns false if states are missing or too many.
fn add(states: &mut States, chunks: Vec<Rows>, max_states: u32) -> bool {
    let mut next = states.num_states;
    for rows in &chunks {
        let end = u32::try_from(rows.len)
            .ok()
            .and_then(|len| next.checked_add(len));
        match end {
            Some(end) if rows.first == next && end <= max_states => next = end,
            _ => return false,
        }
    }
    let count = (next - states.num_states) as usize;
    for column in &mut states.columns {
        match column {
            Column::Bool(values) => values.reserve(count),
            Column::Int(values) => values.reserve(count),
            Column::Wide(values) => values.reserve(count),
        }
    }
    for rows in chunks {
        for (column, new) in states.columns.iter_mut().zip(rows.columns) {
            match (column, new) {
                (Column::Bool(values), Column::Bool(new)) => values.extend(new),
                (Column::Int(values), Column::Int(new)) => values.extend(new),
                // Both have the types of the first row.
                _ => return false,
            }
        }
    }
    states.num_states = next;
    true
}

/// Rows that follow one another.
struct Rows {
    /// The state of the first row.
    first: u32,
    /// The number of rows.
    len: usize,
    columns: Vec<Column>,
}

impl Rows {
    /// Reads lines with values of the same types as those of `states`; `None` if one is not plain.
    fn read(states: &States, input: &[u8], lines: Range<usize>) -> Option<Self> {
        let (first, _) = number(input, lines.start)?;
        let empty = |column: &Column| match column {
            Column::Bool(_) => Column::Bool(Vec::new()),
            _ => Column::Int(Vec::new()),
        };
        let mut rows = Self {
            first: u32::try_from(first).ok()?,
            len: 0,
            columns: states.columns.iter().map(empty).collect(),
        };
        let mut at = lines.start;
        while at < lines.end {
            let (state, colon) = number(input, at)?;
            if state != first + rows.len as u64 {
                return None;
            }
            at = values(&mut rows.columns, input, after(input, colon, b":(")?)?;
            rows.len += 1;
        }
        Some(rows)
    }
}

/// Reads the values of a row, and adds them. Returns the start of the next line.
#[inline(always)]
fn values(columns: &mut [Column], input: &[u8], mut at: usize) -> Option<usize> {
    for (place, column) in columns.iter_mut().enumerate() {
        if place > 0 {
            at = after(input, at, b",")?;
        }
        match column {
            Column::Int(values) => {
                let (value, end) = integer(input, at)?;
                values.push(value);
                at = end;
            }
            Column::Bool(values) => {
                let of_true = after(input, at, b"true");
                values.push(of_true.is_some());
                at = of_true.or_else(|| after(input, at, b"false"))?;
            }
            Column::Wide(_) => return None,
        }
    }
    at = after(input, at, b")")?;
    match after(input, at, b"\n").or_else(|| after(input, at, b"\r\n")) {
        None if at == input.len() => Some(at),
        next => next,
    }
}

/// Returns the place after these bytes, if they come next.
#[inline(always)]
fn after(input: &[u8], at: usize, bytes: &[u8]) -> Option<usize> {
    input[at..].starts_with(bytes).then_some(at + bytes.len())
}

/// Reads a whole number of up to 32 bits.
#[inline(always)]
fn integer(input: &[u8], at: usize) -> Option<(i32, usize)> {
    let minus = after(input, at, b"-");
    let (value, end) = number(input, minus.unwrap_or(at))?;
    let value = i64::try_from(value).ok()?;
    let value = if minus.is_some() { -value } else { value };
    Some((i32::try_from(value).ok()?, end))
}

/// Reads a number of up to ten digits.
#[inline(always)]
fn number(input: &[u8], at: usize) -> Option<(u64, usize)> {
    let digits = input[at..].iter().map(|byte| byte.wrapping_sub(b'0'));
    let (mut value, mut count) = (0, 0);
    for digit in digits.take_while(|&digit| digit < 10).take(11) {
        value = 10 * value + u64::from(digit);
        count += 1;
    }
    (1..=10).contains(&count).then_some((value, at + count))
}

#[cfg(test)]
mod tests {
    use super::super::{StatesReader, read_states};
    use super::*;
    use crate::Error;
    use proptest::prelude::*;

    /// Reads a file as the grammar does.
    fn by_grammar(input: &[u8], num_states: Option<u32>) -> Result<States, Error> {
        let options = ReadOptions::default();
        let mut reader = StatesReader::new(crate::FileKind::States, input, num_states, &options);
        let file = reader.file;
        let read = reader
            .read_variables()
            .and_then(|start| file.for_each_line(start, |line| reader.read_row(line)))
            .and_then(|()| reader.check_count());
        match read {
            Ok(()) => Ok(reader.states),
            Err(fault) => Err(fault.locate(input)),
        }
    }

    /// Returns whether the fast path reads all rows but the first.
    fn is_plain(input: &[u8]) -> bool {
        let options = ReadOptions::default();
        let mut reader = StatesReader::new(crate::FileKind::States, input, None, &options);
        let start = reader.read_variables().expect("variables");
        let second = reader.read_first_row(start).expect("a first row");
        reader.read_plain_rows(second).expect("nobody interrupts")
    }

    fn text(rows: &[(bool, i32, i32)]) -> String {
        let mut text = String::from("# States\n(ready,x,y)\n");
        for (state, (ready, x, y)) in rows.iter().enumerate() {
            text += &format!("{state}:({ready},{x},{y})\n");
        }
        text
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn both_paths_agree(
            rows in prop::collection::vec((any::<bool>(), any::<i32>(), -20..20i32), 1..12),
            edits in prop::collection::vec((any::<usize>(), any::<u8>(), 0..20usize), 0..4),
            chunk_bytes in 1..80usize,
            bound in prop::option::of(0..14u32),
        ) {
            let text = text(&rows);
            prop_assert!(is_plain(text.as_bytes()));
            let input = test_models::mutate(text.as_bytes(), b" 019:\n\r(),-+truefals#", &edits);
            let options = ReadOptions { chunk_bytes, ..ReadOptions::default() };
            let found = read_states(&input, bound, &options);
            prop_assert_eq!(found, by_grammar(&input, bound));
        }
    }

    #[test]
    fn rows_that_only_the_grammar_reads() {
        for (row, is_read) in [
            ("1:(true,1,1)", true),
            ("1:(true,1,1)\r\n2:(false,-2147483648,2147483647)", true),
            ("1:( true,1,1)", false),
            ("1:(true,1,2147483648)", false),
            ("1:(true,1,+1)", false),
            ("1:(true,1)", false),
            ("2:(true,1,1)", false),
            ("", true),
            ("\n1:(true,1,1)", false),
            ("1:(true,1,1)x", false),
        ] {
            let text = format!("(ready,x,y)\n0:(true,1,1)\n{row}");
            assert_eq!(is_plain(text.as_bytes()), is_read, "{row}");
        }
    }

    #[test]
    fn progress_counts_each_byte_once() {
        for last in ["3:(true,1,1)", "3:(true,1, 1)"] {
            let text = format!("(ready,x,y)\n0:(true,1,1)\n1:(true,1,1)\n2:(true,1,1)\n{last}");
            let progress = AtomicU64::new(0);
            let options = ReadOptions {
                chunk_bytes: 1,
                progress: Some(&progress),
                ..ReadOptions::default()
            };
            read_states(text.as_bytes(), None, &options).expect("a good file");
            assert_eq!(progress.into_inner(), text.len() as u64);
        }
    }
}
