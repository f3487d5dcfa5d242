//! The options for reading a model, which every command with a model has.

use super::bytes::bytes;
use super::number::number;
use clap::{Args, ValueEnum};
use prism_explicit::ModelType;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Which model to read, and how.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// The model: in PRISM's language (.prism, .nm, .pm, .sm) or JANI (.jani), explicit transitions
    /// of PRISM or Storm (.tra, .pexp), Storm's DRN (.drn), Unified Markov Binary (.umb), a
    /// labelled transition system (.aut), a network of these (.exp), or a weighted graph of DIMACS
    /// (.gr), any of them plain or compressed (.gz, .xz, .zst); "-" is standard input
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// The type of a model in a .tra or .pexp file. It overrides what the file suggests; the counts
    /// in the header must fit this type
    #[arg(long, value_name = "TYPE")]
    pub(crate) r#type: Option<Type>,
    /// Accept distributions whose probabilities do not sum to 1 (not in .aut and .exp)
    #[arg(long)]
    pub(crate) allow_any_sum: bool,
    /// Use N threads, at most four for each core [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) builder: BuilderArgs,
}

impl ModelArgs {
    /// Returns the arguments of a command line with only these values.
    pub(crate) fn new(model: &Path, constants: &[(&str, &str)]) -> Self {
        let constant = |&(name, value): &(&str, &str)| Constant {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        Self {
            model: model.to_owned(),
            r#type: None,
            allow_any_sum: false,
            threads: None,
            builder: BuilderArgs {
                given: vec![Constants(constants.iter().map(constant).collect())],
                ..BuilderArgs::default()
            },
        }
    }
}

impl ModelArgs {
    /// Sets the type, as `--type` does.
    ///
    /// # Errors
    /// If there is no such type.
    pub(crate) fn set_type(&mut self, name: &str) -> Result<(), String> {
        let known = || {
            let types = Type::value_variants().iter();
            let values = types.filter_map(Type::to_possible_value);
            let names: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
            names.join(", ")
        };
        let parsed = Type::from_str(name, true);
        let expected = |_| format!("there is no type of models {name:?}, only {}", known());
        self.r#type = Some(parsed.map_err(expected)?);
        Ok(())
    }
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = text.parse::<NonZeroUsize>();
    threads.map_err(|_| "expected a number of threads, at least 1".to_owned())
}

/// The heading of these options in the help. A heading of the structure would apply to all options
/// after it.
const HEADING: &str = "Models in PRISM's language or JANI, and networks";

/// How a model whose states are explored is built.
#[derive(Debug, Default, Args)]
pub(crate) struct BuilderArgs {
    /// Values for the constants that a model in PRISM's language or JANI leaves open, such as
    /// N=7,K=2
    #[arg(
        short = 'c',
        long = "const",
        help_heading = HEADING,
        value_name = "NAME=VALUE",
        value_parser = constants
    )]
    given: Vec<Constants>,
    /// End with an error if there are more than N states
    #[arg(long, help_heading = HEADING, value_name = "N", value_parser = number::<u64>)]
    pub(crate) max_states: Option<u64>,
    /// End with an error before the states, the graph and the tables of an exploration take more
    /// memory than this, such as 900M or 1.5G. The process takes about 30M more, and what follows
    /// the exploration is not counted [default: on the CPU, 90 % of the memory that is available at
    /// the start]
    #[arg(long, help_heading = HEADING, value_name = "BYTES", value_parser = bytes)]
    pub(crate) max_memory: Option<u64>,
}

impl BuilderArgs {
    /// Returns the values of constants, in the order of the command line.
    pub(crate) fn constants(&self) -> impl Iterator<Item = &Constant> {
        self.given.iter().flat_map(|Constants(constants)| constants)
    }
}

/// The values of constants from one option.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Constants(Vec<Constant>);

/// The value of a constant, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// The value that clap reads if the option is written as PRISM's `-const`, because `-c` is an
/// option.
const BEHIND_C: &str = "onst";

fn constants(text: &str) -> Result<Constants, String> {
    let all = split_at_commas(text);
    let of_one = |one: &str| {
        constant(one).map_err(|message| match all.len() {
            1 => message,
            _ if one.trim().is_empty() => format!("{message}, on both sides of a comma"),
            _ => format!("`{one}`: {message}"),
        })
    };
    let constants: Result<Vec<Constant>, String> = all.iter().map(|one| of_one(one)).collect();
    constants.map(Constants)
}

/// Splits a text at commas that are not in brackets: a value may be `max(3,4)`.
fn split_at_commas(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|character| {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    })
    .collect()
}

fn constant(text: &str) -> Result<Constant, String> {
    let (name, value) = text.split_once('=').unwrap_or_default();
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || value.is_empty() {
        return Err(match text {
            BEHIND_C => "write -c or --const, with two dashes".to_owned(),
            _ => "expected a name and a value, such as N=7".to_owned(),
        });
    }
    Ok(Constant {
        name: name.to_owned(),
        value: value.to_owned(),
    })
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Type {
    /// Markov decision process
    Mdp,
    /// Discrete-time Markov chain
    Dtmc,
    /// Continuous-time Markov chain
    Ctmc,
    /// Labelled transition system
    Lts,
    /// Partially observable Markov decision process
    Pomdp,
    /// Interval Markov decision process
    Imdp,
    /// Interval Markov chain
    Idtmc,
}

impl From<Type> for ModelType {
    fn from(value: Type) -> Self {
        match value {
            Type::Mdp => Self::Mdp,
            Type::Dtmc => Self::Dtmc,
            Type::Ctmc => Self::Ctmc,
            Type::Lts => Self::Lts,
            Type::Pomdp => Self::Pomdp,
            Type::Imdp => Self::Imdp,
            Type::Idtmc => Self::Idtmc,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split_at_commas;

    #[test]
    fn commas_in_brackets_are_part_of_a_value() {
        assert_eq!(split_at_commas("N=7,K=2"), ["N=7", "K=2"]);
        assert_eq!(split_at_commas("N=max(3,(4)),K=2"), ["N=max(3,(4))", "K=2"]);
        assert_eq!(split_at_commas("N=),K=(2,"), ["N=)", "K=(2,"]);
        assert_eq!(split_at_commas(","), ["", ""]);
    }
}
