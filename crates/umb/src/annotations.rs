//! [`AnnotationInfo`], the description of an annotation in the index, and [`Annotations`], those of
//! one group. There may be millions, so each is kept once, and they are found by binary search.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::entity::Entity;
use crate::value_type::ValueType;

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

/// The descriptions of the annotations of one group, by identifier.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Annotations {
    /// Identifiers and descriptions, in the order of the file.
    all: Vec<(String, AnnotationInfo)>,
    /// Their indices, in the order of identifiers.
    by_id: Vec<usize>,
    /// The indices of those with an alias, in the order of aliases and then of identifiers.
    by_alias: Vec<usize>,
}

impl Annotations {
    /// The number of bytes that an annotation takes in memory, without its strings, while the index
    /// is read. The vectors may have room for twice as many elements as they hold.
    pub(crate) const BYTES_OF_ONE: u64 =
        2 * size_of::<(String, AnnotationInfo)>() as u64 + 2 * size_of::<usize>() as u64;

    /// Returns the number of annotations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the description of the annotation with this identifier.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&AnnotationInfo> {
        let of_place = |&number: &usize| self.id(number).cmp(id);
        let place = self.by_id.binary_search_by(of_place).ok()?;
        Some(&self.all[self.by_id[place]].1)
    }

    /// Returns identifiers and descriptions, in the order of identifiers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &AnnotationInfo)> {
        self.by_id.iter().map(|&number| self.one(number))
    }

    /// Returns identifiers and descriptions, in the order of the file.
    pub fn in_file_order(&self) -> impl ExactSizeIterator<Item = (&str, &AnnotationInfo)> {
        (0..self.all.len()).map(|number| self.one(number))
    }

    /// Returns the annotation with this alias or, if there is none, that with this identifier. If
    /// several have the same alias, it is the one with the first identifier.
    pub(crate) fn named(&self, name: &str) -> Option<(&str, &AnnotationInfo)> {
        let is_before = |&number: &usize| self.alias(number) < Some(name);
        let place = self.by_alias.partition_point(is_before);
        let first = self.by_alias.get(place).copied();
        match first.filter(|&number| self.alias(number) == Some(name)) {
            Some(number) => Some(self.one(number)),
            None => {
                let place = self
                    .by_id
                    .binary_search_by(|&number| self.id(number).cmp(name));
                Some(self.one(self.by_id[place.ok()?]))
            }
        }
    }

    fn one(&self, number: usize) -> (&str, &AnnotationInfo) {
        let (id, info) = &self.all[number];
        (id, info)
    }

    fn id(&self, number: usize) -> &str {
        &self.all[number].0
    }

    fn alias(&self, number: usize) -> Option<&str> {
        self.all[number].1.alias.as_deref()
    }

    /// Sorts annotations. If an identifier is there twice, its last description counts, and its
    /// first place.
    fn of(mut all: Vec<(String, AnnotationInfo)>) -> Self {
        all.shrink_to_fit();
        let mut by_id: Vec<usize> = (0..all.len()).collect();
        by_id.sort_unstable_by_key(|&number| (all[number].0.as_str(), number));
        if by_id
            .windows(2)
            .any(|pair| all[pair[0]].0 == all[pair[1]].0)
        {
            return Self::of(without_repeated(all, &by_id));
        }
        let mut by_alias = by_id.clone();
        by_alias.retain(|&number| all[number].1.alias.is_some());
        by_alias.sort_by_key(|&number| all[number].1.alias.as_deref());
        Self {
            all,
            by_id,
            by_alias,
        }
    }
}

/// Returns the annotations without repeated identifiers. `by_id` is their order by identifier and
/// then by place.
fn without_repeated(
    mut all: Vec<(String, AnnotationInfo)>,
    by_id: &[usize],
) -> Vec<(String, AnnotationInfo)> {
    let mut is_repeated = vec![false; all.len()];
    let same = by_id.chunk_by(|&a, &b| all[a].0 == all[b].0);
    let same: Vec<&[usize]> = same.filter(|same| same.len() > 1).collect();
    for same in same {
        all[same[0]].1 = all[same[same.len() - 1]].1.clone();
        same[1..]
            .iter()
            .for_each(|&number| is_repeated[number] = true);
    }
    let mut repeated = is_repeated.into_iter();
    all.retain(|_| repeated.next() == Some(false));
    all
}

impl<'a> IntoIterator for &'a Annotations {
    type Item = (&'a str, &'a AnnotationInfo);
    type IntoIter = Box<dyn ExactSizeIterator<Item = Self::Item> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl FromIterator<(String, AnnotationInfo)> for Annotations {
    fn from_iter<I: IntoIterator<Item = (String, AnnotationInfo)>>(all: I) -> Self {
        Self::of(all.into_iter().collect())
    }
}

impl Serialize for Annotations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.in_file_order())
    }
}

impl<'de> Deserialize<'de> for Annotations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Annotations;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Annotations, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(Annotations::of(all))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::Annotations;

    fn read(json: &str) -> Annotations {
        serde_json::from_str(json).expect(json)
    }

    fn info(alias: &str) -> String {
        let alias = match alias {
            "" => String::new(),
            _ => format!(r#""alias": "{alias}", "#),
        };
        format!(r#"{{{alias}"applies-to": ["states"], "type": {{"type": "bool"}}}}"#)
    }

    #[test]
    fn annotations_are_found_by_alias_and_by_identifier() {
        let entries = [
            ("z", "one"),
            ("y", ""),
            ("b", "two"),
            ("a", "two"),
            ("two", "z"),
        ];
        let entries = entries.map(|(id, alias)| format!("{id:?}: {}", info(alias)));
        let all = read(&format!("{{{}}}", entries.join(", ")));
        let ids = |all: &[(&str, _)]| all.iter().map(|one| one.0.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            ids(&all.iter().collect::<Vec<_>>()),
            ["a", "b", "two", "y", "z"]
        );
        let in_file = all.in_file_order().collect::<Vec<_>>();
        assert_eq!(ids(&in_file), ["z", "y", "b", "a", "two"]);
        let id_of = |name| all.named(name).map(|one| one.0);
        // An alias goes before an identifier.
        assert_eq!(
            [id_of("one"), id_of("two"), id_of("z")],
            [Some("z"), Some("a"), Some("two")]
        );
        assert_eq!(
            [id_of("y"), id_of("b"), id_of("x")],
            [Some("y"), Some("b"), None]
        );
        assert_eq!(
            all.get("two").and_then(|one| one.alias.as_deref()),
            Some("z")
        );
        assert_eq!(
            (all.get("one"), all.len(), all.is_empty()),
            (None, 5, false)
        );
        let again: Annotations = read(&serde_json::to_string(&all).expect("JSON"));
        assert_eq!(again, all);
    }

    #[test]
    fn of_repeated_identifiers_the_first_place_and_the_last_description_count() {
        let entries = [
            ("b", "1"),
            ("a", "2"),
            ("b", "3"),
            ("c", "4"),
            ("b", "5"),
            ("a", "6"),
        ];
        let entries = entries.map(|(id, alias)| format!("{id:?}: {}", info(alias)));
        let all = read(&format!("{{{}}}", entries.join(", ")));
        let found = all.in_file_order();
        let found: Vec<_> = found
            .map(|(id, info)| (id, info.alias.as_deref()))
            .collect();
        assert_eq!(
            found,
            [("b", Some("5")), ("a", Some("6")), ("c", Some("4"))]
        );
    }
}
