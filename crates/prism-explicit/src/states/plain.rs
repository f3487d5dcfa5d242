//! The fast path for states files whose rows have the form that programs write: `12:(3,true,-4)`,
//! without blanks, comments and empty lines, with numbers of up to 32 bits. All threads read chunks
//! of rows. It reports no errors: if any row has another form, it gives up, and the grammar reads
//! the file (`both_paths_agree`).

use super::column::Column;
use crate::error::Checked;
use crate::line_file::cut;
use crate::options::ReadOptions;
use parse_error::{OutOfMemory, read_chunks};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads the rows from byte `at` on, of the state `first` and those after it, and adds them to
/// columns that have the rows before. Returns the number of states; `None` if the rows are not all
/// plain, or are not rows of consecutive states below `max_states`. Then nothing is added.
pub(super) fn read(
    columns: &mut [Column],
    first: u32,
    input: &[u8],
    at: usize,
    max_states: u32,
    options: &ReadOptions<'_>,
) -> Checked<Option<u32>> {
    let is_known = |column: &Column| matches!(column, Column::Bool(_) | Column::Int(_));
    if !columns.iter().all(is_known) {
        return Ok(None);
    }
    let like = &*columns;
    let counted = AtomicU64::new(0);
    let read_one = |_, range: Range<usize>| {
        let bytes = range.len();
        let rows = match Rows::read(like, input, range) {
            Ok(rows) => Some(rows),
            Err(Stop::Other) => None,
            Err(Stop::OutOfMemory(error)) => return Err(error.into()),
        };
        options.advance(bytes)?;
        counted.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(rows)
    };
    let chunks = cut(input, at, options.chunk_bytes);
    let results = read_chunks(chunks, read_one, |read| !matches!(read, Ok(Some(_))));
    let all: Checked<Option<Vec<Rows>>> = results.into_iter().collect();
    let states = match all? {
        Some(all) => add(columns, first, all, max_states)?,
        None => None,
    };
    if states.is_none()
        && let Some(progress) = options.progress
    {
        // The grammar reads, and counts, the same bytes.
        progress.fetch_sub(counted.into_inner(), Ordering::Relaxed);
    }
    Ok(states)
}

/// Adds rows, the first of which is that of the state `first`. Returns the number of states; `None`
/// if states are missing or too many.
fn add(
    columns: &mut [Column],
    first: u32,
    chunks: Vec<Rows>,
    max_states: u32,
) -> Result<Option<u32>, OutOfMemory> {
    let mut next = first;
    for rows in &chunks {
        let end = u64::from(next) + rows.len as u64;
        if rows.first != next || end > max_states.into() {
            return Ok(None);
        }
        next = end as u32;
    }
    for column in columns.iter_mut() {
        column.reserve((next - first) as usize)?;
    }
    for rows in chunks {
        // Both have the types of the first row.
        columns
            .iter_mut()
            .zip(rows.columns)
            .for_each(|(column, new)| column.append(new));
    }
    Ok(Some(next))
}

/// The reason why rows are not read.
enum Stop {
    /// A row is not plain.
    Other,
    OutOfMemory(OutOfMemory),
}

impl From<OutOfMemory> for Stop {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
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
    /// Reads lines with values of the same types as the columns.
    fn read(like: &[Column], input: &[u8], lines: Range<usize>) -> Result<Self, Stop> {
        let (first, _) = number(input, lines.start).ok_or(Stop::Other)?;
        let empty = |column: &Column| match column {
            Column::Bool(_) => Column::Bool(Vec::new()),
            _ => Column::Int(Vec::new()),
        };
        let mut rows = Self {
            first: u32::try_from(first).map_err(|_| Stop::Other)?,
            len: 0,
            columns: like.iter().map(empty).collect(),
        };
        let newlines = memchr::memchr_iter(b'\n', &input[lines.clone()]).count();
        for column in &mut rows.columns {
            // The last line may end without one.
            column.reserve(newlines + 1)?;
        }
        let mut at = lines.start;
        while at < lines.end {
            at = rows.line(input, at).ok_or(Stop::Other)?;
        }
        Ok(rows)
    }

    /// Reads a line, for which there is room. Returns the start of the next line.
    #[inline(always)]
    fn line(&mut self, input: &[u8], at: usize) -> Option<usize> {
        let (state, colon) = number(input, at)?;
        if state != u64::from(self.first) + self.len as u64 {
            return None;
        }
        let next = values(&mut self.columns, input, after(input, colon, b":(")?)?;
        self.len += 1;
        Some(next)
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
