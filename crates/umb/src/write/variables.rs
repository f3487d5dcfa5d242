//! Adds the values of variables to an archive, packed into as few bits as their ranges allow.

use std::collections::BTreeMap;
use std::io;

use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::index::{Field, ValuationClass, ValuationInfo, Variable};
use crate::packed;
use crate::value_type::{Kind, ValueType};
use crate::write::UmbWriter;
use crate::write::json::as_object;
use crate::write::payload::Payload;

/// The values that a variable may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Truth values: 0 is false, 1 is true.
    Bool,
    /// All integers between two bounds, inclusive.
    Int {
        /// The least value.
        lower: i64,
        /// The greatest value.
        upper: i64,
    },
}

/// The position of a variable in a row, and its domain.
struct Packed {
    name: String,
    lower: i64,
    upper: i64,
    at: u64,
    width: u32,
}

impl<'a> UmbWriter<'a> {
    /// Adds the values of variables in the states: `value(s, i)` is the value of variable `i` in
    /// state `s`. `unique` must be true only if no two states have the same values.
    ///
    /// The function is called when the archive is written, by all threads of the current rayon
    /// pool.
    ///
    /// # Errors
    ///
    /// If a lower bound is above its upper bound.
    pub fn state_valuations(
        &mut self,
        variables: &[(impl AsRef<str>, Domain)],
        unique: bool,
        value: impl Fn(u64, usize) -> i64 + Sync + 'a,
    ) -> Result<&mut Self, Error> {
        self.valuations(Entity::States, variables, unique, value)
    }

    /// Adds the values of observables in the observations: `value(o, i)` is the value of observable
    /// `i` in observation `o`. No two observations may have the same values.
    ///
    /// # Errors
    ///
    /// As [`state_valuations`](Self::state_valuations).
    pub fn observation_valuations(
        &mut self,
        observables: &[(impl AsRef<str>, Domain)],
        value: impl Fn(u64, usize) -> i64 + Sync + 'a,
    ) -> Result<&mut Self, Error> {
        self.valuations(Entity::Observations, observables, true, value)
    }

    fn valuations(
        &mut self,
        of: Entity,
        variables: &[(impl AsRef<str>, Domain)],
        unique: bool,
        value: impl Fn(u64, usize) -> i64 + Sync + 'a,
    ) -> Result<&mut Self, Error> {
        let mut end = 0;
        let mut packed = Vec::with_capacity(variables.len());
        for (name, domain) in variables {
            let variable = Packed::new(name.as_ref(), *domain, end)?;
            end += u64::from(variable.width);
            packed.push(variable);
        }
        let mut fields: Vec<_> = variables
            .iter()
            .zip(&packed)
            .map(|((_, domain), packed)| packed.describe(*domain))
            .collect();
        let padding = end.next_multiple_of(8) - end;
        if padding > 0 {
            fields.push(Field::Padding { padding });
        }
        let info = ValuationInfo {
            unique,
            num_strings: None,
            classes: vec![ValuationClass { variables: fields }],
        };
        let mut valuations = as_object(&BTreeMap::from([(of, info)]))?;
        self.index.object("valuations").append(&mut valuations);
        let folder = format!("valuations/{of}/");
        self.entries.remove_folder(&folder);
        let fill = move |state: u64, row: &mut [u8]| {
            let mut variables = packed.iter().enumerate();
            variables.try_for_each(|(i, variable)| variable.put(state, value(state, i), row))
        };
        let size = (end.div_ceil(8)) as usize;
        let rows = Payload::Rows(self.count_of(of), size, Box::new(fill));
        let path = format!("{folder}valuations.bin");
        self.entries.put(path.clone(), rows);
        if of == Entity::States {
            self.valuations_of_states = Some(path);
        }
        Ok(self)
    }
}

impl Packed {
    fn new(name: &str, domain: Domain, at: u64) -> Result<Self, Error> {
        let (lower, upper) = match domain {
            Domain::Bool => (0, 1),
            Domain::Int { lower, upper } => (lower, upper),
        };
        if lower > upper {
            let kind = ErrorKind::EmptyRange {
                variable: name.to_owned(),
                lower,
                upper,
            };
            return Err(Error::in_entry(INDEX, kind));
        }
        // Two's complement without an offset, because not every reader supports offsets.
        let width = match lower {
            0.. => packed::width_of(upper.cast_unsigned()),
            _ => packed::width_of(upper.max(!lower).cast_unsigned()) + 1,
        };
        Ok(Self {
            name: name.to_owned(),
            lower,
            upper,
            at,
            width,
        })
    }

    fn describe(&self, domain: Domain) -> Field {
        let (kind, bounds) = match domain {
            Domain::Bool => (Kind::Bool, None),
            Domain::Int { lower: 0.., .. } => (Kind::Uint, Some((self.lower, self.upper))),
            Domain::Int { .. } => (Kind::Int, Some((self.lower, self.upper))),
        };
        Field::Variable(Variable {
            name: self.name.clone(),
            is_optional: false,
            value_type: ValueType {
                kind,
                size: Some(self.width),
            },
            lower: bounds.map(|bounds| bounds.0),
            upper: bounds.map(|bounds| bounds.1),
            offset: None,
        })
    }

    fn put(&self, state: u64, value: i64, row: &mut [u8]) -> io::Result<()> {
        if !(self.lower..=self.upper).contains(&value) {
            let (name, lower, upper) = (&self.name, self.lower, self.upper);
            let reason = format!(
                "variable {name:?} of state {state} is {value}: expected {lower} to {upper}"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        packed::put(row, self.at, self.width, value.cast_unsigned());
        Ok(())
    }
}
