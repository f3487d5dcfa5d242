//! The index of an archive, `index.json`, which describes the model and the contents of the
//! archive. Fields have the names of the format's specification. This module does not access the
//! arrays.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::archive::{Archive, bytes_taken};
use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::{FORMAT_VERSION, INDEX};

/// The size of an index, in bytes, that is accepted in every archive.
const SMALL: u64 = 16 << 20;

/// Checks that an index of this many bytes is small enough for an archive whose other entries take
/// up `others` bytes. Parsed JSON takes several times its size in memory, and no part of an archive
/// may take much more memory than the archive is large. An annotation takes up at least 1 KiB
/// outside of the index and, if its name is not long, much less than half of that in the index.
pub(crate) fn check_size(bytes: u64, others: u64) -> Result<(), Error> {
    let limit = SMALL.max(others / 2);
    match bytes <= limit {
        true => Ok(()),
        false => Err(Error::in_entry(
            INDEX,
            ErrorKind::IndexTooLarge { bytes, limit },
        )),
    }
}

/// The index of an archive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Index {
    /// The version of the format. Other versions may be incompatible.
    pub format_version: u32,
    /// The revision of the format. Other revisions of the same version are compatible.
    pub format_revision: u32,
    /// Metadata of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_data: Option<ModelData>,
    /// Metadata of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_data: Option<FileData>,
    /// The model's type and counts.
    pub transition_system: TransitionSystem,
    /// Groups of annotations by name, each with its annotations by identifier.
    /// [`Umb::annotations`](crate::Umb::annotations) returns them in the order of the file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, BTreeMap<String, AnnotationInfo>>,
    /// The variables, by the kind of elements that they belong to.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub valuations: BTreeMap<Entity, ValuationInfo>,
}

impl Index {
    /// Reads the index of an archive and checks its version. Also returns the whole JSON object,
    /// with the parts that this crate does not know.
    pub(crate) fn read(archive: &Archive<'_>) -> Result<(Self, Map<String, Value>), Error> {
        let wrong = |kind| Error::in_entry(INDEX, kind);
        let bytes = archive.require(INDEX, "every UMB archive has an index")?;
        let others = archive.iter().filter(|&(path, _)| path != INDEX);
        let others = others
            .map(|(_, bytes)| bytes_taken(bytes.len() as u64))
            .sum();
        check_size(bytes.len() as u64, others)?;
        let json = std::str::from_utf8(bytes)
            .map_err(|error| Error::at(INDEX, error.valid_up_to(), ErrorKind::NotText))?;
        let all = parse(json)?;
        // The version is checked first: an index of another version may look quite different.
        let Version { format_version } = parse(json)?;
        if format_version != FORMAT_VERSION {
            return Err(wrong(ErrorKind::Version {
                found: format_version,
            }));
        }
        Ok((parse(json)?, all))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Version {
    format_version: u32,
}

fn parse<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, Error> {
    serde_json::from_str(json).map_err(|error| {
        // The message repeats strings of the index, which may have several lines.
        let said = error.to_string();
        let characters = said.chars().map(|c| match c.is_control() {
            true => c.escape_default().to_string(),
            false => c.to_string(),
        });
        let reason = characters.collect();
        Error::in_entry(INDEX, ErrorKind::BadIndex { reason })
    })
}

/// Metadata of the model in a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ModelData {
    /// The model's short name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The model's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The authors of the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// What the model describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Further remarks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The DOI of the paper about the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// The address of more information about the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Metadata about how a file was made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct FileData {
    /// The tool that wrote the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// The time at which the file was made, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creation_date: Option<u64>,
    /// The tool's parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
}

/// How time passes in a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Time {
    /// It passes in steps.
    Discrete,
    /// It is exponentially distributed in every state.
    Stochastic,
    /// It is exponentially distributed in Markovian states, and does not pass in others.
    UrgentStochastic,
}

/// The model's type and counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct TransitionSystem {
    /// How time passes.
    pub time: Time,
    /// The number of players who resolve choices: none in a Markov chain, one in an MDP or LTS.
    #[serde(rename = "#players")]
    pub num_players: u32,
    /// The number of states.
    #[serde(rename = "#states")]
    pub num_states: u64,
    /// The number of initial states.
    #[serde(rename = "#initial-states")]
    pub num_initial_states: u64,
    /// The number of choices of all states.
    #[serde(rename = "#choices")]
    pub num_choices: u64,
    /// The number of actions that choices may have.
    #[serde(rename = "#choice-actions")]
    pub num_choice_actions: u32,
    /// The number of branches of all choices.
    #[serde(rename = "#branches")]
    pub num_branches: u64,
    /// The number of actions that branches may have.
    #[serde(rename = "#branch-actions")]
    pub num_branch_actions: u32,
    /// The number of observations; 0 if the model is fully observable.
    #[serde(rename = "#observations")]
    pub num_observations: u64,
    /// The kind of elements that have observations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observations_apply_to: Option<Entity>,
    /// The type of the branches' probabilities; absent in an LTS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_probability_type: Option<ValueType>,
    /// The type of the states' exit rates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_rate_type: Option<ValueType>,
    /// The type of the observations' probabilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observation_probability_type: Option<ValueType>,
    /// The names of the players.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub player_names: Vec<String>,
}

