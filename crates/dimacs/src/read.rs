//! Reads the lines of a file, one after another.

use crate::error::{Checked, Error, ErrorKind, Fault};
use parse_error::{BOM, STATE_SLACK, Span, push, reserve_exact};
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of lines between two checks of the interrupt.
const PERIOD: u64 = 1 << 14;

/// A weighted directed graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Graph {
    /// The number of vertices.
    pub num_vertices: u32,
    /// The arcs, in the order of the file.
    pub arcs: Vec<Arc>,
}

/// An arc of a [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arc {
    /// The vertex where it begins, numbered from 0.
    pub source: u32,
    /// The vertex where it ends, numbered from 0.
    pub target: u32,
    /// Its weight.
    pub weight: i64,
}

/// Reads a graph. Once `interrupt` is true, reading ends soon with [`ErrorKind::Interrupted`].
///
/// # Errors
/// The error with the earliest position in the file. Memory is allocated only for arcs that the
/// file contains.
pub fn read(text: &[u8], interrupt: Option<&AtomicBool>) -> Result<Graph, Error> {
    checked(text, interrupt).map_err(|fault| fault.locate(text))
}

fn checked(text: &[u8], interrupt: Option<&AtomicBool>) -> Checked<Graph> {
    if let Some((place, archive)) = parse_error::ArchiveKind::find(text) {
        return Err(Fault::new(place, ErrorKind::Compressed { archive }));
    }
    if let Some(encoding) = parse_error::wide_encoding(text) {
        return Err(Fault::placeless(ErrorKind::WideEncoding { encoding }));
    }
    if parse_error::has_carriage_returns_only(text) {
        return Err(Fault::placeless(ErrorKind::CarriageReturns));
    }
    let mut reader = Reader {
        text,
        problem: None,
        graph: Graph::default(),
    };
    let mut start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    for number in 0.. {
        if start >= text.len() {
            break;
        }
        if number % PERIOD == 0 && interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Fault::placeless(ErrorKind::Interrupted));
        }
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |length| start + length);
        reader.line(Words {
            text,
            at: start,
            end,
        })?;
        start = end + 1;
    }
    reader.finish()
}

struct Reader<'t> {
    text: &'t [u8],
    /// The number of arcs in the problem line, and its place.
    problem: Option<(u64, Span)>,
    graph: Graph,
}

/// The rest of a line.
struct Words<'t> {
    text: &'t [u8],
    at: usize,
    end: usize,
}

impl<'t> Words<'t> {
    /// Returns the next word; empty at the end of the line.
    #[inline]
    fn next(&mut self) -> (Span, &'t [u8]) {
        let line = &self.text[..self.end];
        let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r');
        let mut offset = self.at;
        while offset < self.end && is_blank(line[offset]) {
            offset += 1;
        }
        let mut after = offset;
        while after < self.end && !is_blank(line[after]) {
            after += 1;
        }
        self.at = after;
        let word = Span {
            offset,
            length: after - offset,
        };
        (word, &line[offset..after])
    }

    fn end(&mut self) -> Checked<()> {
        match self.next() {
            (_, b"") => Ok(()),
            (word, _) => {
                let fault = Fault::new(word, ErrorKind::Syntax);
                Err(fault.expecting("the end of the line"))
            }
        }
    }

    fn natural(&mut self, what: &'static str) -> Checked<(Span, u64)> {
        let (place, word) = self.next();
        let number =
            integer(word).and_then(|number| u64::try_from(number).map_err(|_| ErrorKind::Syntax));
        match number {
            Ok(number) => Ok((place, number)),
            Err(kind) => Err(Fault::new(place, kind).expecting(what)),
        }
    }
}

