//! The grammar of EXP, in nom. The documentation of the crate shows it.

use super::ast::{
    Behaviour, Hide, Matching, Parallel, ProcessFile, Rename, Synchronisation, Vector,
};
use super::inline;
use super::lexer::{
    UNSUPPORTED, find_mark, is_keyword, keyword, label, mark, quoted, skip, unexpected, word,
};
use crate::error::{BOM, Error, ErrorKind, Fault, Lines, Position, Span, check_encoding, locate};
use crate::labels::is_internal;
use crate::tokens::{Parsed, Unexpected, finish};

/// The largest depth of nested behaviours.
pub const MAX_DEPTH: usize = 64;

/// What is expected if an operator is none of these.
const OPERATORS: &str = "`par`, `label par`, `hide`, `total hide` or `total rename`";

/// The same where a file may stand, too.
const BEHAVIOURS: &str =
    "a file, `des`, `par`, `label par`, `hide`, `total hide` or `total rename`";

/// Reads an EXP file, which consists of one behaviour.
///
/// # Errors
///
/// The error with the earliest position in the text. Whether a vector has as many parts as there
/// are behaviours is checked at the end of these.
pub fn read_exp(input: &[u8]) -> Result<Behaviour, Error> {
    let fault = |fault: Box<Fault>| locate(*fault, input);
    check_encoding(input).map_err(fault)?;
    let text = input.strip_prefix(BOM).unwrap_or(input);
    let reader = Reader {
        end: input.len(),
        lines: Lines::new(input),
    };
    finish(reader.file(text), input.len()).map_err(fault)
}

/// The text, for computing positions in it.
struct Reader<'a> {
    end: usize,
    lines: Lines<'a>,
}

/// An item between `par` and `in`.
enum Item {
    Label(String),
    Vector(Vector),
}