/// The kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A truth value.
    Bool,
    /// A signed integer.
    Int,
    /// An unsigned integer.
    Uint,
    /// Two signed integers.
    IntInterval,
    /// Two unsigned integers.
    UintInterval,
    /// A 64-bit floating-point number.
    Double,
    /// Two 64-bit floating-point numbers.
    DoubleInterval,
    /// A signed numerator and an unsigned denominator.
    Rational,
    /// Two fractions.
    RationalInterval,
    /// The index of a string.
    String,
}

impl Kind {
    /// Returns the size in bits of a value whose type does not give one.
    #[must_use]
    pub fn default_bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Int | Self::Uint | Self::Double | Self::String => 64,
            Self::IntInterval | Self::UintInterval | Self::DoubleInterval | Self::Rational => 128,
            Self::RationalInterval => 256,
        }
    }

    pub(crate) fn is_interval(self) -> bool {
        use Kind::{DoubleInterval, IntInterval, RationalInterval, UintInterval};
        matches!(
            self,
            IntInterval | UintInterval | DoubleInterval | RationalInterval
        )
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::IntInterval => "int-interval",
            Self::UintInterval => "uint-interval",
            Self::Double => "double",
            Self::DoubleInterval => "double-interval",
            Self::Rational => "rational",
            Self::RationalInterval => "rational-interval",
            Self::String => "string",
        }
    }
}

/// The type of values: a kind and a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueType {
    /// The kind.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The size in bits; see [`bits`](Self::bits).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
}

impl ValueType {
    /// Returns the type of this kind with its default size.
    pub(crate) fn of(kind: Kind) -> Self {
        Self {
            kind,
            size: Some(kind.default_bits()),
        }
    }

    /// Returns the size in bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.size.unwrap_or(self.kind.default_bits())
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bits", self.kind.name(), self.bits())
    }
}

/// One annotation: values that belong to states, choices or branches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct AnnotationInfo {
    /// The name that users see. If it is absent, they see the identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The purpose of the annotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The kinds of elements that have values.
    pub applies_to: Vec<Entity>,
    /// The type of its values.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// A lower bound of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<Number>,
    /// An upper bound of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<Number>,
    /// The number of strings, if its values are strings.
    #[serde(rename = "#strings", default, skip_serializing_if = "Option::is_none")]
    pub num_strings: Option<u32>,
    /// The type of the probabilities, if the values are distributions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability_type: Option<ValueType>,
    /// The number of probabilities.
    #[serde(
        rename = "#probabilities",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub num_probabilities: Option<u64>,
}

/// The variables of states, of choices or of another kind of elements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ValuationInfo {
    /// Whether no two valuations are equal.
    pub unique: bool,
    /// The number of strings, if a variable's values are strings.
    #[serde(rename = "#strings", default, skip_serializing_if = "Option::is_none")]
    pub num_strings: Option<u32>,
    /// The layouts. Each valuation follows one of them.
    pub classes: Vec<ValuationClass>,
}

/// One layout of valuations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ValuationClass {
    /// Variables and padding in the order of their bits, the lowest first.
    pub variables: Vec<Field>,
}

/// A part of a valuation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, try_from = "AnyField")]
pub enum Field {
    /// Bits without meaning.
    Padding {
        /// The number of bits.
        padding: u64,
    },
    /// A variable.
    Variable(Variable),
}

/// A variable of a valuation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Whether the variable may have no value, for which there is one more bit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_optional: bool,
    /// The type of its values.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// A lower bound of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<i64>,
    /// An upper bound of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<i64>,
    /// The number that is added to an encoded integer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
}

/// The members of both kinds of [`Field`]. Reading them together keeps the error of the member that
/// is wrong; trying one kind after the other would lose it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct AnyField {
    padding: Option<u64>,
    name: Option<String>,
    #[serde(default)]
    is_optional: bool,
    #[serde(rename = "type")]
    value_type: Option<ValueType>,
    lower: Option<i64>,
    upper: Option<i64>,
    offset: Option<i64>,
}

impl TryFrom<AnyField> for Field {
    type Error = &'static str;

    fn try_from(field: AnyField) -> Result<Self, Self::Error> {
        if let Some(padding) = field.padding {
            return Ok(Self::Padding { padding });
        }
        Ok(Self::Variable(Variable {
            name: field.name.ok_or("missing field `name` or `padding`")?,
            is_optional: field.is_optional,
            value_type: field.value_type.ok_or("missing field `type`")?,
            lower: field.lower,
            upper: field.upper,
            offset: field.offset,
        }))
    }
}
