//! The labels of a converted model, and the file to which they are written.

use crate::annotations;
use crate::args::ConvertArgs;
use crate::error::Error;
use crate::input::{self, STANDARD_INPUT};
use crate::output;
use prism_explicit::{Dialect, Labels, TransitionsInfo};
use std::path::{Path, PathBuf};

/// The label that holds the initial states in Storm's dialect.
const INITIAL: &str = "init";

/// The labels of the model, and the file that they go to: Y.lab beside Y.tra, Y.lab.gz beside
/// Y.tra.gz. None where there are none, and where the model goes to standard output.
pub(super) fn of(
    args: &ConvertArgs,
    info: &TransitionsInfo,
    dialect: Dialect,
) -> Result<Option<(PathBuf, Labels)>, Error> {
    if args.out == Path::new(STANDARD_INPUT) {
        return Ok(None);
    }
    let from = args.labels.clone();
    let from = from.or_else(|| input::beside(&args.model.model, "lab"));
    let to = output::beside(&args.out, "lab");
    let labels = match &from {
        Some(from) => Some(annotations::labels(from, info.num_states)?),
        None => None,
    };
    let labels = match dialect {
        Dialect::Storm => with_initial_states(labels, &info.initial_states),
        Dialect::Prism => labels,
    };
    Ok(labels.map(|labels| (to, labels)))
}

/// Adds the initial states that the transitions file names, unless the labels do so themselves:
/// Storm's transitions cannot name them.
fn with_initial_states(labels: Option<Labels>, initial: &[u32]) -> Option<Labels> {
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

#[cfg(test)]
mod tests {
    use super::with_initial_states;
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
}
