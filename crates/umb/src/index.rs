//! The index of an archive, `index.json`, which describes the model and the contents of the
//! archive. Fields have the names of the format's specification. This module does not access the
//! arrays.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::annotations::Annotations;
use crate::archive::Archive;
use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::{FORMAT_VERSION, INDEX};
use crate::index_error::bad;
use crate::index_memory;
use crate::value_type::ValueType;

// Of no vector, an element takes more than the estimate says.
const _: () = assert!(2 * size_of::<Field>() as u64 <= index_memory::ELEMENT);

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
    pub annotations: BTreeMap<String, Annotations>,
    /// The variables, by the kind of elements that they belong to.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub valuations: BTreeMap<Entity, ValuationInfo>,
}

impl Index {
    /// Reads the index of an archive and checks its version. It may take `max_memory` bytes of
    /// memory.
    pub(crate) fn read(archive: &Archive<'_>, max_memory: u64) -> Result<Self, Error> {
        let json = text(archive)?;
        let bytes = index_memory::needed(json).map_err(|error| bad(&error, json))?;
        if bytes > max_memory {
            let limit = max_memory;
            let kind = ErrorKind::IndexTooLarge { bytes, limit };
            return Err(Error::in_entry(INDEX, kind));
        }
        check_version(json)?;
        check_room(bytes)?;
        parse(json)
    }
}

impl TransitionSystem {
    /// Reads this part of the index of an archive, and checks the version of the index.
    pub(crate) fn read(archive: &Archive<'_>) -> Result<Self, Error> {
        let json = text(archive)?;
        check_version(json)?;
        let Part { transition_system } = parse(json)?;
        Ok(transition_system)
    }
}

/// Returns the text of the index.
pub(crate) fn text<'a>(archive: &Archive<'a>) -> Result<&'a str, Error> {
    let bytes = archive.require(INDEX, "every UMB archive has an index")?;
    std::str::from_utf8(bytes)
        .map_err(|error| Error::at(INDEX, error.valid_up_to(), ErrorKind::NotText))
}

/// Checks the version. It is checked first: an index of another version may look quite different.
fn check_version(json: &str) -> Result<(), Error> {
    let Version { format_version } = parse(json)?;
    match format_version {
        FORMAT_VERSION => Ok(()),
        found => Err(Error::in_entry(INDEX, ErrorKind::Version { found })),
    }
}

/// Checks that there is room for this many bytes. The memory is requested and returned, because
/// what reads JSON cannot report a lack of memory.
fn check_room(bytes: u64) -> Result<(), Error> {
    let size = usize::try_from(bytes).unwrap_or(usize::MAX);
    let room = parse_error::check_room(&[size]);
    room.map_err(|_| Error::in_entry(INDEX, ErrorKind::OutOfMemory { bytes }))
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Part {
    transition_system: TransitionSystem,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Version {
    format_version: u32,
}

fn parse<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, Error> {
    serde_json::from_str(json).map_err(|error| bad(&error, json))
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

#[cfg(test)]
mod tests {
    use super::check_room;

    #[test]
    fn too_much_memory_is_refused() {
        assert_eq!(check_room(1 << 20), Ok(()));
        let error = check_room(u64::MAX).expect_err("no machine has so much memory");
        let message = "index.json: out of memory: 18446744073709551615 bytes were needed";
        assert_eq!(error.to_string(), message);
    }
}
