//! [`Visitor`]: receives the choices of a transitions file.

use super::choice::Choice;

/// Receives the choices of a model.
///
/// A file is read in chunks. Each chunk has a separate visitor, which receives its choices in the
/// order of the file. The results of a visitor must not be used unless the whole file was read
/// without an error, because another chunk may be wrong.
pub trait Visitor: Send {
    /// Called once for each choice.
    fn choice(&mut self, choice: Choice<'_>);

    /// Called before a choice of which some branches were dropped because their value is 0, with
    /// its state, its index and the targets of these branches. It is also called if no branch is
    /// left, which is possible in a CTMC.
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

/// A visitor that ignores the choices, for checking a file.
impl Visitor for () {
    #[inline(always)]
    fn choice(&mut self, _: Choice<'_>) {}
}
