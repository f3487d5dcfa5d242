//! The identifiers of annotations, which are derived from their names.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

/// The largest length of an identifier. Longer ones are cut off, so that paths fit into a tar
/// header.
const MAX_ID: usize = 60;

/// The identifiers of the annotations of an archive, by group and name.
#[derive(Debug, Default)]
pub(super) struct Ids {
    of_names: HashMap<(String, String), Vec<String>>,
    /// For each group and identifier without a number: the number to try next if it is in use.
    numbers: HashMap<(String, String), u64>,
}

impl Ids {
    /// Collects those of an index.
    pub(super) fn of_index(index: &Map<String, Json>) -> Self {
        let mut ids = Self::default();
        let groups = index.get("annotations").and_then(Json::as_object);
        for (group, annotations) in groups.into_iter().flatten() {
            for (id, info) in annotations.as_object().into_iter().flatten() {
                let alias = info.get("alias").and_then(Json::as_str);
                ids.add(group, alias.unwrap_or(id), id);
            }
        }
        ids
    }

    /// Adds the identifier of an annotation.
    fn add(&mut self, group: &str, name: &str, id: &str) {
        let key = (group.to_owned(), name.to_owned());
        self.of_names.entry(key).or_default().push(id.to_owned());
    }

    /// Forgets the annotations of a group with this name. Returns their identifiers, which may be
    /// used again.
    pub(super) fn remove(&mut self, group: &str, name: &str) -> Vec<String> {
        let key = (group.to_owned(), name.to_owned());
        let ids = self.of_names.remove(&key).unwrap_or_default();
        if !ids.is_empty() {
            self.numbers.remove(&(key.0, base(name)));
        }
        ids
    }

    /// Returns an identifier for a new annotation of a group. It resembles the name, and is none of
    /// those in use.
    pub(super) fn create(&mut self, group: &str, name: &str, used: &Map<String, Json>) -> String {
        let mut id = base(name);
        if used.contains_key(&id) {
            let next = self.numbers.entry((group.to_owned(), id.clone()));
            let next = next.or_insert(2);
            let base = id;
            loop {
                id = format!("{base}-{next}");
                *next += 1;
                if !used.contains_key(&id) {
                    break;
                }
            }
        }
        self.add(group, name, &id);
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
