//! The observations of an explored model: the values of the observables, numbered in the order of
//! the states in which they are first seen, as PRISM numbers them.

use crate::interrupt;
use crate::model::observations::Observations;
use explore::Exploration;
use mdp_graph::{OutOfMemory, StateId, check_room};
use prism_explicit::{Column, States};
use prism_language::{Error, Program, Value};
use std::collections::HashMap;

/// Checks that there is memory for the observation of each state.
pub(super) fn room(found: &Exploration) -> Result<(), OutOfMemory> {
    let states = found.graph.num_states() * size_of::<u32>();
    check_room("the observations of states", &[states])
}

/// Returns the observation of each state. After Ctrl-C it is incomplete, and must not be used.
pub(super) fn evaluate(program: &Program, found: &Exploration) -> Result<Observations, Error> {
    let mut scratch = program.scratch();
    let (mut numbers, mut rows) = (HashMap::new(), Vec::new());
    let mut of_states = Vec::with_capacity(found.graph.num_states());
    let mut seen = Vec::new();
    for state in 0..found.graph.num_states() {
        if interrupt::is_cancelled() {
            break;
        }
        let state = found.states.get(StateId::from_index(state));
        program.observe(&mut scratch, state, &mut seen)?;
        let key: Vec<u64> = seen.iter().copied().map(bits).collect();
        let next = numbers.len() as u32;
        let number = *numbers.entry(key).or_insert(next);
        if number == next {
            rows.push(seen.clone());
        }
        of_states.push(number);
    }
    Ok(Observations {
        count: rows.len() as u64,
        of_states,
        values: table(program, &rows),
    })
}

/// Returns bits that distinguish a value from others of its type. 0 and -0 are the same value.
fn bits(value: Value) -> u64 {
    match value {
        Value::Int(value) => value.cast_unsigned(),
        Value::Double(value) => (value + 0.0).to_bits(),
        Value::Bool(value) => value.into(),
    }
}

/// Returns messages about observables whose values are left out.
pub(super) fn lost(program: &Program) -> impl Iterator<Item = String> {
    let real = program.observables().iter().filter(|seen| seen.is_real());
    real.map(|seen| {
        let name = seen.name();
        format!("the values of the observable `{name}`, which are real numbers")
    })
}

/// Returns the values of the observables that are integers or Booleans. Files cannot hold others.
fn table(program: &Program, rows: &[Vec<Value>]) -> Option<States> {
    let first = rows.first()?;
    let mut columns = Vec::new();
    for (i, observable) in program.observables().iter().enumerate() {
        let mut column = match first[i] {
            Value::Bool(_) => Column::Bool(Vec::new()),
            Value::Int(_) => Column::Int(Vec::new()),
            Value::Double(_) => continue,
        };
        for row in rows {
            match row[i] {
                Value::Bool(value) => column.push(prism_explicit::Value::Bool(value)),
                Value::Int(value) => column.push(prism_explicit::Value::Int(value)),
                Value::Double(_) => false,
            };
        }
        columns.push((observable.name().to_owned(), column));
    }
    States::new(rows.len() as u32, columns)
}