impl Reader<'_> {
    fn line(&mut self, mut words: Words<'_>) -> Checked<()> {
        match words.next() {
            (_, b"" | b"c") => Ok(()),
            (_, b"a") => self.arc(words),
            (word, b"p") => self.problem(word, words),
            // A comment does not need a blank after the letter `c`.
            (_, [b'c', ..]) => Ok(()),
            (word, _) => {
                let fault = Fault::new(word, ErrorKind::Syntax);
                Err(fault.expecting("a line that begins with `c`, `p` or `a`"))
            }
        }
    }

    fn problem(&mut self, first: Span, mut words: Words<'_>) -> Checked<()> {
        if self.problem.is_some() {
            return Err(Fault::new(first, ErrorKind::TwoProblems));
        }
        let (kind, name) = words.next();
        if name != b"sp" {
            return Err(Fault::new(kind, ErrorKind::OtherProblem).expecting("`sp`"));
        }
        let (place, vertices) = words.natural("the number of vertices")?;
        let count = words.natural("the number of arcs")?;
        words.end()?;
        let bytes = self.text.len() as u64;
        let limit = bytes + STATE_SLACK;
        if vertices > limit {
            let kind = ErrorKind::Unbacked {
                claimed: vertices,
                bytes,
                limit,
            };
            return Err(Fault::new(place, kind));
        }
        let vertices = u32::try_from(vertices).ok().filter(|&n| n < u32::MAX);
        let too_large = || Fault::new(place, ErrorKind::TooLarge(32));
        self.graph.num_vertices = vertices.ok_or_else(too_large)?;
        // An arc needs at least eight bytes of text.
        let room = count.1.min(bytes / 8 + 1) as usize;
        reserve_exact(&mut self.graph.arcs, room)?;
        self.problem = Some((count.1, count.0));
        Ok(())
    }

    fn arc(&mut self, mut words: Words<'_>) -> Checked<()> {
        if self.problem.is_none() {
            let (word, _) = words.next();
            let fault = Fault::new(word, ErrorKind::MissingProblemLine);
            return Err(fault.expecting("`p sp n m` before the first arc"));
        }
        let source = self.vertex(&mut words, "the vertex that the arc leaves")?;
        let target = self.vertex(&mut words, "the vertex that the arc enters")?;
        let (place, weight) = words.next();
        let weight = match integer(weight) {
            Ok(weight) => weight,
            Err(kind) => return Err(Fault::new(place, kind).expecting("a weight")),
        };
        words.end()?;
        let arc = Arc {
            source,
            target,
            weight,
        };
        Ok(push(&mut self.graph.arcs, arc)?)
    }

    fn vertex(&self, words: &mut Words<'_>, what: &'static str) -> Checked<u32> {
        let (place, vertex) = words.natural(what)?;
        let vertices = self.graph.num_vertices;
        match vertex.checked_sub(1) {
            Some(index) if index < u64::from(vertices) => Ok(index as u32),
            _ => Err(Fault::new(place, ErrorKind::Vertex { vertex, vertices })),
        }
    }

    fn finish(self) -> Checked<Graph> {
        let Some((stated, place)) = self.problem else {
            let end = Span {
                offset: self.text.len(),
                length: 0,
            };
            let fault = Fault::new(end, ErrorKind::MissingProblemLine);
            return Err(fault.expecting("`p sp n m`"));
        };
        let found = self.graph.arcs.len() as u64;
        match stated == found {
            true => Ok(self.graph),
            false => Err(Fault::new(place, ErrorKind::Count { stated, found })),
        }
    }
}

/// Parses an integer, with or without a sign.
#[inline]
fn integer(word: &[u8]) -> Result<i64, ErrorKind> {
    let (negative, digits) = match word {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(ErrorKind::Syntax);
    }
    let magnitude = digits.iter().try_fold(0i64, |number, digit| {
        // The number is computed as a negative one, because there is one more of these.
        number.checked_mul(10)?.checked_sub(i64::from(digit - b'0'))
    });
    let negated = magnitude.ok_or(ErrorKind::TooLarge(64))?;
    match negative {
        true => Ok(negated),
        false => negated.checked_neg().ok_or(ErrorKind::TooLarge(64)),
    }
}
