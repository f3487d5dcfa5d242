//! Names that are in use, and similar names that are free.

use std::collections::{HashMap, HashSet};

/// Names that are taken.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    names: HashSet<String>,
    /// For names that were taken already, the number that the next one gets.
    next: HashMap<String, usize>,
}

impl Taken {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Takes the name, or one like it if that is taken.
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
