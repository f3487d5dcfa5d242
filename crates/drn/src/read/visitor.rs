//! [`Visitor`]: receives the states and choices while a file is read.

use crate::parts::{Choice, State};

/// Receives the states and choices of a file, or of a chunk of it, in order.
pub trait Visitor: Send {
    /// Receives a state. Its choices follow.
    fn state(&mut self, state: State<'_>);

    /// Receives a choice of the last state.
    fn choice(&mut self, choice: Choice<'_>);
}
