//! [`ComponentLabels`]: the components of a worker's states.

use crate::part::Part;

/// For each state of a worker, the smallest state of its component, as a number in the whole model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentLabels(Vec<u64>);

/// The label of states in no component.
const NONE: u64 = u64::MAX;

impl ComponentLabels {
    /// Labels for which no state is in a component.
    pub(crate) fn none(part: &Part) -> Self {
        Self(vec![NONE; part.num_own()])
    }

    pub(crate) fn set(&mut self, own: u32, label: u64) {
        self.0[own as usize] = label;
    }

    /// Returns the label of an own state, if it is in a component.
    #[must_use]
    pub fn get(&self, own: u32) -> Option<u64> {
        Some(self.0[own as usize]).filter(|&label| label != NONE)
    }

    /// Returns the label of each own state, if it is in a component.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<u64>> {
        self.0
            .iter()
            .map(|&label| Some(label).filter(|&label| label != NONE))
    }
}

/// Makes labels from an answer that was computed elsewhere.
impl FromIterator<Option<u64>> for ComponentLabels {
    fn from_iter<I: IntoIterator<Item = Option<u64>>>(labels: I) -> Self {
        let label = |label: Option<u64>| label.unwrap_or(NONE);
        Self(labels.into_iter().map(label).collect())
    }
}
