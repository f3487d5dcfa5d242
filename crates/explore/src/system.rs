//! What the explorer asks of a system.

use crate::Choices;

/// The action of a choice that has none, such as the self-loop added to a deadlock.
pub const NO_ACTION: u32 = 0;

/// A system with packed states, whose transitions can be computed.
///
/// A state is packed into [`words`](Self::words) words of 64 bits. Two states are the same if and
/// only if all of their words are, so bits that mean nothing must always be the same.
pub trait System: Sync {
    /// What a thread needs at hand to compute successors.
    type Scratch: Send;
    /// Why successors cannot be computed.
    type Error: std::error::Error + Send;

    /// The number of words of a packed state, at least 1.
    fn words(&self) -> usize;

    /// Room for one thread to work in.
    fn scratch(&self) -> Self::Scratch;

    /// The memory that a scratch holds, in bytes, if it is worth counting.
    fn scratch_bytes(&self, scratch: &Self::Scratch) -> usize {
        let _ = scratch;
        0
    }

    /// Adds the initial states to `initial`, in order; a repeated one is ignored.
    ///
    /// # Errors
    /// The system's own.
    fn initial_states(
        &self,
        scratch: &mut Self::Scratch,
        initial: &mut InitialStates<'_, '_>,
    ) -> Result<(), Self::Error>;

    /// Adds the choices of `state` to `choices`, in order; none for a deadlock.
    ///
    /// # Errors
    /// The system's own. If several states have one, that of the state with the smallest number is
    /// returned.
    fn successors(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u64],
        choices: &mut Choices<'_>,
    ) -> Result<(), Self::Error>;
}

/// Receives the initial states of a system.
#[derive(Debug)]
pub struct InitialStates<'c, 'a>(&'c mut Choices<'a>);

impl<'c, 'a> InitialStates<'c, 'a> {
    /// Makes them the branches of the open choice.
    pub(crate) fn new(choices: &'c mut Choices<'a>) -> Self {
        Self(choices)
    }

    /// Adds a packed state.
    pub fn add(&mut self, state: &[u64]) {
        self.0.branch(state, 1.0);
    }

    /// Whether no more are needed, as [`Choices::is_over`]. Whoever looks for them among many
    /// states should ask every few hundred.
    pub fn is_over(&mut self) -> bool {
        self.0.is_over()
    }
}
