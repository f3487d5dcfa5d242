//! Changes the order of the states of a model.

use verify::small::Model;

use crate::soak::draw::Draw;

/// Returns the same model with its states in a random order.
pub(super) fn shuffled(draw: &mut Draw, model: Model) -> Model {
    let order = draw.order(model.len() as u32);
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
