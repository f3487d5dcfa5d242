//! The descriptions of the annotations of an archive that is being made, and their identifiers,
//! which are derived from their names. Those of an archive that is copied stay in its text until
//! they are written, because there may be millions.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde::{Deserialize, de};
use serde_json::Value as Json;
use serde_json::value::RawValue;

/// The largest length of an identifier. Longer ones are cut off, so that paths fit into a tar
/// header.
const MAX_ID: usize = 60;

/// The descriptions of annotations, by group.
#[derive(Debug, Default)]
pub(super) struct Descriptions<'a> {
    groups: Vec<(Cow<'a, str>, Group<'a>)>,
}

/// The descriptions of the annotations of one group.
#[derive(Debug, Default)]
struct Group<'a> {
    /// In the order in which they are written, with gaps where some were removed.
    all: Vec<Option<Described<'a>>>,
    /// The index of each identifier.
    by_id: HashMap<Cow<'a, str>, usize>,
    /// The index of the last annotation of each name.
    by_name: HashMap<Cow<'a, str>, usize>,
    /// For each identifier without a number: the number to try next if it is in use.
    numbers: HashMap<String, u64>,
}

/// An annotation.
#[derive(Debug)]
struct Described<'a> {
    id: Cow<'a, str>,
    info: Info<'a>,
    /// The index of the annotation before it that has the same name.
    same_name: Option<usize>,
}

/// The description of an annotation, as JSON. That of a copied one is in the index that is copied.
#[derive(Debug)]
struct Info<'a>(Cow<'a, str>);

impl<'a> Descriptions<'a> {
    /// Adds a group, if there is none of this name.
    fn group(&mut self, name: &str) -> &mut Group<'a> {
        let place = self.groups.iter().position(|group| group.0 == name);
        let place = place.unwrap_or_else(|| {
            let name = Cow::Owned(name.to_owned());
            self.groups.push((name, Group::default()));
            self.groups.len() - 1
        });
        &mut self.groups[place].1
    }

    /// Removes the annotations of a group with this name. Returns their identifiers, which may be
    /// used again. The others keep their order.
    pub(super) fn remove(&mut self, group: &str, name: &str) -> Vec<String> {
        self.group(group).remove(name)
    }

    /// Adds an annotation to a group that has none of this name, and returns its identifier. It
    /// resembles the name, and is none of those in use.
    pub(super) fn add(&mut self, group: &str, name: &str, info: String) -> String {
        let group = self.group(group);
        let id = group.new_id(name);
        let place = group.push(Cow::Owned(id.clone()), Info(Cow::Owned(info)));
        // Those with this name were removed.
        group.by_name.insert(Cow::Owned(name.to_owned()), place);
        id
    }
}

impl<'a> Group<'a> {
    fn push(&mut self, id: Cow<'a, str>, info: Info<'a>) -> usize {
        let place = self.all.len();
        self.by_id.insert(id.clone(), place);
        self.all.push(Some(Described {
            id,
            info,
            same_name: None,
        }));
        place
    }

    /// Adds an annotation of the index that is copied. Its name is not read yet. Of several with
    /// the same identifier, the first place and the last description count.
    fn copy(&mut self, id: Cow<'a, str>, text: &'a RawValue) {
        let known = self
            .by_id
            .get(&id)
            .and_then(|&place| self.all[place].as_mut());
        match known {
            Some(known) => known.info = Info(Cow::Borrowed(text.get())),
            None => _ = self.push(id, Info(Cow::Borrowed(text.get()))),
        }
    }

    /// Reads the names of the annotations of the index that is copied.
    fn find_names(&mut self) -> Result<(), serde_json::Error> {
        for (place, described) in self.all.iter_mut().enumerate() {
            if let Some(Described {
                id,
                info: Info(Cow::Borrowed(text)),
                same_name,
            }) = described
            {
                let Alias { alias } = serde_json::from_str(text)?;
                let name = alias.unwrap_or_else(|| id.clone());
                *same_name = self.by_name.insert(name, place);
            }
        }
        Ok(())
    }

    fn remove(&mut self, name: &str) -> Vec<String> {
        let mut ids = Vec::new();
        let mut next = self.by_name.remove(name);
        while let Some(removed) = next.and_then(|place| self.all[place].take()) {
            self.by_id.remove(&removed.id);
            ids.push(removed.id.into_owned());
            next = removed.same_name;
        }
        if !ids.is_empty() {
            self.numbers.remove(&base(name));
        }
        ids
    }

    fn new_id(&mut self, name: &str) -> String {
        let mut id = base(name);
        if self.by_id.contains_key(id.as_str()) {
            let next = self.numbers.entry(id.clone()).or_insert(2);
            let base = id;
            loop {
                id = format!("{base}-{next}");
                *next += 1;
                if !self.by_id.contains_key(id.as_str()) {
                    break;
                }
            }
        }
        id
    }
}

/// Returns the identifier of a name, without a number.
fn base(name: &str) -> String {
    let replaced = |c: char| if is_id(c) { c } else { '-' };
    let mut base: String = name.to_lowercase().chars().map(replaced).collect();
    base.truncate(MAX_ID); // all ASCII by now
    if base.is_empty() {
        base.push('-');
    }
    base
}

/// Returns whether the name of a group or an identifier may contain this character.
pub(super) fn is_id(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '_' | '-')
}

impl Serialize for Descriptions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.groups.iter().map(|(name, group)| (name, group)))
    }
}

impl Serialize for Group<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.by_id.len()))?;
        for described in self.all.iter().flatten() {
            map.serialize_entry(&described.id, &described.info)?;
        }
        map.end()
    }
}

impl Serialize for Info<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A text is not written as it is: its white space may be another.
        let info: Json = serde_json::from_str(&self.0).map_err(S::Error::custom)?;
        info.serialize(serializer)
    }
}

/// A string, which is not copied if it has no escaped characters.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The part of a description that says under which name users see an annotation.
#[derive(Deserialize)]
struct Alias<'a> {
    #[serde(borrow)]
    alias: Option<Cow<'a, str>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Descriptions<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut groups: Vec<(Cow<'a, str>, Group<'a>)> = Vec::new();
        each_entry(deserializer, |Text(name), group| {
            match groups.iter_mut().find(|known| known.0 == name) {
                Some(known) => known.1 = group,
                None => groups.push((name, group)),
            }
        })?;
        Ok(Self { groups })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Group<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut group = Self::default();
        each_entry(deserializer, |Text(id), text| group.copy(id, text))?;
        group.find_names().map_err(de::Error::custom)?;
        Ok(group)
    }
}

/// Calls `each` with the members of an object, in order.
fn each_entry<'de, D: Deserializer<'de>, K: Deserialize<'de>, V: Deserialize<'de>>(
    deserializer: D,
    each: impl FnMut(K, V),
) -> Result<(), D::Error> {
    struct Members<K, V, F>(F, PhantomData<(K, V)>);

    impl<'de, K, V, F> Visitor<'de> for Members<K, V, F>
    where
        K: Deserialize<'de>,
        V: Deserialize<'de>,
        F: FnMut(K, V),
    {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
            while let Some((key, value)) = map.next_entry()? {
                (self.0)(key, value);
            }
            Ok(())
        }
    }

    deserializer.deserialize_map(Members(each, PhantomData))
}
