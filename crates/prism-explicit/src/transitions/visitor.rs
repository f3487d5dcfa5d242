//! [`Visitor`]: what receives the choices of a transitions file.

use super::choice::Choice;

/// Receives the choices of a model.
///
/// A file is read in chunks, each with a visitor of its own, which gets the chunk's choices in the
/// order of the file. What a visitor gathers must not be used before reading has ended well:
/// another chunk may be faulty.
pub trait Visitor: Send {
    /// Called once for each choice.
    fn choice(&mut self, choice: Choice<'_>);

    /// Called before a choice some of whose branches were dropped because their value is 0, with
    /// its state, its index and the targets of these branches; also if no branch of it is left, as
    /// may be in a CTMC.
    fn dropped(&mut self, _state: u32, _index: u32, _targets: &[u32]) {}
}

impl<V: Visitor> Visitor for &mut V {
    #[inline(always)]
    fn choice(&mut self, choice: Choice<'_>) {
        (**self).choice(choice);
    }

    fn dropped(&mut self, state: u32, index: u32, targets: &[u32]) {
        (**self).dropped(state, index, targets);
    }
}

/// Only checks the file.
impl Visitor for () {
    #[inline(always)]
    fn choice(&mut self, _: Choice<'_>) {}
}
