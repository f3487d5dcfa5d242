//! Promises of hosts: lines of a kernel that state what it relies on, and what its host guarantees.
//!
//! ```wgsl
//! //@ assume arrayLength(&flags) >= 2 * params.vertices: each vertex has two flags
//! //@ assume grid.count.y == 1: the host dispatches in one dimension
//! //@ distinct sources: no source is given twice
//! //@ ascending rows.y below params.states: the states of a component follow one another
//! //@ distinct ranks below control[2] where labels < 0x80000000: a transition has its own rank
//! //@ tickets next: what atomicAdd returns of any of its words, it returns once
//! ```
//!
//! Arithmetic in promises does not wrap around. The host knows `arrayLength` and the members of the
//! uniform. `grid.count` is the number of workgroups of the dispatch. Everything else is in
//! storage.
//!
//! The build script also reads these lines. A line that it does not understand fails the build.

use std::fmt;

/// A condition on which a kernel relies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The condition.
    pub kind: PromiseKind,
    /// The line, without the reason.
    pub text: String,
}

/// The conditions that a host can promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromiseKind {
    /// A comparison holds.
    Assume(Comparison),
    /// No entry is less than the one before it.
    Ascending(Entries),
    /// No two entries are equal.
    Distinct(Entries),
    /// In a dispatch, `atomicAdd` returns each number at most once, whichever word it adds to.
    Tickets(String),
}

/// A comparison of two sums.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The left sum.
    pub left: Sum,
    /// The relation between them.
    pub relation: Relation,
    /// The right sum.
    pub right: Sum,
}

/// A relation between two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
}

/// A sum of terms. A term is a factor and a number; without a number, its value is the factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum(pub Vec<(i64, Option<Atom>)>);

/// A number that the host or the device knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// The length of an array that is bound.
    Length(String),
    /// The number of workgroups in a dimension.
    Groups(usize),
    /// A word of the uniform or of a buffer: the name of the variable, and the members and indices.
    Word(String, Vec<String>),
}

/// Entries of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries {
    /// The array.
    pub array: String,
    /// The member of its entries, if they are structs.
    pub member: Option<String>,
    /// The index of the first entry.
    pub from: Option<Sum>,
    /// The index after the last entry.
    pub below: Option<Sum>,
    /// If set: the condition holds only for those entries at whose index the entry of another array
    /// satisfies this comparison.
    pub only: Option<(String, Relation, Sum)>,
}

impl Promise {
    /// Reads a line that begins with `//@`. Returns `None` if the line is of another kind.
    ///
    /// # Errors
    /// A message that says what was expected.
    pub fn read(line: &str) -> Option<Result<Self, String>> {
        let line = line.trim().strip_prefix("//@ ")?;
        let (kind, _) = line.split_once(' ')?;
        if !["assume", "ascending", "distinct", "tickets"].contains(&kind) {
            return None;
        }
        let Some((text, why)) = line.split_once(": ") else {
            return Some(Err(format!("expected `: ` and a reason behind `{line}`")));
        };
        if why.trim().is_empty() {
            return Some(Err(format!("expected a reason behind `{line}`")));
        }
        let kind = read_kind(text);
        Some(kind.map(|kind| Self {
            kind,
            text: text.to_owned(),
        }))
    }

    /// Returns the names of all bound variables in the condition.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut sums = Vec::new();
        match &self.kind {
            PromiseKind::Assume(comparison) => sums.extend([&comparison.left, &comparison.right]),
            PromiseKind::Ascending(entries) | PromiseKind::Distinct(entries) => {
                names.push(entries.array.as_str());
                sums.extend(entries.from.iter().chain(&entries.below));
                if let Some((array, _, sum)) = &entries.only {
                    names.push(array);
                    sums.push(sum);
                }
            }
            PromiseKind::Tickets(array) => names.push(array),
        }
        let atoms = sums.iter().flat_map(|sum| &sum.0);
        names.extend(atoms.filter_map(|(_, atom)| match atom {
            Some(Atom::Length(name) | Atom::Word(name, _)) => Some(name.as_str()),
            _ => None,
        }));
        names
    }
}

impl Atom {
    /// Returns whether this is a word of the buffer, or of the uniform, with this name.
    #[must_use]
    pub fn is_of(&self, buffer: &str) -> bool {
        matches!(self, Self::Word(name, _) if name == buffer)
    }
}

impl Relation {
    /// Returns whether the relation holds between two numbers.
    #[must_use]
    pub fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
            Self::Equal => left == right,
        }
    }

    fn read(token: &str) -> Result<Self, String> {
        Ok(match token {
            "<" => Self::Less,
            "<=" => Self::LessEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterEqual,
            "==" => Self::Equal,
            _ => return Err(format!("expected a comparison, found `{token}`")),
        })
    }
}

impl Sum {
    /// Returns the value of the sum, if all of its terms are known.
    pub fn value(&self, known: &mut dyn FnMut(&Atom) -> Option<u32>) -> Option<i128> {
        let terms = self.0.iter().map(|(times, atom)| {
            let number = match atom {
                Some(atom) => known(atom)?,
                None => 1,
            };
            Some(i128::from(*times) * i128::from(number))
        });
        terms.sum()
    }
}

