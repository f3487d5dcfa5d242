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
    /// Several behaviours in parallel.
    Parallel(Parallel),
    /// A behaviour with some actions made internal.
    Hide(Hide),
    /// A behaviour with some labels changed.
    Rename(Rename),
}

/// A file that contains an LTS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessFile {
    /// The path as it is written. If it is not absolute, it is relative to the folder of the EXP
    /// file.
    pub path: String,
    /// The position of the name in the EXP file.
    pub position: Position,
}

/// Behaviours that run in parallel.
#[derive(Debug, Clone, PartialEq)]
pub struct Parallel {
    /// The transitions that synchronise.
    pub synchronisation: Synchronisation,
    /// The behaviours, at least one.
    pub branches: Vec<Behaviour>,
}

/// The transitions of parallel behaviours that synchronise. Internal transitions never do: each
/// behaviour takes them independently.
#[derive(Debug, Clone, PartialEq)]
pub enum Synchronisation {
    /// Transitions that a vector combines. A transition whose label is in no vector never happens.
    Vectors(Vec<Vector>),
    /// Transitions with one of these labels, which all behaviours take together. Each behaviour
    /// takes any other transition independently.
    Labels {
        /// The part of a transition's label that is compared.
        matching: Matching,
        /// The labels, or gates.
        labels: Vec<String>,
    },
}

/// A synchronisation vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector {
    /// For each behaviour, the label of its transition; `None` if it does not take part.
    pub parts: Vec<Option<String>>,
    /// The label of the common transition.
    pub result: String,
    /// The position of the vector in the EXP file.
    pub position: Position,
}

/// The part of a transition's label that an operator compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Matching {
    /// Its [gate](crate::gate).
    Gate,
    /// The whole label.
    Total,
}

/// A behaviour with some actions made internal.
#[derive(Debug, Clone, PartialEq)]
pub struct Hide {
    /// The part of a label that is compared.
    pub matching: Matching,
    /// Whether all labels but these are hidden.
    pub all_but: bool,
    /// The labels, or gates.
    pub labels: Vec<String>,
    /// The behaviour.
    pub behaviour: Box<Behaviour>,
}

/// A behaviour with some labels changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Rename {
    /// Pairs of an old label and a new one. If several old labels match, the first pair applies.
    pub rules: Vec<(String, String)>,
    /// The behaviour.
    pub behaviour: Box<Behaviour>,
}
