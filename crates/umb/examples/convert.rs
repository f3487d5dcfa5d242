//! Converts a transitions file of PRISM or Storm, with the labels beside it, to an archive.
//!
//! ```text
//! cargo run --release -p umb --example convert -- model.tra model.umb
//! ```

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use prism_explicit::{Labels, Transitions, read_labels, read_transitions};
use umb::{Bits, Compression, Entity, Indices, Model, ModelType, UmbWriter, Values};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A model in arrays, with the actions of its choices.
#[derive(Default)]
struct Arrays {
    choice_offsets: Vec<u32>,
    branch_offsets: Vec<u32>,
    targets: Vec<u32>,
    probabilities: Vec<f64>,
    /// The sum of each state's rates, in a CTMC.
    exit_rates: Vec<f64>,
    actions: Vec<String>,
    action_of: Vec<u32>,
}

impl Arrays {
    fn new(model: &Transitions, model_type: ModelType) -> Self {
        let mut arrays = Self {
            choice_offsets: vec![0],
            branch_offsets: vec![0],
            actions: vec![String::new()],
            ..Self::default()
        };
        for state in 0..model.num_states() {
            for choice in model.choices_of(state) {
                let sum: f64 = match model_type {
                    ModelType::Ctmc => choice.values().iter().sum(),
                    _ => 1.0,
                };
                arrays.targets.extend(choice.targets());
                let probabilities = choice.values().iter().map(|value| value / sum);
                arrays.probabilities.extend(probabilities);
                arrays.branch_offsets.push(arrays.targets.len() as u32);
                let action = arrays.action(choice.action().unwrap_or_default());
                arrays.action_of.push(action);
                arrays.exit_rates.resize(state as usize, 0.0);
                arrays.exit_rates.push(sum);
            }
            arrays.choice_offsets.push(arrays.action_of.len() as u32);
        }
        arrays.exit_rates.resize(model.num_states() as usize, 0.0);
        arrays
    }

    fn action(&mut self, name: &str) -> u32 {
        let known = self.actions.iter().position(|action| action == name);
        known.unwrap_or_else(|| {
            self.actions.push(name.to_owned());
            self.actions.len() - 1
        }) as u32
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).map(PathBuf::from).collect();
    let [from, to] = &arguments[..] else {
        return Err("usage: convert MODEL.tra MODEL.umb".into());
    };
    let model = read_transitions(&read(from)?, &Default::default())?;
    let labels = read_labels_beside(from, model.num_states())?;
    let model_type = match model.info().model_type {
        prism_explicit::ModelType::Dtmc => ModelType::Dtmc,
        prism_explicit::ModelType::Ctmc => ModelType::Ctmc,
        prism_explicit::ModelType::Mdp => ModelType::Mdp,
        prism_explicit::ModelType::Lts => ModelType::Lts,
    };
    let arrays = Arrays::new(&model, model_type);
    let initial = match &labels {
        Some(labels) => labels
            .initial_states()
            .iter()
            .copied()
            .map(u64::from)
            .collect(),
        None => vec![0],
    };
    let mut writer = UmbWriter::new(&Model {
        initial_states: &initial,
        choice_offsets: Indices::U32(&arrays.choice_offsets),
        branch_offsets: Indices::U32(&arrays.branch_offsets),
        targets: Indices::U32(&arrays.targets),
        probabilities: Some(&arrays.probabilities),
        exit_rates: (model_type == ModelType::Ctmc).then_some(&arrays.exit_rates),
        ..Model::new(model_type)
    })?;
    if arrays.actions.len() > 1 {
        writer.choice_actions(&arrays.actions, &arrays.action_of)?;
    }
    for (name, states) in labels.iter().flat_map(Labels::iter) {
        if name != "init" {
            let states: Vec<_> = states.iter().copied().map(u64::from).collect();
            let bits = Bits::from_members(u64::from(model.num_states()), &states);
            writer.annotate("aps", name, Entity::States, Values::Bools(bits))?;
        }
    }
    writer.write(BufWriter::new(File::create(to)?), Compression::Gzip)?;
    Ok(())
}

/// The bytes of a file, inflated.
fn read(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    Ok(prism_explicit::decompress(&bytes, &Default::default())?.into_owned())
}

/// The labels in `X.lab` or `X.lab.gz` beside `X.tra` or `X.tra.gz`.
fn read_labels_beside(model: &Path, states: u32) -> Result<Option<Labels>, Box<dyn Error>> {
    let model = model.to_string_lossy();
    let stem = model.trim_end_matches(".gz").trim_end_matches(".tra");
    let names = [format!("{stem}.lab"), format!("{stem}.lab.gz")];
    match names.iter().map(Path::new).find(|path| path.exists()) {
        Some(path) => {
            let labels = read_labels(&read(path)?, Some(states), &Default::default())?;
            Ok(Some(labels))
        }
        None => Ok(None),
    }
}
