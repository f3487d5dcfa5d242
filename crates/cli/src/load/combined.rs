//! PRISM's combined files: transitions, values of variables, labels and rewards in one file.

use super::explicit;
use super::request::Request;
use super::reward_files;
use crate::error::Error;
use crate::input::Input;
use crate::model::Model;
use crate::model::annotations::Valuations;
use crate::model::rewards::Rewards;
use prism_explicit::{RewardSections, read_labels, read_observations, read_states, sections};
use std::ops::Range;

/// Reads `input` as a model, and builds its graph.
pub(super) fn load(input: &Input, request: Request<'_>) -> Result<Model, Error> {
    let sections = sections(input).map_err(|error| Error::explicit(input, &error))?;
    let mut model = explicit::load(input, &input[sections.transitions], request)?;
    let wanted = request.wanted;
    let num_states = model.graph.num_states();
    let bound = Some(num_states as u32);
    let reads_values = wanted.valuations.reads_model_file() && wanted.sizes.include(num_states);
    if let Some(section) = sections.states.filter(|_| reads_values) {
        let read = read_states(&input[section.clone()], bound, &reward_files::options());
        let states = read.map_err(|error| wrong(input, section, error))?;
        model.states.valuations = Some(Valuations::Table(states));
    }
    if let Some(section) = sections.labels.filter(|_| wanted.labels.reads_model_file()) {
        let read = read_labels(&input[section.clone()], bound, &reward_files::options());
        model.states.labels = Some(read.map_err(|error| wrong(input, section, error))?);
    }
    if wanted.rewards.are_wanted() {
        let structures = sections.rewards.into_iter();
        let read = structures.map(|sections| rewards(input, &model, sections));
        model.rewards = read.collect::<Result<_, _>>()?;
    }
    if let (Some(section), Some(seen)) = (sections.observations, &mut model.states.observations) {
        let count = u32::try_from(seen.count).ok();
        let read = read_observations(&input[section.clone()], count, &reward_files::options());
        seen.values = Some(read.map_err(|error| wrong(input, section, error))?);
    }
    Ok(model)
}

fn rewards(input: &Input, model: &Model, sections: RewardSections) -> Result<Rewards, Error> {
    let mut rewards = Rewards::default();
    if let Some(section) = sections.states {
        let text = &input[section.clone()];
        reward_files::read_states(&mut rewards, model.graph.num_states(), text, |error| {
            wrong(input, section, error)
        })?;
    }
    if let Some(section) = sections.transitions {
        let text = &input[section.clone()];
        reward_files::read_transitions(&mut rewards, model, text, |error| {
            wrong(input, section, error)
        })?;
    }
    Ok(rewards)
}

/// Returns the error in a section.
fn wrong(input: &Input, section: Range<usize>, error: prism_explicit::Error) -> Error {
    Error::explicit(input, &error.within(input, section.start))
}
