//! Converts a transitions file of PRISM or Storm, with the files of labels and values of variables
//! next to it, to an archive.
//!
//! ```text
//! cargo run --release -p umb --example from_explicit -- model.tra model.umb
//! ```

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::exit;

use prism_explicit::{Column, Labels, Transitions, read_labels, read_states, read_transitions};
use umb::{Bits, Compression, Domain, Entity, Indices, Model, ModelType, UmbWriter, Values};

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        exit(1);
    }
}

/// A model as arrays, with the actions of its choices.
#[derive(Default)]
struct Arrays {
    choice_offsets: Vec<u32>,
    branch_offsets: Vec<u32>,
    targets: Vec<u32>,
    probabilities: Vec<f64>,
    /// The exit rate of each state, which is the sum of its rates, in a CTMC.
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
        return Err("usage: from_explicit MODEL.tra MODEL.umb".into());
    };
    let model = read_transitions(&read(from)?, &Default::default())?;
    let labels = match beside(from, "lab") {
        Some(path) => Some(read_labels(
            &read(&path)?,
            Some(model.num_states()),
            &Default::default(),
        )?),
        None => None,
    };
    let states = match beside(from, "sta") {
        Some(path) => Some(read_states(
            &read(&path)?,
            Some(model.num_states()),
            &Default::default(),
        )?),
        None => None,
    };
    let model_type = model.info().model_type;
    let arrays = Arrays::new(&model, model_type);
    let initial = match &labels {
        Some(labels) => labels.initial_states().iter().map(|&s| s.into()).collect(),
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
    if let Some(states) = &states {
        let domains = states.columns().iter().map(domain);
        let variables: Vec<_> = states.variables().iter().zip(domains).collect();
        writer.state_valuations(&variables, false, |state, i| {
            value(&states.columns()[i], state as usize)
        })?;
    }
    writer.write(BufWriter::new(File::create(to)?), Compression::Gzip)?;
    Ok(())
}

/// Reads a file, and decompresses it if necessary.
fn read(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    Ok(decompress::inflate(&bytes, &Default::default())?.into_owned())
}

/// The file `X.extension` or `X.extension.gz` next to `X.tra` or `X.tra.gz`.
fn beside(model: &Path, extension: &str) -> Option<PathBuf> {
    let model = model.to_string_lossy();
    let stem = model.trim_end_matches(".gz").trim_end_matches(".tra");
    let names = [
        format!("{stem}.{extension}"),
        format!("{stem}.{extension}.gz"),
    ];
    names
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.exists())
}

/// The domain of a variable, computed from its values.
fn domain(column: &Column) -> Domain {
    let values: Box<dyn Iterator<Item = i64>> = match column {
        Column::Int(values) => Box::new(values.iter().copied().map(i64::from)),
        Column::Wide(values) => Box::new(values.iter().copied()),
        _ => return Domain::Bool,
    };
    let (lower, upper) = values.fold((0, 0), |(lower, upper), value| {
        (lower.min(value), upper.max(value))
    });
    Domain::Int { lower, upper }
}

/// The value of a variable in a state; truth values are 0 or 1.
fn value(column: &Column, state: usize) -> i64 {
    match column {
        Column::Int(values) => values[state].into(),
        Column::Wide(values) => values[state],
        Column::Bool(values) => values[state].into(),
        _ => 0,
    }
}