impl Comparison {
    /// Returns the two sums, if they are known and the comparison does not hold.
    pub fn broken(&self, known: &mut dyn FnMut(&Atom) -> Option<u32>) -> Option<(i128, i128)> {
        let (left, right) = (self.left.value(known)?, self.right.value(known)?);
        (!self.relation.holds(left, right)).then_some((left, right))
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn read_kind(text: &str) -> Result<PromiseKind, String> {
    let mut tokens = text.split_whitespace();
    let kind = tokens.next().unwrap_or_default();
    let tokens: Vec<&str> = tokens.collect();
    Ok(match kind {
        "assume" => {
            let is_relation = |token: &&str| Relation::read(token).is_ok();
            let at = tokens.iter().position(is_relation);
            let at = at.ok_or_else(|| format!("expected a comparison in `{text}`"))?;
            PromiseKind::Assume(Comparison {
                left: sum(&tokens[..at])?,
                relation: Relation::read(tokens[at])?,
                right: sum(&tokens[at + 1..])?,
            })
        }
        "ascending" => PromiseKind::Ascending(entries(&tokens)?),
        "distinct" => PromiseKind::Distinct(entries(&tokens)?),
        _ => match tokens[..] {
            [array] => PromiseKind::Tickets(name(array)?),
            _ => return Err(format!("expected the name of one array in `{text}`")),
        },
    })
}

/// Reads `ARRAY.MEMBER from SUM below SUM where ARRAY < SUM`, of which only the array is required.
fn entries(tokens: &[&str]) -> Result<Entries, String> {
    let is_word = |token: &&str| ["from", "below", "where"].contains(token);
    let (first, mut rest) = match tokens {
        [first, rest @ ..] => (*first, rest),
        [] => return Err("expected the name of an array".to_owned()),
    };
    let (array, member) = match first.split_once('.') {
        Some((array, member)) => (name(array)?, Some(name(member)?)),
        None => (name(first)?, None),
    };
    let mut read = Entries {
        array,
        member,
        from: None,
        below: None,
        only: None,
    };
    while let [word, others @ ..] = rest {
        let end = others.iter().position(is_word).unwrap_or(others.len());
        let (part, next) = others.split_at(end);
        match (*word, part) {
            ("from", part) => read.from = Some(sum(part)?),
            ("below", part) => read.below = Some(sum(part)?),
            ("where", [array, relation, part @ ..]) => {
                read.only = Some((name(array)?, Relation::read(relation)?, sum(part)?));
            }
            _ => {
                return Err(format!(
                    "expected `from`, `below` or `where`, found `{word}`"
                ));
            }
        }
        rest = next;
    }
    Ok(read)
}

/// Reads terms that are separated by `+` and `-`: a number, a value, or `NUMBER * VALUE`.
fn sum(tokens: &[&str]) -> Result<Sum, String> {
    let mut terms = Vec::new();
    let mut sign = 1;
    let mut rest = tokens;
    loop {
        let (term, next) = match rest {
            [times, "*", value, next @ ..] => ((small(times)?, Some(atom(value)?)), next),
            [value, next @ ..] if value.starts_with(|c: char| c.is_ascii_digit()) => {
                ((number(value)?, None), next)
            }
            [value, next @ ..] => ((1, Some(atom(value)?)), next),
            [] => return Err("expected a number or a value at each end of a sum".to_owned()),
        };
        terms.push((sign * term.0, term.1));
        (sign, rest) = match next {
            ["+", next @ ..] => (1, next),
            ["-", next @ ..] => (-1, next),
            [] => return Ok(Sum(terms)),
            [other, ..] => return Err(format!("expected `+` or `-`, found `{other}`")),
        };
    }
}

fn number(token: &str) -> Result<i64, String> {
    let read = match token.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => token.parse(),
    };
    read.map(i64::from)
        .map_err(|_| format!("expected a number below 2^32, found `{token}`"))
}

/// Reads the factor of a term. It is limited so that sums fit 44 bits.
fn small(token: &str) -> Result<i64, String> {
    match number(token)? {
        times @ 0..=64 => Ok(times),
        _ => Err(format!("expected a factor of at most 64, found `{token}`")),
    }
}

fn name(token: &str) -> Result<String, String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match !token.is_empty() && token.chars().all(is_of_name) {
        true => Ok(token.to_owned()),
        false => Err(format!("expected a name, found `{token}`")),
    }
}

/// Reads `arrayLength(&NAME)`, `grid.count.x`, `NAME`, `NAME.MEMBER` or `NAME[NUMBER]`.
fn atom(token: &str) -> Result<Atom, String> {
    if let Some(array) = token.strip_prefix("arrayLength(&") {
        return Ok(Atom::Length(name(array.trim_end_matches(')'))?));
    }
    if let Some(axis) = token.strip_prefix("grid.count.") {
        let at = ["x", "y", "z"].iter().position(|one| *one == axis);
        return at
            .map(Atom::Groups)
            .ok_or_else(|| format!("`{token}` is no dimension"));
    }
    let parts = token.replace('[', ".").replace(']', "");
    let mut parts = parts.split('.');
    let first = name(parts.next().unwrap_or_default())?;
    let path: Result<_, _> = parts.map(name).collect();
    Ok(Atom::Word(first, path?))
}
