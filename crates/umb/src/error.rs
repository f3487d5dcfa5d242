//! The kinds of errors in an archive, with the entry and the element. An error is printed on one
//! line. It has no file name, because only the caller knows where the bytes came from.

use std::fmt;

use parse_error::{ArchiveKind, counted};

use crate::entity::Entity;

/// An error that was found while reading or making an archive.
///
/// An error has a [kind](Error::kind) for programs, and a position: the [entry](Error::entry) of
/// the archive and the [element](Error::element) in it, as far as they are known. `Display` prints
/// all of it on one line; [`message`](Error::message) is that line without the position.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    kind: ErrorKind,
    entry: Option<String>,
    element: Option<u64>,
}

impl Error {
    /// Makes an error of the archive as a whole.
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self::placed(kind, None, None)
    }

    /// Makes an error of an entry.
    pub(crate) fn in_entry(entry: &str, kind: ErrorKind) -> Self {
        Self::placed(kind, Some(entry), None)
    }

    /// Makes an error of one element of an entry.
    pub(crate) fn at(entry: &str, element: usize, kind: ErrorKind) -> Self {
        Self::placed(kind, Some(entry), Some(element as u64))
    }

    fn placed(kind: ErrorKind, entry: Option<&str>, element: Option<u64>) -> Self {
        let entry = entry.map(str::to_owned);
        Self(Box::new(Inner {
            kind,
            entry,
            element,
        }))
    }

    /// Returns the kind of the error, with its numbers.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the path of the entry, such as `branch-to-target.bin`; `None` if the error concerns
    /// the archive itself.
    #[must_use]
    pub fn entry(&self) -> Option<&str> {
        self.0.entry.as_deref()
    }

    /// Returns the index of the element, from 0, counted in numbers or bits, not in bytes.
    #[must_use]
    pub fn element(&self) -> Option<u64> {
        self.0.element
    }

    /// Returns the error on one line, without its position.
    #[must_use]
    pub fn message(&self) -> String {
        self.0.kind.to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(entry) = &self.0.entry {
            f.write_str(entry)?;
            if let Some(element) = self.0.element {
                write!(f, ", element {element}")?;
            }
            f.write_str(": ")?;
        }
        self.0.kind.fmt(f)
    }
}

impl std::error::Error for Error {}

