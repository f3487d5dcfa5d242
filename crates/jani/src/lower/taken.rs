//! Names that are in use, and similar names that are free.

use std::collections::{HashMap, HashSet};

/// Names that are in use.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    names: HashSet<String>,
    /// For each name that was requested again, the number of the next variant.
    next: HashMap<String, usize>,
}

impl Taken {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Reserves the name, or a variant of it if the name is in use.
    pub(crate) fn free(&mut self, name: String) -> String {
        if self.names.insert(name.clone()) {
            return name;
        }
        let next = self.next.entry(name.clone()).or_insert(2);
        loop {
            let numbered = format!("{name}_{next}");
            *next += 1;
            if self.names.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}
