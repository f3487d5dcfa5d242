//! [`Model`]: a whole file in memory.

use crate::error::Error;
use crate::options::ReadOptions;
use crate::parts::{Choice, Header, State};
use crate::read::{Visitor, visit};
use crate::write::DrnWriter;
use model_type::Reward;
use std::io::{self, Write};

/// A model in memory: states with their choices. Large models are better [visited](visit).
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The header, which comes before the states.
    pub header: Header,
    /// The states, by number.
    pub states: Vec<ModelState>,
}

/// A state of a [`Model`]; see [`State`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelState {
    /// The exit rate, in a CTMC or a Markov automaton.
    pub exit_rate: Option<f64>,
    /// The observation, in a POMDP.
    pub observation: Option<u32>,
    /// The rewards of the state, one for each reward model in the same order, or empty.
    pub rewards: Vec<Reward>,
    /// The labels.
    pub labels: Vec<String>,
    /// The values of variables, as text.
    pub valuation: Option<String>,
    /// The choices.
    pub choices: Vec<ModelChoice>,
}

/// A choice of a [`ModelState`]; see [`Choice`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelChoice {
    /// The name of the action.
    pub action: Option<String>,
    /// The rewards of the choice, one for each reward model in the same order, or empty.
    pub rewards: Vec<Reward>,
    /// The targets.
    pub targets: Vec<u32>,
    /// The probability of each target or, in a CTMC, the rate. If values are intervals, the upper
    /// bound.
    pub values: Vec<f64>,
    /// The lower bounds, if values are intervals; otherwise empty.
    pub lower: Vec<f64>,
}

/// Reads a file into memory, in parallel on the current rayon thread pool.
///
/// # Errors
///
/// As [`visit`].
pub fn read(input: &[u8], options: &ReadOptions<'_>) -> Result<Model, Error> {
    let visited = visit(input, options, |_, _| Part::default())?;
    Ok(Model {
        header: visited.header,
        states: visited.chunks.into_iter().flat_map(|part| part.0).collect(),
    })
}

/// The states of one chunk.
#[derive(Default)]
struct Part(Vec<ModelState>);

impl Visitor for Part {
    fn state(&mut self, state: State<'_>) {
        self.0.push(ModelState {
            exit_rate: state.exit_rate,
            observation: state.observation,
            rewards: state.rewards.to_vec(),
            labels: state.labels.iter().copied().map(str::to_owned).collect(),
            valuation: state.valuation.map(str::to_owned),
            choices: Vec::new(),
        });
    }

    fn choice(&mut self, choice: Choice<'_>) {
        if let Some(state) = self.0.last_mut() {
            state.choices.push(ModelChoice {
                action: choice.action.map(str::to_owned),
                rewards: choice.rewards.to_vec(),
                targets: choice.targets.to_vec(),
                values: choice.values.to_vec(),
                lower: choice.lower.to_vec(),
            });
        }
    }
}

impl Model {
    /// Writes the model.
    ///
    /// # Errors
    ///
    /// As [`DrnWriter`].
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut writer = DrnWriter::new(out, &self.header)?;
        for (number, state) in (0..).zip(&self.states) {
            state.write(number, &mut writer)?;
        }
        writer.finish().map(drop)
    }
}

impl ModelState {
    /// Writes the state, which has this number, and its choices.
    ///
    /// # Errors
    ///
    /// As [`DrnWriter`].
    pub fn write<W: Write>(&self, number: u32, writer: &mut DrnWriter<W>) -> io::Result<()> {
        let labels: Vec<&str> = self.labels.iter().map(String::as_str).collect();
        writer.state(&State {
            number,
            exit_rate: self.exit_rate,
            observation: self.observation,
            rewards: &self.rewards,
            labels: &labels,
            valuation: self.valuation.as_deref(),
        })?;
        for (index, choice) in (0..).zip(&self.choices) {
            writer.choice(&Choice {
                state: number,
                index,
                action: choice.action.as_deref(),
                rewards: &choice.rewards,
                targets: &choice.targets,
                values: &choice.values,
                lower: &choice.lower,
            })?;
        }
        Ok(())
    }
}
