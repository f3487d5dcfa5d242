//! [`Preview`]: the size of a model, and the targets of some states, before the archive is checked.

use crate::archive::Archive;
use crate::error::Error;
use crate::index::TransitionSystem;
use crate::read::{BRANCHES, CHOICES, TARGETS};

/// A model in an archive of which only the index was read. The rows of states are not checked and
/// may be wrong; they are meant for planning, before the archive is read.
#[derive(Debug, Clone)]
pub struct Preview<'a> {
    num_states: u64,
    num_branches: u64,
    choices: Option<&'a [u8]>,
    branches: Option<&'a [u8]>,
    targets: &'a [u8],
}

impl<'a> Preview<'a> {
    /// Reads the index of an archive that is not compressed.
    ///
    /// # Errors
    /// If the archive is damaged, or has no index, or the index is invalid.
    pub fn read(archive: &'a [u8]) -> Result<Self, Error> {
        let archive = Archive::read(archive)?;
        let transition_system = TransitionSystem::read(&archive)?;
        Ok(Self {
            num_states: transition_system.num_states,
            num_branches: transition_system.num_branches,
            choices: archive.get(CHOICES),
            branches: archive.get(BRANCHES),
            targets: archive.get(TARGETS).unwrap_or_default(),
        })
    }

    /// Returns the number of states in the index.
    #[must_use]
    pub fn num_states(&self) -> u64 {
        self.num_states
    }

    /// Returns the number of branches in the index.
    #[must_use]
    pub fn num_branches(&self) -> u64 {
        self.num_branches
    }

    /// Returns the targets of the branches of a state, as far as the archive contains them.
    pub fn targets_of(&self, state: u64) -> impl Iterator<Item = u64> {
        let first = |at| place(self.choices, at).and_then(|choice| place(self.branches, choice));
        let (begin, end) = (first(state), first(state.saturating_add(1)));
        let branches = begin.unwrap_or(0)..end.unwrap_or(0);
        branches.map_while(|branch| word(self.targets, branch))
    }
}

/// Returns the beginning of row `at`, in offsets that are the identity if the archive has none.
fn place(offsets: Option<&[u8]>, at: u64) -> Option<u64> {
    offsets.map_or(Some(at), |bytes| word(bytes, at))
}

/// Returns the 64-bit number with this index.
fn word(bytes: &[u8], at: u64) -> Option<u64> {
    let begin = usize::try_from(at).ok()?.checked_mul(8)?;
    let word = bytes.get(begin..)?.first_chunk()?;
    Some(u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_where_the_archive_does() {
        let words = |all: &[u64]| -> Vec<u8> { all.iter().flat_map(|n| n.to_le_bytes()).collect() };
        let (choices, branches) = (words(&[0, 1, 3, u64::MAX]), words(&[0, 2, 3, 9]));
        let targets = words(&[1, 0, 2, 5]);
        let preview = Preview {
            num_states: 3,
            num_branches: 4,
            choices: Some(&choices),
            branches: Some(&branches),
            targets: &targets[..30],
        };
        let row = |state| preview.targets_of(state).collect::<Vec<_>>();
        assert_eq!((row(0), row(1)), (vec![1, 0], vec![2]));
        // Its end is nowhere; nor are there such states.
        assert_eq!((row(2), row(3), row(u64::MAX)), (vec![], vec![], vec![]));
        let identity = Preview {
            choices: None,
            branches: None,
            ..preview.clone()
        };
        let row = |state| identity.targets_of(state).collect::<Vec<_>>();
        assert_eq!((row(2), row(3)), (vec![2], vec![]));
    }
}
