//! Optimal long-run averages with their bounds, as text and JSON.

use crate::Constant;
use crate::indented;
use crate::schema::{Constants, Schema};
use crate::table;
use mdp_graph::StateId;
use mdp_graph::grouped;
use serde::Serialize;
use std::io::{self, Write};

/// The version of the JSON schema.
const SCHEMA_VERSION: u32 = 1;

/// The number of initial states that are printed as text.
const STATES: usize = 10;

/// An average, or bounds on it.
#[derive(Clone, Debug, Serialize)]
pub struct Average {
    /// A state: an initial one, or the smallest one of a maximal end component.
    pub state: StateNumber,
    /// The number of states of the component; `None` for an initial state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u32>,
    /// The average as a fraction, if it is known exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraction: Option<String>,
    /// A lower bound of the average.
    pub lower: f64,
    /// An upper bound of the average.
    pub upper: f64,
}

/// The number of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StateNumber(u32);

impl From<StateId> for StateNumber {
    fn from(state: StateId) -> Self {
        Self(state.0)
    }
}

/// What is averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Averaged<'a> {
    /// Rewards, with their name.
    Rewards(&'a str),
    /// The steps in states with this label.
    Label(&'a str),
}

/// The optimal long-run averages of a model.
#[derive(Clone, Copy, Debug)]
pub struct LongRun<'a> {
    /// The version of the program.
    pub version: &'a str,
    /// The source of the model.
    pub model: &'a str,
    /// The number of states of the model.
    pub states: usize,
    /// The constants that were given values for this run.
    pub constants: &'a [Constant<'a>],
    /// What is averaged.
    pub averaged: Averaged<'a>,
    /// The device that computed the averages: the name of a GPU, or `cpu`.
    pub device: &'a str,
    /// Whether some bounds were computed without rounding, because they were not close enough.
    pub has_exact_parts: bool,
    /// Whether the greatest averages are sought, and not the least.
    pub greatest: bool,
    /// The largest difference between bounds; `None` if averages are exact.
    pub epsilon: Option<f64>,
    /// Whether that is a part of each average.
    pub relative: bool,
    /// The averages of the initial states.
    pub initial: &'a [Average],
    /// The averages of the maximal end components.
    pub mecs: &'a [Average],
    /// Whether to print the averages of components as text.
    pub each: bool,
}

/// Writes a table for users.
///
/// # Errors
/// Errors of `out`.
pub fn write_long_run(out: &mut dyn Write, of: &LongRun<'_>) -> io::Result<()> {
    let goal = if of.greatest {
        "greatest average"
    } else {
        "least average"
    };
    let mut rows = vec![
        ("model", of.model.to_owned()),
        ("states", grouped(of.states as u64)),
        ("MECs", grouped(of.mecs.len() as u64)),
        match of.averaged {
            Averaged::Rewards(name) => ("rewards", name.to_owned()),
            Averaged::Label(name) => ("label", name.to_owned()),
        },
        ("device", of.device.to_owned()),
    ];
    if of.has_exact_parts {
        let why = "exact where rounding kept bounds apart";
        rows.push(("arithmetic", why.to_owned()));
    }
    let shown = of.initial.iter().take(STATES);
    rows.extend(shown.map(|average| {
        (
            goal,
            format!("{} from state {}", text(average), average.state.0),
        )
    }));
    if of.initial.len() > STATES {
        let more = of.initial.len() - STATES;
        rows.push((
            "",
            format!("and of {more} more initial states, which --format json prints"),
        ));
    }
    table::write(out, &rows)?;
    if of.each {
        writeln!(out)?;
        let titles: &[&str] = match of.epsilon {
            Some(_) => &["MEC of", "states", "at least", "at most"],
            None => &["MEC of", "states", "average"],
        };
        let mut rows = vec![titles.iter().map(|&title| title.to_owned()).collect()];
        rows.extend(of.mecs.iter().map(|mec| {
            let mut row = vec![
                mec.state.0.to_string(),
                grouped(mec.states.unwrap_or(1).into()),
            ];
            match mec.fraction {
                Some(_) => row.push(text(mec)),
                None => row.extend([mec.lower.to_string(), mec.upper.to_string()]),
            }
            row
        }));
        table::write_columns(out, &rows)?;
    }
    Ok(())
}

/// Returns an average as text: `2.5`, or `between 2.4999999 and 2.5000001`; for a fraction `5/2 =
/// 2.5`, or `7/3, about 2.3333333333333335`.
fn text(average: &Average) -> String {
    let Average { lower, upper, .. } = average;
    match &average.fraction {
        Some(fraction) if !fraction.contains('/') => fraction.clone(),
        Some(fraction) if lower == upper => format!("{fraction} = {lower}"),
        Some(fraction) => {
            let about = rounded(fraction).unwrap_or(lower / 2.0 + upper / 2.0);
            format!("{fraction}, about {about}")
        }
        None if lower == upper => lower.to_string(),
        None => format!("between {lower} and {upper}"),
    }
}

/// Returns the double that is nearest to a fraction, if its numbers are exact as doubles.
fn rounded(fraction: &str) -> Option<f64> {
    const MAX: u64 = 1 << f64::MANTISSA_DIGITS;
    let (numerator, denominator) = fraction.split_once('/')?;
    let whole = |digits: &str| digits.parse::<i64>().ok();
    let (numerator, denominator) = (whole(numerator)?, whole(denominator)?);
    let are_doubles = numerator.unsigned_abs() <= MAX && denominator.unsigned_abs() <= MAX;
    are_doubles.then(|| numerator as f64 / denominator as f64)
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    schema: Schema<'a>,
    model: Model<'a>,
    problem: Problem<'a>,
    device: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    exact_parts: bool,
    initial: &'a [Average],
    mecs: &'a [Average],
}

#[derive(Serialize)]
struct Model<'a> {
    file: &'a str,
    states: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    constants: Option<Constants<'a>>,
}

#[derive(Serialize)]
struct Problem<'a> {
    goal: &'static str,
    #[serde(flatten)]
    averaged: Averaged<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    relative: bool,
}

/// Writes one JSON document.
///
/// # Errors
/// Errors of `out`.
pub fn write_long_run_json(out: &mut dyn Write, of: &LongRun<'_>) -> io::Result<()> {
    let document = Document {
        schema: Schema::new("maxend-long-run", SCHEMA_VERSION, of.version),
        model: Model {
            file: of.model,
            states: of.states,
            constants: Constants::of(of.constants),
        },
        problem: Problem {
            goal: if of.greatest { "max" } else { "min" },
            averaged: of.averaged,
            epsilon: of.epsilon,
            relative: of.relative,
        },
        device: of.device,
        exact_parts: of.has_exact_parts,
        initial: of.initial,
        mecs: of.mecs,
    };
    indented::write(out, 2, &document)
}
