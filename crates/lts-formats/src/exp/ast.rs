//! The syntax tree of an EXP file.

use crate::error::Position;
use crate::lts::Lts;

/// A behaviour of EXP.
#[derive(Debug, Clone, PartialEq)]
pub enum Behaviour {
    /// An LTS in a file.
    File(ProcessFile),
    /// An LTS that is written out.
    Lts(Lts),
    /// Behaviours side by side.
    Parallel(Parallel),
    /// A behaviour with some actions made internal.
    Hide(Hide),
    /// A behaviour with some labels changed.
    Rename(Rename),
}

/// The file that holds an LTS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessFile {
    /// As it is written: relative to the folder of the EXP file, unless it is absolute.
    pub path: String,
    /// Where it is named.
    pub position: Position,
}

/// Behaviours side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Parallel {
    /// Which of their transitions happen together.
    pub synchronisation: Synchronisation,
    /// The behaviours, at least one.
    pub branches: Vec<Behaviour>,
}

/// Which transitions of parallel behaviours happen together. Internal actions never do: each
/// behaviour does them by itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Synchronisation {
    /// Those that a vector combines. A transition whose label is in no vector never happens.
    Vectors(Vec<Vector>),
    /// Those with one of these labels, which all behaviours do together; each behaviour does any
    /// other transition by itself.
    Labels {
        /// What of a transition's label is compared.
        matching: Matching,
        /// The labels, or gates.
        labels: Vec<String>,
    },
}

/// A synchronisation vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector {
    /// For each behaviour, the label of its transition; `None` if it is not involved.
    pub parts: Vec<Option<String>>,
    /// The label of the common transition.
    pub result: String,
    /// Where the vector stands.
    pub position: Position,
}

/// What of a transition's label an operator compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// Its [gate](crate::gate).
    Gate,
    /// All of it.
    Total,
}

/// A behaviour with some actions made internal.
#[derive(Debug, Clone, PartialEq)]
pub struct Hide {
    /// What of a label is compared.
    pub matching: Matching,
    /// Whether the labels are those that stay.
    pub all_but: bool,
    /// The labels, or gates.
    pub labels: Vec<String>,
    /// The behaviour.
    pub behaviour: Box<Behaviour>,
}

/// A behaviour with some labels changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Rename {
    /// Old labels and new ones; the first one whose old label is that of a transition counts.
    pub rules: Vec<(String, String)>,
    /// The behaviour.
    pub behaviour: Box<Behaviour>,
}
