//! The contents of files in an archive, and how they are put into a tar: little-endian, in pieces,
//! so that no array is held twice.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use crate::archive::BLOCK;
use crate::write::indices::Indices;

/// Bytes that are converted at a time.
const PIECE: usize = 1 << 16;

/// Fills the bytes of one row, which are zeros.
pub(super) type FillRow<'a> = dyn Fn(u64, &mut [u8]) -> io::Result<()> + 'a;

/// The content of a file.
pub(super) enum Payload<'a> {
    /// As it is.
    Bytes(Cow<'a, [u8]>),
    /// Numbers of 32 bits.
    U32(&'a [u32]),
    /// Numbers of 32 bits that are written with 64.
    Widened(&'a [u32]),
    /// Numbers of 64 bits.
    U64(Cow<'a, [u64]>),
    /// Signed numbers of 64 bits.
    I64(Cow<'a, [i64]>),
    /// Floating-point numbers.
    F64(Cow<'a, [f64]>),
    /// So many rows of so many bytes, made one by one.
    Rows(u64, usize, Box<FillRow<'a>>),
}

impl<'a> Payload<'a> {
    /// Bounds side by side, the lower one first.
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
    /// The size of the file in bytes.
    fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::U32(numbers) => numbers.len() as u64 * 4,
            Self::Widened(numbers) => numbers.len() as u64 * 8,
            Self::U64(numbers) => numbers.len() as u64 * 8,
            Self::I64(numbers) => numbers.len() as u64 * 8,
            Self::F64(numbers) => numbers.len() as u64 * 8,
            Self::Rows(rows, size, _) => rows * *size as u64,
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Bytes(bytes) => out.write_all(bytes),
            Self::U32(numbers) => write_numbers(out, numbers, u32::to_le_bytes),
            Self::Widened(numbers) => {
                write_numbers(out, numbers, |number| u64::from(number).to_le_bytes())
            }
            Self::U64(numbers) => write_numbers(out, numbers, u64::to_le_bytes),
            Self::I64(numbers) => write_numbers(out, numbers, i64::to_le_bytes),
            Self::F64(numbers) => write_numbers(out, numbers, f64::to_le_bytes),
            Self::Rows(rows, size, fill) => write_rows(out, *rows, *size, fill),
        }
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

/// Writes a file with its header and padding.
pub(super) fn write_entry(
    out: &mut dyn Write,
    path: &str,
    payload: &Payload<'_>,
) -> io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_path(path)?;
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(payload.len());
    header.set_cksum();
    out.write_all(header.as_bytes())?;
    payload.write(out)?;
    let used = (payload.len() % BLOCK as u64) as usize;
    out.write_all(&[0; BLOCK][..(BLOCK - used) % BLOCK])
}

fn write_numbers<T: Copy, const SIZE: usize>(
    out: &mut dyn Write,
    numbers: &[T],
    bytes_of: impl Fn(T) -> [u8; SIZE],
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(PIECE);
    for piece in numbers.chunks(PIECE / SIZE) {
        bytes.clear();
        bytes.extend(piece.iter().flat_map(|&number| bytes_of(number)));
        out.write_all(&bytes)?;
    }
    Ok(())
}

fn write_rows(out: &mut dyn Write, rows: u64, size: usize, fill: &FillRow<'_>) -> io::Result<()> {
    let in_piece = PIECE / size.max(1) + 1;
    let mut bytes = vec![0; in_piece * size];
    for first in (0..rows).step_by(in_piece) {
        bytes.fill(0);
        let rows_left = (rows - first).min(in_piece as u64);
        for (row, number) in bytes
            .chunks_exact_mut(size.max(1))
            .zip(first..first + rows_left)
        {
            fill(number, row)?;
        }
        out.write_all(&bytes[..rows_left as usize * size])?;
    }
    Ok(())
}
