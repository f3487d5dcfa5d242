//! The labels that a file beside explicit transitions gets.

use crate::error::Error;
use crate::output::{self, Outputs};
use prism_explicit::{Dialect, Labels};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The label that holds the initial states.
const INITIAL: &str = "init";

/// Adds the initial states as a label, unless there are none, or the labels include them already.
pub(crate) fn with_initial_states(labels: Option<Labels>, initial: &[u32]) -> Option<Labels> {
    let says_so = |labels: &Labels| labels.get(INITIAL).is_some();
    if initial.is_empty() || labels.as_ref().is_some_and(says_so) {
        return labels;
    }
    let mut states = initial.to_vec();
    states.sort_unstable();
    states.dedup();
    let all = labels.iter().flat_map(Labels::iter);
    let all = all.map(|(name, states)| (name.to_owned(), states.to_vec()));
    let initial = (INITIAL.to_owned(), states);
    Some(Labels::new(Dialect::Storm, all.chain([initial])))
}

/// Writes Y.lab beside OUT Y.tra, and returns its name, if there are labels. Leaves out labels
/// whose names are not allowed in the format, with a warning.
pub(crate) fn write(
    labels: &Labels,
    dialect: Dialect,
    outputs: &mut Outputs,
    out: &Path,
) -> Result<Option<PathBuf>, Error> {
    let fits = |name: &str| Labels::can_hold(name, dialect);
    for name in labels.names().iter().filter(|name| !fits(name)) {
        let dialect = match dialect {
            Dialect::Prism => "PRISM",
            Dialect::Storm => "Storm",
        };
        tracing::warn!("left out: the label {name:?}, which {dialect}'s dialect cannot hold");
    }
    let mut taken = HashSet::new();
    let mut is_first = |name: &str| {
        let is_first = taken.insert(name.to_owned());
        if !is_first {
            tracing::warn!("left out: a second label {name:?}");
        }
        is_first
    };
    let kept = labels.iter();
    let kept = kept.filter(|&(name, _)| fits(name) && is_first(name));
    let kept = kept.map(|(name, states)| (name.to_owned(), states.to_vec()));
    let kept = Labels::new(dialect, kept);
    if kept.names().is_empty() {
        return Ok(None);
    }
    let path = output::beside(out, "lab");
    outputs.write(&path, |out| kept.write(out, dialect))?;
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::{with_initial_states, write};
    use crate::output::Outputs;
    use prism_explicit::{Dialect, Labels};

    #[test]
    fn initial_states_become_a_label_unless_there_is_one() {
        let labels = |all: &[(&str, &[u32])]| {
            let owned = all
                .iter()
                .map(|(name, states)| ((*name).to_owned(), states.to_vec()));
            Some(Labels::new(Dialect::Storm, owned))
        };
        let init = labels(&[("init", &[1, 4])]);
        assert_eq!(with_initial_states(None, &[]), None);
        assert_eq!(with_initial_states(None, &[4, 1, 4]), init);
        assert_eq!(with_initial_states(init.clone(), &[2]), init);
        assert_eq!(
            with_initial_states(labels(&[("done", &[3])]), &[1]),
            labels(&[("done", &[3]), ("init", &[1])])
        );
    }

    #[test]
    fn the_first_of_labels_with_the_same_name_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = [("a", vec![0]), ("b", vec![1]), ("a", vec![2])];
        let all = all.map(|(name, states)| (name.to_owned(), states));
        let labels = Labels::new(Dialect::Prism, all);
        let mut outputs = Outputs::default();
        let out = folder.path().join("m.tra");
        let path = write(&labels, Dialect::Prism, &mut outputs, &out).expect("it can be written");
        outputs.finish().expect("it gets its name");
        let path = path.expect("there are labels");
        let text = std::fs::read_to_string(path).expect("it was written");
        assert_eq!(text, "# Labels\n0=\"a\" 1=\"b\"\n0: 0\n1: 1\n");
    }
}
