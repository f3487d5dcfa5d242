//! The contents of files in an archive, and how they are written to a tar archive: little-endian,
//! in pieces, so that no array is in memory twice.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use rayon::prelude::*;

use crate::tar_fault::BLOCK;
use crate::write::content::Content;
use crate::write::indices::Indices;

/// The number of bytes that are converted at a time.
const PIECE: usize = 1 << 16;

/// The number of pieces for each thread that are computed at a time.
const PIECES_EACH: usize = 4;

/// Writes row `i` into a slice of zeros.
pub(super) type FillRow<'a> = dyn Fn(u64, &mut [u8]) -> io::Result<()> + Sync + 'a;

/// The content of a file.
pub(super) enum Payload<'a> {
    /// Bytes, which are written as they are.
    Bytes(Cow<'a, [u8]>),
    /// 32-bit numbers.
    U32(&'a [u32]),
    /// 32-bit numbers that are written as 64-bit numbers.
    Widened(&'a [u32]),
    /// 64-bit numbers.
    U64(Cow<'a, [u64]>),
    /// Signed 64-bit numbers.
    I64(Cow<'a, [i64]>),
    /// Floating-point numbers.
    F64(Cow<'a, [f64]>),
    /// A number of rows, the bytes of each, and a function that computes a row.
    Rows(u64, usize, Box<FillRow<'a>>),
    /// A number of words of 64 bits, of which those of these elements are set, in ascending order.
    Members(u64, &'a [u32]),
    /// A number of bytes that the caller has when the archive is written.
    Elsewhere(u64, Content),
}

impl<'a> Payload<'a> {
    /// Interleaved lower and upper bounds, the lower one first.
    pub(super) fn intervals(lower: &'a [f64], upper: &'a [f64]) -> Self {
        let fill = move |row: u64, bytes: &mut [u8]| {
            let (low, high) = bytes.split_at_mut(size_of::<f64>());
            low.copy_from_slice(&lower[row as usize].to_le_bytes());
            high.copy_from_slice(&upper[row as usize].to_le_bytes());
            Ok(())
        };
        Self::Rows(lower.len() as u64, 2 * size_of::<f64>(), Box::new(fill))
    }
}

impl Payload<'_> {
    /// Returns the size of the file in bytes.
    pub(super) fn len(&self) -> u64 {
        let (count, size) = self.shape();
        count * size as u64
    }

    /// Returns the number of elements, and the bytes of each.
    fn shape(&self) -> (u64, usize) {
        match self {
            Self::Bytes(bytes) => (bytes.len() as u64, 1),
            Self::U32(numbers) => (numbers.len() as u64, 4),
            Self::Widened(numbers) => (numbers.len() as u64, 8),
            Self::U64(numbers) => (numbers.len() as u64, 8),
            Self::I64(numbers) => (numbers.len() as u64, 8),
            Self::F64(numbers) => (numbers.len() as u64, 8),
            Self::Rows(rows, size, _) => (*rows, *size),
            Self::Members(words, _) => (*words, 8),
            Self::Elsewhere(bytes, _) => (*bytes, 1),
        }
    }

    /// Returns the source of the content.
    pub(super) fn content(&self) -> Content {
        match self {
            Self::Elsewhere(_, content) => *content,
            _ => Content::Known,
        }
    }

    /// Writes the bytes in `range`, which must lie within the file.
    pub(super) fn write_range(&self, range: Range<u64>, out: &mut dyn Write) -> io::Result<()> {
        let size = self.shape().1 as u64;
        if range.is_empty() || size == 0 {
            return Ok(());
        }
        let elements = range.start / size..range.end.div_ceil(size);
        let start = elements.start * size;
        let mut window = Window::new(range.start - start..range.end - start, out);
        self.write_elements(elements, &mut window)
    }

    fn write_elements(&self, range: Range<u64>, out: &mut dyn Write) -> io::Result<()> {
        let places = range.start as usize..range.end as usize;
        match self {
            Self::Bytes(bytes) => out.write_all(&bytes[places]),
            Self::U32(numbers) => write_numbers(out, &numbers[places], u32::to_le_bytes),
            Self::Widened(numbers) => write_numbers(out, &numbers[places], |number| {
                u64::from(number).to_le_bytes()
            }),
            Self::U64(numbers) => write_numbers(out, &numbers[places], u64::to_le_bytes),
            Self::I64(numbers) => write_numbers(out, &numbers[places], i64::to_le_bytes),
            Self::F64(numbers) => write_numbers(out, &numbers[places], f64::to_le_bytes),
            Self::Rows(_, size, fill) => write_rows(out, range, *size, fill),
            Self::Members(_, members) => write_members(out, range, members),
            Self::Elsewhere(..) => Err(io::Error::other("this file's content is elsewhere")),
        }
    }
}

/// A stream that passes on only a range of the bytes that are written to it.
pub(super) struct Window<'o> {
    out: &'o mut dyn Write,
    /// The number of bytes before the range that are still to be dropped.
    skip: u64,
    /// The number of bytes of the range that are still to be written. Those after it are dropped.
    left: u64,
}

impl<'o> Window<'o> {
    pub(super) fn new(range: Range<u64>, out: &'o mut dyn Write) -> Self {
        Self {
            out,
            skip: range.start,
            left: range.end - range.start,
        }
    }
}

impl Write for Window<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let skipped = self.skip.min(bytes.len() as u64);
        self.skip -= skipped;
        let kept = self.left.min(bytes.len() as u64 - skipped);
        self.left -= kept;
        self.out
            .write_all(&bytes[skipped as usize..(skipped + kept) as usize])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<'a> From<Indices<'a>> for Payload<'a> {
    fn from(indices: Indices<'a>) -> Self {
        match indices {
            Indices::U32(indices) => Self::Widened(indices),
            Indices::U64(indices) => Self::U64(indices.into()),
        }
    }
}

impl<'a> From<&'a [f64]> for Payload<'a> {
    fn from(numbers: &'a [f64]) -> Self {
        Self::F64(numbers.into())
    }
}

impl fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// Writes a file, with its header and padding.
pub(super) fn write_entry(
    out: &mut dyn Write,
    path: &str,
    payload: &Payload<'_>,
) -> io::Result<()> {
    write_header(out, path, payload.len())?;
    payload.write_range(0..payload.len(), out)?;
    write_padding(out, payload.len())
}

/// Writes the header of a file of `len` bytes.
pub(crate) fn write_header(out: &mut dyn Write, path: &str, len: u64) -> io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_path(path)?;
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(len);
    header.set_cksum();
    out.write_all(header.as_bytes())
}

/// Writes the padding after a file of `len` bytes.
pub(crate) fn write_padding(out: &mut dyn Write, len: u64) -> io::Result<()> {
    let used = (len % BLOCK as u64) as usize;
    out.write_all(&[0; BLOCK][..(BLOCK - used) % BLOCK])
}

/// Writes the end marker of an archive.
pub(crate) fn write_end(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&[0; 2 * BLOCK])
}

fn write_numbers<T: Copy, const SIZE: usize>(
    out: &mut dyn Write,
    numbers: &[T],
    bytes_of: impl Fn(T) -> [u8; SIZE],
) -> io::Result<()> {
    let mut places = vec![[0; SIZE]; numbers.len().min(PIECE / SIZE)];
    for piece in numbers.chunks(PIECE / SIZE) {
        for (place, &number) in places.iter_mut().zip(piece) {
            *place = bytes_of(number);
        }
        out.write_all(places[..piece.len()].as_flattened())?;
    }
    Ok(())
}

/// Writes the words in `range` of the bits of some elements.
fn write_members(out: &mut dyn Write, range: Range<u64>, members: &[u32]) -> io::Result<()> {
    let word = |member: u32| u64::from(member / 64);
    let mut left = &members[members.partition_point(|&member| word(member) < range.start)..];
    let mut bits = Vec::with_capacity(PIECE / 8);
    for first in range.clone().step_by(PIECE / 8) {
        let end = range.end.min(first + PIECE as u64 / 8);
        bits.clear();
        bits.resize((end - first) as usize, 0u64);
        let (own, later) = left.split_at(left.partition_point(|&member| word(member) < end));
        for &member in own {
            bits[(word(member) - first) as usize] |= 1 << (member % 64);
        }
        left = later;
        write_numbers(out, &bits, u64::to_le_bytes)?;
    }
    Ok(())
}

/// Writes rows of at least one byte, which all threads of the current rayon pool compute.
fn write_rows(
    out: &mut dyn Write,
    rows: Range<u64>,
    size: usize,
    fill: &FillRow<'_>,
) -> io::Result<()> {
    let in_piece = PIECE / size + 1;
    let at_once = (PIECES_EACH * rayon::current_num_threads() * in_piece) as u64;
    let mut bytes = vec![0; at_once.min(rows.end - rows.start) as usize * size];
    for first in rows.clone().step_by(at_once as usize) {
        let len = (rows.end - first).min(at_once) as usize * size;
        let pieces = bytes[..len].par_chunks_mut(in_piece * size).enumerate();
        let filled: Vec<io::Result<()>> = pieces
            .map(|(i, piece)| {
                piece.fill(0);
                let mut rows = piece
                    .chunks_exact_mut(size)
                    .zip(first + (i * in_piece) as u64..);
                rows.try_for_each(|(row, number)| fill(number, row))
            })
            .collect();
        filled.into_iter().collect::<io::Result<()>>()?;
        out.write_all(&bytes[..len])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_in_order_up_to_the_first_error() {
        let batches = 3 * PIECES_EACH * rayon::current_num_threads();
        let rows = (batches * PIECE / 8) as u64 + 5;
        let first_wrong = rows / 2;
        let fill = |i: u64, row: &mut [u8]| {
            row.copy_from_slice(&i.to_le_bytes());
            match i {
                1.. if i.is_multiple_of(first_wrong) => Err(io::Error::other(i.to_string())),
                _ => Ok(()),
            }
        };
        let payload = Payload::Rows(rows, 8, Box::new(fill));
        let mut bytes = Vec::new();
        let right = 3..8 * first_wrong - 2;
        let written = payload.write_range(right.clone(), &mut bytes);
        written.expect("all rows are right");
        let all: Vec<u8> = (0..rows).flat_map(u64::to_le_bytes).collect();
        assert!(bytes == all[right.start as usize..right.end as usize]);
        let failed = payload.write_range(0..payload.len(), &mut io::sink());
        let error = failed.expect_err("two rows are wrong");
        assert_eq!(error.to_string(), first_wrong.to_string());
    }
}
