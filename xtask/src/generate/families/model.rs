//! [`Model`]: what every family makes.

/// A branch of a choice: the target state and its probability.
pub(crate) type Branch = (u32, f64);

/// A model that lists the choices of a state as often as it is asked, always the same.
pub(crate) trait Model: Sync {
    /// The number of states.
    fn num_states(&self) -> u32;

    /// Hands every choice of `state`, in order, to `choice`: the action's name if it has one, and
    /// the branches, whose targets are distinct.
    fn choices(&self, state: u32, choice: &mut dyn FnMut(Option<&str>, &[Branch]));
}
