//! JSON that is easy to read and to compare: indented down to a depth, with each deeper value on
//! one line.

use serde::Serialize;
use serde_json::ser::Formatter;
use std::io::{self, Write};

/// Writes a document that is indented down to `depth`, with a line end after it.
///
/// # Errors
/// Errors of `out`.
pub(crate) fn write(
    out: &mut dyn Write,
    depth: usize,
    document: &impl Serialize,
) -> io::Result<()> {
    let formatter = IndentedTo::depth(depth);
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, formatter);
    document.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

/// Writes a value on one line, without a line end.
///
/// # Errors
/// Errors of `out`.
pub(crate) fn write_line(
    out: &mut (impl Write + ?Sized),
    value: &impl Serialize,
) -> io::Result<()> {
    let formatter = IndentedTo::depth(0);
    let mut serializer = serde_json::Serializer::with_formatter(out, formatter);
    Ok(value.serialize(&mut serializer)?)
}

/// Breaks lines and indents within the outermost `depth` levels of arrays and objects.
struct IndentedTo {
    depth: usize,
    level: usize,
    /// Whether the innermost open array or object contains a value.
    has_value: bool,
}

impl IndentedTo {
    fn depth(depth: usize) -> Self {
        Self {
            depth,
            level: 0,
            has_value: false,
        }
    }

    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.level += 1;
        self.has_value = false;
        out.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        let breaks = self.has_value && self.level <= self.depth;
        self.level -= 1;
        self.has_value = true;
        if breaks {
            self.break_line(out)?;
        }
        out.write_all(bracket)
    }

    /// Separates a value or a key from what precedes it.
    fn separate<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        if self.level <= self.depth {
            self.break_line(out)?;
        } else if !first {
            out.write_all(b" ")?;
        }
        Ok(())
    }

    fn break_line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.level).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for IndentedTo {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.separate(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.separate(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}
