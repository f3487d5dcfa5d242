//! [`System`]: the interface of systems that can be explored.

use crate::Choices;

/// The action of a choice that has none, such as the self-loop added to a deadlock.
pub const NO_ACTION: u32 = 0;

/// A system with packed states, whose transitions can be computed.
///
/// A state is packed into [`words`](Self::words) words of 64 bits. Two states are equal if and only
/// if all of their words are equal, so unused bits must always have the same value.
pub trait System: Sync {
    /// The working memory of a thread that computes successors.
    type Scratch: Send;
    /// The error when successors cannot be computed.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Returns the number of words of a packed state, at least 1.
    fn words(&self) -> usize;

    /// Makes the working memory of one thread.
    fn scratch(&self) -> Self::Scratch;

    /// Returns the memory of a scratch in bytes, if it is not negligible.
    fn scratch_bytes(&self, scratch: &Self::Scratch) -> usize {
        let _ = scratch;
        0
    }

    /// Adds the initial states to `initial`, in order. Repeated ones are ignored.
    ///
    /// # Errors
    /// An error of the system.
    fn initial_states(
        &self,
        scratch: &mut Self::Scratch,
        initial: &mut InitialStates<'_, '_>,
    ) -> Result<(), Self::Error>;

    /// Adds the choices of `state` to `choices`, in order; none for a deadlock.
    ///
    /// # Errors
    /// An error of the system. If several states have errors, that of the state with the smallest
    /// number is returned.
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
    /// Adds initial states as the branches of the open choice.
    pub(crate) fn new(choices: &'c mut Choices<'a>) -> Self {
        Self(choices)
    }

    /// Adds a packed state.
    pub fn add(&mut self, state: &[u64]) {
        self.0.branch(state, 1.0);
    }

    /// Returns whether no more initial states are needed, as [`Choices::is_over`]. A system that
    /// looks for them among many states should call this method every few hundred states.
    pub fn is_over(&mut self) -> bool {
        self.0.is_over()
    }
}