impl<'a> Reader<'a> {
    fn file(&self, text: &'a [u8]) -> Result<Behaviour, nom::Err<Unexpected<'a>>> {
        let (text, behaviour) = self.behaviour(text, 0)?;
        let (at, ()) = skip(text)?;
        match at {
            [] => Ok(behaviour),
            _ => Err(unexpected(at, "the end of the file".to_owned()).stop()),
        }
    }

    fn behaviour(&self, text: &'a [u8], depth: usize) -> Parsed<'a, Behaviour> {
        let (at, ()) = skip(text)?;
        if depth > MAX_DEPTH {
            let kind = ErrorKind::TooDeep { limit: MAX_DEPTH };
            return Err(Unexpected::token(at, "").with(kind).stop());
        }
        if at.starts_with(b"\"") {
            let (rest, path) = quoted(at)?;
            if path.contains('\0') {
                let kind = ErrorKind::NulInName;
                return Err(Unexpected::new(at, path.len() + 2, kind).stop());
            }
            return Ok((rest, self.process_file(path, at, rest)));
        }
        if let Some(inside) = at.strip_prefix(b"(") {
            let (text, behaviour) = self.behaviour(inside, depth + 1)?;
            let (text, ()) = mark(text, ")")?;
            return Ok((text, behaviour));
        }
        let wrong = || unexpected(at, "a behaviour".to_owned()).stop();
        let (rest, first) = word(at).map_err(|_| wrong())?;
        match first {
            "des" => inline::lts(at).map(|(rest, lts)| (rest, Behaviour::Lts(lts))),
            _ if is_keyword(first) => self.operator(at, depth),
            _ => Ok((rest, self.process_file(first, at, rest))),
        }
    }

    fn process_file(&self, path: &str, from: &[u8], to: &[u8]) -> Behaviour {
        Behaviour::File(ProcessFile {
            path: path.to_owned(),
            position: self.position(from, to),
        })
    }

    /// Parses an operator, with the words before it that determine the part of labels that it
    /// compares.
    fn operator(&self, at: &'a [u8], depth: usize) -> Parsed<'a, Behaviour> {
        let mut name = String::new();
        let mut text = at;
        loop {
            let (next, ()) = skip(text)?;
            let wrong = || unexpected(next, OPERATORS.to_owned()).stop();
            let (rest, word) = word(next).map_err(|_| wrong())?;
            if !is_keyword(word) {
                return Err(wrong());
            }
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(word);
            text = rest;
            if !["gate", "label", "total", "single", "multiple", "partial"].contains(&word) {
                break;
            }
        }
        match name.as_str() {
            "par" | "gate par" => self.parallel(text, Matching::Gate, depth),
            "label par" => self.parallel(text, Matching::Total, depth),
            "hide" | "gate hide" => self.hide(text, Matching::Gate, depth),
            "total hide" => self.hide(text, Matching::Total, depth),
            "total rename" | "single total rename" => self.rename(text, depth),
            _ => {
                let is_known = |word: &str| {
                    ["par", "hide", "rename"].contains(&word) || UNSUPPORTED.contains(&word)
                };
                let kind = match name.split(' ').any(is_known) {
                    true => ErrorKind::UnsupportedOperator {
                        operator: name.clone(),
                    },
                    false => ErrorKind::Syntax,
                };
                let expected = match (&kind, name.as_str()) {
                    (ErrorKind::Syntax, _) => BEHAVIOURS,
                    // In EXP, whole labels have a different name in each of these operators.
                    (_, "total par") => {
                        "`label par` for whole labels, or `par`, `hide`, `total hide` or `total rename`"
                    }
                    (_, "label hide") => {
                        "`total hide` for whole labels, or `par`, `label par`, `hide` or `total rename`"
                    }
                    _ => OPERATORS,
                };
                let unexpected = Unexpected::new(at, at.len() - text.len(), kind);
                Err(unexpected.expecting(expected).stop())
            }
        }
    }

    fn parallel(&self, text: &'a [u8], matching: Matching, depth: usize) -> Parsed<'a, Behaviour> {
        let (mut text, synchronisation) = self.synchronisation(text, matching)?;
        let mut branches = Vec::new();
        loop {
            let (rest, branch) = self.behaviour(text, depth + 1)?;
            branches.push(branch);
            match find_mark(rest, "||").filter(|left| !left.starts_with(b"|")) {
                Some(left) => text = left,
                None => {
                    text = rest;
                    break;
                }
            }
        }
        let (text, ()) = close(text, "par", "`||` or `end par`")?;
        if let Synchronisation::Vectors(vectors) = &synchronisation {
            for vector in vectors {
                self.check_arity(vector, branches.len())?;
            }
        }
        let parallel = Parallel {
            synchronisation,
            branches,
        };
        Ok((text, Behaviour::Parallel(parallel)))
    }

    /// Parses the text between `par` and `in`, if there is any.
    fn synchronisation(&self, text: &'a [u8], matching: Matching) -> Parsed<'a, Synchronisation> {
        let (behind, must_be_vectors) = match keyword(text, "using") {
            Ok((rest, ())) => (rest, true),
            Err(_) => (text, false),
        };
        if !must_be_vectors && keyword(text, "in").is_ok() {
            let (at, ()) = skip(text)?;
            let expected = "`using`, the gates, or a behaviour such as a file";
            return Err(unexpected(at, expected.to_owned()).stop());
        }
        if !must_be_vectors && !has_list(text) {
            let labels = Vec::new();
            return Ok((text, Synchronisation::Labels { matching, labels }));
        }
        let (mut labels, mut vectors) = (Vec::new(), Vec::new());
        let (text, _) = list(behind, |text| {
            let (at, ()) = skip(text)?;
            let (rest, item) = self.item(at)?;
            let length = at.len() - rest.len();
            let wrong = |expected| {
                let unexpected = Unexpected::new(at, length, ErrorKind::Syntax);
                Err(unexpected.expecting(expected).stop())
            };
            match item {
                Item::Label(_) if must_be_vectors || !vectors.is_empty() => {
                    return wrong("a vector, such as a * b -> c");
                }
                Item::Vector(_) if !labels.is_empty() => return wrong("a label"),
                Item::Label(label) => {
                    check_not_internal(&label, "synchronised", at, length)?;
                    labels.push(label);
                }
                Item::Vector(vector) => {
                    check_vector(&vector, at, length)?;
                    vectors.push(vector);
                }
            }
            Ok((rest, ()))
        })?;
        let (text, ()) = keyword(text, "in").map_err(|_| {
            let at = skip(text).map_or(text, |(at, ())| at);
            unexpected(at, "`,` or `in`".to_owned()).stop()
        })?;
        let synchronisation = match labels.is_empty() {
            true => Synchronisation::Vectors(vectors),
            false => Synchronisation::Labels { matching, labels },
        };
        Ok((text, synchronisation))
    }

    /// Parses a label or a vector.
    fn item(&self, at: &'a [u8]) -> Parsed<'a, Item> {
        let (mut text, first) = label(at)?;
        let is_quoted = at.starts_with(b"\"");
        let mut parts = vec![part(first, is_quoted)];
        while let Some(behind) = find_mark(text, "*") {
            let (at, ()) = skip(behind)?;
            let (rest, next) = label(at)?;
            parts.push(part(next, at.starts_with(b"\"")));
            text = rest;
        }
        if parts.len() == 1 && find_mark(text, "->").is_none() {
            if let Some(label) = parts.remove(0) {
                return Ok((text, Item::Label(label)));
            }
            return Err(unexpected(at, "a label".to_owned()).stop());
        }
        let (text, ()) = mark(text, "->")?;
        let (rest, result) = label(text)?;
        let vector = Vector {
            parts,
            result: result.to_owned(),
            position: self.position(at, rest),
        };
        Ok((rest, Item::Vector(vector)))
    }

    fn hide(&self, text: &'a [u8], matching: Matching, depth: usize) -> Parsed<'a, Behaviour> {
        let (text, all_but) = match keyword(text, "all") {
            Ok((rest, ())) => (keyword(rest, "but")?.0, true),
            Err(_) => (text, false),
        };
        let (text, labels) = list(text, pattern)?;
        let (text, behaviour) = self.body(text, "hide", depth)?;
        let hide = Hide {
            matching,
            all_but,
            labels,
            behaviour,
        };
        Ok((text, Behaviour::Hide(hide)))
    }

    fn rename(&self, text: &'a [u8], depth: usize) -> Parsed<'a, Behaviour> {
        let (text, rules) = list(text, |text| {
            let (at, ()) = skip(text)?;
            let (rest, old) = pattern(at)?;
            check_not_internal(&old, "renamed", at, at.len() - rest.len())?;
            let (rest, ()) = mark(rest, "->")?;
            let (at, ()) = skip(rest)?;
            let (rest, new) = label(at)?;
            if new.contains('\\') {
                let length = at.len() - rest.len();
                let unexpected = Unexpected::new(at, length, ErrorKind::Syntax);
                return Err(unexpected.expecting("a label without a backslash").stop());
            }
            Ok((rest, (old, new.to_owned())))
        })?;
        let (text, behaviour) = self.body(text, "rename", depth)?;
        let rename = Rename { rules, behaviour };
        Ok((text, Behaviour::Rename(rename)))
    }

    /// Parses the part of an operator from `in` to its end.
    fn body(
        &self,
        text: &'a [u8],
        operator: &'static str,
        depth: usize,
    ) -> Parsed<'a, Box<Behaviour>> {
        let (text, ()) = keyword(text, "in").map_err(|_| {
            let at = skip(text).map_or(text, |(at, ())| at);
            unexpected(at, "`,` or `in`".to_owned()).stop()
        })?;
        let (text, behaviour) = self.behaviour(text, depth + 1)?;
        let (text, ()) = close(text, operator, "`end`")?;
        Ok((text, Box::new(behaviour)))
    }

    /// Returns the position of the text that begins at `from` and ends before `to`.
    fn position(&self, from: &[u8], to: &[u8]) -> Position {
        self.lines.position(Span {
            offset: self.end - from.len(),
            length: from.len() - to.len(),
        })
    }

    fn check_arity(
        &self,
        vector: &Vector,
        expected: usize,
    ) -> Result<(), nom::Err<Unexpected<'a>>> {
        let found = vector.parts.len();
        if found == expected {
            return Ok(());
        }
        let kind = ErrorKind::WrongArity { expected, found };
        let at = &self.lines.text()[vector.position.offset..];
        Err(Unexpected::new(at, vector.position.length, kind).stop())
    }
}

/// Parses a list of at least one item, with commas between the items.
fn list<'a, T>(
    text: &'a [u8],
    mut item: impl FnMut(&'a [u8]) -> Parsed<'a, T>,
) -> Parsed<'a, Vec<T>> {
    let (mut text, first) = item(text)?;
    let mut items = vec![first];
    while let Some(behind) = find_mark(text, ",") {
        let (rest, next) = item(behind)?;
        items.push(next);
        text = rest;
    }
    Ok((text, items))
}

/// Returns whether a list follows `par`, rather than a behaviour.
fn has_list(text: &[u8]) -> bool {
    let Ok((rest, _)) = label(text) else {
        return false;
    };
    let marks = [",", "*", "->", "#"];
    marks
        .into_iter()
        .any(|mark| find_mark(rest, mark).is_some())
        || keyword(rest, "in").is_ok()
}

/// Returns a part of a vector.
fn part(label: &str, is_quoted: bool) -> Option<String> {
    (is_quoted || label != "_").then(|| label.to_owned())
}

fn check_vector<'a>(
    vector: &Vector,
    at: &'a [u8],
    length: usize,
) -> Result<(), nom::Err<Unexpected<'a>>> {
    let involved: Vec<&String> = vector.parts.iter().flatten().collect();
    if involved.is_empty() {
        return Err(Unexpected::new(at, length, ErrorKind::EmptyVector).stop());
    }
    // A vector may state that a behaviour takes its internal transitions independently.
    if involved.len() == 1 && is_internal(involved[0]) && is_internal(&vector.result) {
        return Ok(());
    }
    involved
        .into_iter()
        .try_for_each(|label| check_not_internal(label, "synchronised", at, length))
}

fn check_not_internal<'a>(
    label: &str,
    what: &'static str,
    at: &'a [u8],
    length: usize,
) -> Result<(), nom::Err<Unexpected<'a>>> {
    if !is_internal(label) {
        return Ok(());
    }
    let label = label.to_owned();
    let kind = ErrorKind::Internal { label, what };
    Err(Unexpected::new(at, length, kind).stop())
}

/// Parses a label of `hide` or `rename`, in which special characters have a backslash before them.
fn pattern(text: &[u8]) -> Parsed<'_, String> {
    let (at, ()) = skip(text)?;
    let is_quoted = at.starts_with(b"\"");
    let (rest, text) = label(at)?;
    if !is_quoted {
        return Ok((rest, text.to_owned()));
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        let escaped = match char {
            '\\' => chars.next().filter(|next| is_special(*next)),
            _ => Some(char).filter(|char| !is_special(*char)),
        };
        let Some(literal) = escaped else {
            let kind = ErrorKind::RegularExpression { special: char };
            return Err(Unexpected::new(at, at.len() - rest.len(), kind).stop());
        };
        plain.push(literal);
    }
    Ok((rest, plain))
}

/// Returns whether a character has a meaning in a regular expression.
pub(super) fn is_special(char: char) -> bool {
    matches!(char, '.' | '*' | '[' | ']' | '\\' | '^' | '$')
}

/// Parses the end of an operator: `end` and its name.
fn close<'a>(text: &'a [u8], operator: &'static str, expected: &'static str) -> Parsed<'a, ()> {
    let (text, ()) = keyword(text, "end").map_err(|_| {
        let at = skip(text).map_or(text, |(at, ())| at);
        unexpected(at, expected.to_owned()).stop()
    })?;
    keyword(text, operator)
}
