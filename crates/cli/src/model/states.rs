//! [`StateFacts`]: what a file says about the states of a model.

use super::annotations::Valuations;
use super::observations::Observations;
use super::players::Players;
use prism_explicit::Labels;

/// What a file says about the states of a model, apart from their rewards.
#[derive(Default)]
pub(crate) struct StateFacts {
    /// The values of the variables in each state, if they are wanted and known.
    pub(crate) valuations: Option<Valuations>,
    /// The labels, if they are wanted and known.
    pub(crate) labels: Option<Labels>,
    /// The states that the model itself calls initial, other than by a label, in ascending order.
    pub(crate) initial: Vec<u32>,
    /// The observations of the states, if the model is partially observable.
    pub(crate) observations: Option<Observations>,
    /// The players of the states, if the model is a game.
    pub(crate) players: Option<Players>,
    /// For each state of a Markov automaton, whether time passes in it, so that its values are
    /// rates.
    pub(crate) markovian: Option<Vec<bool>>,
}

impl StateFacts {
    /// Returns the initial states that the model names, by a label or in another way.
    pub(crate) fn named_initial(&self) -> Option<&[u32]> {
        let label = self.labels.as_ref().and_then(|labels| labels.get("init"));
        // A label without states counts as missing.
        let label = label.filter(|states| !states.is_empty());
        label.or((!self.initial.is_empty()).then_some(&self.initial[..]))
    }
}
