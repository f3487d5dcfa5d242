//! [`LineFile`]: code that the readers of states, labels and rewards files share, for reading
//! lines.

use std::borrow::Cow;
use std::ops::Range;

use parse_error::{OutOfMemory, check_room};

use crate::error::{Checked, ErrorKind, Fault, FileKind, Span, check_encoding};
use crate::grammar::{self, Line, Token};
use crate::options::ReadOptions;

/// A file of states, labels or rewards that is being read.
#[derive(Clone, Copy)]
pub(crate) struct LineFile<'i> {
    pub(crate) kind: FileKind,
    pub(crate) input: &'i [u8],
    pub(crate) options: &'i ReadOptions<'i>,
}

impl<'i> LineFile<'i> {
    /// The number of bytes between two checks of the interrupt.
    const PIECE: usize = 1 << 18;

    /// Returns the first line that is neither empty nor a comment, or that is `mark`, although that
    /// looks like a comment; `None` if there is no such line.
    pub(crate) fn first_line(self, mark: Option<&[u8]>) -> Checked<Option<Line<'i>>> {
        check_encoding(self.input, self.kind)?;
        for line in grammar::lines(self.input, grammar::text_start(self.input)) {
            if !line.is_idle() || Some(line.text.trim_ascii()) == mark {
                check_room_for_words(line.text)?;
                return Ok(Some(line));
            }
            self.check_heading(line)?;
        }
        Ok(None)
    }

    /// Calls `read` with each line from byte `at` on that is neither empty nor a comment.
    pub(crate) fn for_each_line(
        self,
        mut at: usize,
        mut read: impl FnMut(Line<'i>) -> Checked<()>,
    ) -> Checked<()> {
        let mut advanced = at;
        while at < self.input.len() {
            let line = Line::at(self.input, at);
            match line.is_idle() {
                true => self.check_heading(line)?,
                false => {
                    check_room_for_words(line.text)?;
                    read(line)?;
                }
            }
            at = line.next;
            if at - advanced >= Self::PIECE {
                self.options.advance(at - advanced)?;
                advanced = at;
            }
        }
        self.options.advance(at - advanced)
    }

    /// Refuses headings of other files.
    pub(crate) fn check_heading(self, line: Line<'_>) -> Checked<()> {
        let text = grammar::comment(line.text);
        // The name of a reward structure, if it has one, comes before rewards of either kind.
        let is_named = text.is_some_and(|text| {
            text == b"Reward structure" || text.starts_with(b"Reward structure \"")
        });
        let of_rewards = matches!(
            self.kind,
            FileKind::StateRewards | FileKind::TransitionRewards
        );
        match text.and_then(grammar::section) {
            _ if is_named && of_rewards => Ok(()),
            Some(section) if section.kind != self.kind => Err(self.refuse(line, section.kind)),
            _ => Ok(()),
        }
    }

    /// Returns the error that `line` belongs to a file of another kind.
    pub(crate) fn refuse(self, line: Line<'_>, found: FileKind) -> Box<Fault> {
        let wanted = self.kind;
        Fault::new(line.span(), ErrorKind::OtherFile { wanted, found })
    }

    /// Returns the error that the file ends too early.
    pub(crate) fn truncated(self, expected: impl Into<Cow<'static, str>>) -> Box<Fault> {
        let end = Span {
            offset: self.input.len(),
            length: 0,
        };
        Fault::new(end, ErrorKind::Truncated).expecting(expected)
    }
}

/// Divides the bytes from `at` on into chunks of whole lines.
pub(crate) fn cut(input: &[u8], mut at: usize, chunk_bytes: usize) -> Vec<Range<usize>> {
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

/// Checks whether there is room for the list of the words of a line, if it is long.
pub(crate) fn check_room_for_words(line: &[u8]) -> Result<(), OutOfMemory> {
    /// A list may have room for twice as many words as it holds.
    const WORD: usize = 2 * size_of::<(Token<u32>, Token<&[u8]>)>();
    if line.len() < 1 << 16 {
        return Ok(());
    }
    let ends = line
        .iter()
        .filter(|&&byte| grammar::is_blank(byte) || byte == b',');
    check_room(&[WORD * (ends.count() + 1)])
}

/// Returns the text of a declared name.
pub(crate) fn name_in(name: &[u8], place: Span) -> Checked<&str> {
    std::str::from_utf8(name)
        .map_err(|_| Fault::new(place, ErrorKind::Syntax).expecting("a name in UTF-8"))
}
