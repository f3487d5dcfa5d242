//! Probabilities that do not sum to 1, which are read and written if `--allow-any-sum` is given.

use crate::model::Model;
use prism_explicit::SUM_TOLERANCE;
use report::counted;

/// Returns the number of choices whose probabilities do not sum to 1.
pub(crate) fn choices_without(model: &Model) -> u64 {
    let Some(details) = &model.choices.details else {
        return 0;
    };
    if !model.model_type.has_distributions() {
        return 0;
    }
    let choices = model.graph.branch_offsets().windows(2);
    let values = choices.map(|ends| &details.values[ends[0] as usize..ends[1] as usize]);
    values.filter(|values| !is_distribution(values)).count() as u64
}

/// Returns whether readers accept these probabilities.
pub(crate) fn is_distribution(values: &[f64]) -> bool {
    (values.iter().sum::<f64>() - 1.0).abs() <= SUM_TOLERANCE
}

/// Warns that reading the written model needs the same option.
pub(crate) fn warn(choices: u64) {
    if choices > 0 {
        let count = counted(choices, "choice", "choices");
        tracing::warn!(
            "the probabilities of {count} do not sum to 1: the result can be read with --allow-any-sum only"
        );
    }
}