/// The kinds of errors, with the numbers that describe them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input is neither a tar archive nor compressed.
    #[error("this is not a UMB file: expected a tar archive, plain or compressed (gzip, xz, zstd)")]
    NotAnArchive,
    /// The input is compressed, or an archive of another kind.
    #[error("this is {archive}, not a tar archive: {}", archive.advice())]
    Compressed {
        /// The kind of archive.
        archive: ArchiveKind,
    },
    /// A piece of an archive has other files than the pieces before it.
    #[error("this file is not in all pieces of the archive")]
    OtherFiles,
    /// A header of the tar archive is not followed by the entry that it belongs to.
    #[error("the tar archive is damaged at byte {offset}: expected the header of an entry")]
    BadTar {
        /// The offset at which an entry should begin.
        offset: u64,
    },
    /// The checksum in a header of the tar archive is wrong.
    #[error("the checksum of the tar header at byte {offset} is {found}: expected {expected}")]
    Checksum {
        /// The offset of the header.
        offset: u64,
        /// The checksum in the header.
        found: u32,
        /// The checksum of the bytes of the header.
        expected: u32,
    },
    /// A number in a header of the tar archive cannot be read.
    #[error("the {what} in the tar header at byte {offset} is not a number: expected octal digits")]
    NumberInHeader {
        /// The offset of the header.
        offset: u64,
        /// The field of the header: `checksum` or `size`.
        what: &'static str,
    },
    /// An entry, or its header, is longer than the archive.
    #[error("the tar archive ends too early: expected {needed} bytes, found {present}")]
    TruncatedTar {
        /// The offset at which it would end.
        needed: u64,
        /// The size of the archive.
        present: u64,
    },
    /// The archive has no end marker, so entries may be missing.
    #[error("the tar archive ends too early: expected a block of zeros behind the last entry")]
    NoEndMarker,
    /// An entry is a link, a device or a sparse file.
    #[error("the tar archive holds something of type {found:?}: expected files and folders")]
    EntryType {
        /// The type byte of the tar header, as a character.
        found: char,
    },
    /// The path of an entry is not UTF-8.
    #[error("the path {path:?} is not UTF-8")]
    EntryName {
        /// The path, with the invalid bytes replaced.
        path: String,
    },
    /// Two entries have the same path.
    #[error("the entry is there twice")]
    DuplicateEntry,
    /// An entry that the model needs is missing.
    #[error("the entry is missing: {needed_for}")]
    MissingEntry {
        /// The reason why it is needed.
        needed_for: &'static str,
    },
    /// The index would take more memory than the caller allows.
    #[error("the index takes up to {bytes} bytes of memory: expected at most {limit}")]
    IndexTooLarge {
        /// The number of bytes that it may take.
        bytes: u64,
        /// [`ReadOptions::max_memory`](crate::ReadOptions::max_memory).
        limit: u64,
    },
    /// There is not enough memory.
    #[error("out of memory: {bytes} bytes were needed")]
    OutOfMemory {
        /// The number of bytes that were requested.
        bytes: u64,
    },
    /// The index is not JSON, or does not follow the format.
    #[error("the index is not as expected: {reason}")]
    BadIndex {
        /// The member of the index, its line and column, what was expected, and what was found.
        reason: String,
    },
    /// The version of the format is not supported.
    #[error("the format version is {found}: expected {}", crate::FORMAT_VERSION)]
    Version {
        /// The version in the index.
        found: u32,
    },
    /// The type of the model is not supported.
    #[error(
        "models of type {name} are not supported: expected a DTMC, CTMC, MDP, LTS, POMDP, SMG, MA, \
         IDTMC or IMDP"
    )]
    ModelType {
        /// The type's usual name.
        name: String,
    },
    /// The format does not allow values of this type here.
    #[error("{what} are of type {found}: expected {expected}")]
    ValueType {
        /// The values, such as `branch probabilities`.
        what: &'static str,
        /// Their type in the index, with its size in bits.
        found: String,
        /// The types that are allowed.
        expected: &'static str,
    },
    /// A part of the format is not supported.
    #[error("{what} are not supported")]
    Unsupported {
        /// The name of the part.
        what: &'static str,
    },
    /// The size of an entry does not agree with the index.
    #[error(
        "the size of the entry is {}: expected {} (number of {what}: {count})",
        counted(*.found, "byte"),
        counted(*.expected, "byte")
    )]
    EntrySize {
        /// The size of the entry.
        found: u64,
        /// The size that it should have.
        expected: u128,
        /// The number of elements that it must have.
        count: u64,
        /// The name of the elements.
        what: &'static str,
    },
    /// An entry that would map elements is missing, so each must be mapped to the one of the same
    /// number, but the counts differ.
    #[error(
        "in the index, the number of {of} is {rows}, that of {to} is {targets}: expected the same number, as {entry} is missing"
    )]
    IdentityMismatch {
        /// The number of elements that are mapped.
        rows: u64,
        /// Their kind.
        of: Entity,
        /// The number of elements that they are mapped to.
        targets: u64,
        /// The kind of these.
        to: Entity,
        /// The entry that is missing.
        entry: &'static str,
    },
    /// The index claims more branches than an archive may have without their targets.
    #[error(
        "the index counts {claimed} branches, but branch-to-target.bin is missing: expected at most {limit}"
    )]
    Unbacked {
        /// The count in the index.
        claimed: u64,
        /// [`MAX_UNBACKED`](crate::MAX_UNBACKED).
        limit: u64,
    },
    /// The index counts more players than an archive may have without their names.
    #[error(
        "the index counts {claimed} players, but names {named}: expected a name for each, or at most {limit} players"
    )]
    UnnamedPlayers {
        /// The count in the index.
        claimed: u32,
        /// The number of names.
        named: u64,
        /// [`MAX_UNNAMED_PLAYERS`](crate::MAX_UNNAMED_PLAYERS).
        limit: u32,
    },
    /// The numbers are in the wrong byte order.
    #[error("the numbers are big-endian: expected little-endian")]
    BigEndian,
    /// The first of a list of offsets is not 0.
    #[error("the first offset is {found}: expected 0")]
    FirstOffset {
        /// The offset.
        found: u64,
    },
    /// An offset is less than the one before it.
    #[error("the offset {found} comes after {previous}: expected offsets that do not decrease")]
    OffsetDecreases {
        /// The offset before it.
        previous: u64,
        /// The offset.
        found: u64,
    },
    /// The last of a list of offsets is not the number of elements that they refer to.
    #[error("the last offset is {found}: expected {expected}, the number of {what}")]
    LastOffset {
        /// The offset.
        found: u64,
        /// The number of elements.
        expected: u64,
        /// The name of the elements.
        what: &'static str,
    },
    /// A number is too large.
    #[error("{value} is out of range: expected {what} below {limit}")]
    OutOfRange {
        /// The number.
        value: u64,
        /// What it stands for, such as `a state`.
        what: &'static str,
        /// The number must be below this.
        limit: u64,
    },
    /// A bit is set after the last bit that has a meaning.
    #[error("the bit is set: expected zeros from bit {len} on")]
    PaddingBit {
        /// The number of bits that have a meaning.
        len: u64,
    },
    /// The index and the entry disagree about the initial states.
    #[error("the number of marked initial states is {found}: expected {expected}, as in the index")]
    InitialStates {
        /// The number of bits that are set.
        found: u64,
        /// The count in the index.
        expected: u64,
    },
    /// The model is empty.
    #[error("the model has no states: expected at least one")]
    NoStates,
    /// A state of a Markov chain has several choices.
    #[error("state {state} has {choices} choices: expected at most one in a {model_type}")]
    ChoicesOfChain {
        /// The state.
        state: u64,
        /// The number of choices that it has.
        choices: u64,
        /// DTMC or CTMC.
        model_type: crate::ModelType,
    },
    /// A choice of an LTS has several branches, although there are no probabilities.
    #[error(
        "choice {choice} has {branches} branches without probabilities: expected one in an LTS"
    )]
    BranchesOfLts {
        /// The choice.
        choice: u64,
        /// The number of branches that it has.
        branches: u64,
    },
    /// A Markovian state has several choices.
    #[error("the Markovian state {state} has {choices} choices: expected at most one")]
    ChoicesOfMarkovian {
        /// The state.
        state: u64,
        /// The number of choices that it has.
        choices: u64,
    },
    /// The observations are missing or superfluous, there are too many or too few, or they do not
    /// belong to states.
    #[error("expected one observation for each state of a POMDP, and none in other models")]
    Observations,
    /// The players are missing or superfluous, there are too many or too few, or they do not belong
    /// to states.
    #[error("expected two players or more and the player of each state for an SMG, and none else")]
    Players,
    /// The Markovian states of a Markov automaton are missing, or another model has them.
    #[error(
        "expected to be told the Markovian states of a Markov automaton, and of no other model"
    )]
    Markovian,
    /// The lower bounds of an interval model are missing, or another model has them.
    #[error("expected lower bounds of the probabilities of an interval model, and of no other")]
    Intervals,
    /// A choice has no branch.
    #[error("the choice has no branch: expected at least one")]
    NoBranch,
    /// A probability or rate is negative, infinite or not a number.
    #[error("the value is {value}: expected a finite number of at least 0")]
    BadValue {
        /// The value.
        value: f64,
    },
    /// A lower bound is above its upper bound.
    #[error("the interval is empty: {low} is above {high}")]
    EmptyInterval {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// The intervals of a choice do not contain a distribution.
    #[error(
        "the intervals of choice {choice}, of state {state}, sum to [{low},{high}]: expected 1 \
         between these"
    )]
    BadIntervals {
        /// The choice, counted over all states.
        choice: u64,
        /// The state that it belongs to.
        state: u64,
        /// The sum of the lower bounds.
        low: f64,
        /// The sum of the upper bounds.
        high: f64,
    },
    /// A fraction has denominator 0.
    #[error("the denominator is 0")]
    ZeroDenominator,
    /// The probabilities of a choice do not sum to 1.
    #[error("the probabilities of choice {choice}, of state {state}, sum to {sum}: expected 1")]
    BadSum {
        /// The choice, counted over all states.
        choice: u64,
        /// The state that it belongs to.
        state: u64,
        /// The sum.
        sum: f64,
    },
    /// All branches of a choice have probability 0.
    #[error("all branches of choice {choice}, of state {state}, have probability 0")]
    AllZero {
        /// The choice, counted over all states.
        choice: u64,
        /// The state that it belongs to.
        state: u64,
    },
    /// Strings are not UTF-8.
    #[error("the text is not UTF-8")]
    NotText,
    /// The end of a string lies within a character.
    #[error("the offset {offset} lies within a character: expected whole strings")]
    SplitCharacter {
        /// The offset, in bytes, into the text of all strings.
        offset: u64,
    },
    /// The bits of a class of valuations do not fill whole bytes.
    #[error(
        "the number of bits of class {class} of valuations is {bits}: expected a multiple of 8"
    )]
    ValuationBits {
        /// The number of the class.
        class: u32,
        /// The number of bits of its variables and padding together.
        bits: u64,
    },
    /// A variable has more bits than are supported.
    #[error("variable {variable:?} has {bits} bits: expected at most 64")]
    WideVariable {
        /// Its name.
        variable: String,
        /// Its size.
        bits: u64,
    },
    /// The lower bound of a variable is above its upper bound.
    #[error(
        "variable {variable:?} ranges from {lower} to {upper}: expected a lower bound that is not above the upper"
    )]
    EmptyRange {
        /// Its name.
        variable: String,
        /// Its lower bound.
        lower: i64,
        /// Its upper bound.
        upper: i64,
    },
    /// The number of values to be written is not the number of elements that they belong to.
    #[error("the number of values given for {entity} is {found}: expected {expected}")]
    Length {
        /// The number of values.
        found: u64,
        /// The number of elements.
        expected: u64,
        /// The kind of these elements.
        entity: Entity,
    },
    /// The name of a group of annotations cannot be used in a path.
    #[error(
        "{name:?} cannot name a group of annotations: expected small letters, digits, `_` and `-`"
    )]
    GroupName {
        /// The name.
        name: String,
    },
}
