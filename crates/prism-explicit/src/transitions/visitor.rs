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
}

impl<V: Visitor> Visitor for &mut V {
    #[inline(always)]
    fn choice(&mut self, choice: Choice<'_>) {
        (**self).choice(choice);
    }
}

/// Only checks the file.
impl Visitor for () {
    #[inline(always)]
    fn choice(&mut self, _: Choice<'_>) {}
}
