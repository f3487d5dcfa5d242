//! [`Model`]: a generated model.

/// A branch of a choice: the target state and its probability.
pub(crate) type Branch = (u32, f64);

/// A model that lists the choices of a state whenever it is asked, and always the same choices.
pub(crate) trait Model: Sync {
    /// Returns the number of states.
    fn num_states(&self) -> u32;

    /// Passes every choice of `state`, in order, to `choice`: the name of its action, if it has
    /// one, and its branches, whose targets are distinct.
    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch]));
}
