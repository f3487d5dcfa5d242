//! [`Visitor`]: receives the states and choices while a file is read.

use crate::parts::{Choice, State};

/// Is told of the states and choices of a file, or of a chunk of it, in their order.
pub trait Visitor: Send {
    /// Takes a state. Its choices follow.
    fn state(&mut self, state: State<'_>);

    /// Takes a choice of the last state.
    fn choice(&mut self, choice: Choice<'_>);
}
