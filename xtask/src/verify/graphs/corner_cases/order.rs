//! Changes the order of the states of a model.

use verify::small::Model;

use crate::rng::Rng;

/// Returns the same model with its states in a random order.
pub(super) fn shuffled(rng: &mut Rng, model: Model) -> Model {
    let order = rng.order(model.len() as u32);
    let mut shuffled = vec![Vec::new(); model.len()];
    for (state, choices) in model.into_iter().enumerate() {
        let choices = choices.into_iter().map(|targets: Vec<u32>| {
            let targets = targets.into_iter().map(|target| order[target as usize]);
            targets.collect()
        });
        shuffled[order[state] as usize] = choices.collect();
    }
    shuffled
}
