//! The values of variables in states, choices or branches, packed into bits.

use std::borrow::Cow;

use crate::archive::Archive;
use crate::check;
use crate::entity::Entity;
use crate::error::{Error, ErrorKind};
use crate::format::INDEX;
use crate::index::{Field, ValuationClass, ValuationInfo, Variable};
use crate::numbers::{self, check_size};
use crate::packed;
use crate::strings::Strings;
use crate::value_type::Kind;

/// The value of a variable.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// The optional variable has no value.
    Absent,
    /// A truth value.
    Bool(bool),
    /// An integer, with its offset added.
    Int(i128),
    /// A floating-point number.
    Double(f64),
    /// A string.
    Text(&'a str),
}

/// The values of variables, one valuation for each state, choice or branch.
#[derive(Debug, Clone)]
pub struct Valuations<'a> {
    classes: Vec<Layout>,
    /// The class of each valuation; `None` if all have class 0.
    class_of: Option<Cow<'a, [u32]>>,
    /// The position at which each valuation starts, in bytes; empty if all have class 0.
    starts: Vec<usize>,
    bytes: &'a [u8],
    strings: Option<Strings<'a>>,
    of: Entity,
    count: u64,
}

/// The positions of the variables of a class.
#[derive(Debug, Clone)]
struct Layout {
    variables: Vec<(Variable, u64)>,
    bytes: usize,
}

impl<'a> Valuations<'a> {
    pub(crate) fn read(
        archive: &Archive<'a>,
        info: &ValuationInfo,
        (of, count): (Entity, u64),
    ) -> Result<Self, Error> {
        let folder = format!("valuations/{of}");
        let classes = info.classes.iter().zip(0..);
        let classes: Vec<_> = classes
            .map(|(class, number)| Layout::new(class, number))
            .collect::<Result<_, _>>()?;
        let entry = format!("{folder}/valuations.bin");
        let bytes = archive.require(&entry, "the index lists variables")?;
        let mapping = format!("{folder}/valuation-to-class.bin");
        let class_of = match archive.get(&mapping) {
            None => None,
            Some(mapping_bytes) => {
                let numbers = numbers::read::<u32>(&mapping, mapping_bytes, count, "valuations")?;
                check::below(&mapping, &numbers, classes.len() as u64, "a class")?;
                Some(numbers)
            }
        };
        let starts = match &class_of {
            None => {
                let size = classes.first().map_or(0, |class| class.bytes);
                check_size(&entry, bytes, count, size as u64, "valuations")?;
                Vec::new()
            }
            Some(numbers) => starts(&entry, &classes, numbers, bytes.len())?,
        };
        let num_strings = u64::from(info.num_strings.unwrap_or(0));
        let strings = match num_strings {
            0 => None,
            _ => Strings::read(archive, &folder, num_strings)?,
        };
        Ok(Self {
            classes,
            class_of,
            starts,
            bytes,
            strings,
            of,
            count,
        })
    }

    /// Returns the number of valuations.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Returns whether there are no valuations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the class of valuation `i`, which determines its variables; 0 in most models.
    ///
    /// # Panics
    ///
    /// May panic if `i` is not below [`len`](Self::len).
    #[must_use]
    pub fn class(&self, i: u64) -> u32 {
        self.class_of
            .as_ref()
            .map_or(0, |numbers| numbers[i as usize])
    }

    /// Returns the variables of a class, in order; empty if there is no such class.
    pub fn variables(&self, class: u32) -> impl ExactSizeIterator<Item = &Variable> {
        let layout = self.classes.get(class as usize);
        let variables = layout.map_or(&[][..], |layout| &layout.variables);
        variables.iter().map(|(variable, _)| variable)
    }

    /// Returns the values of valuation `i`, in the order of the variables of its class.
    ///
    /// # Errors
    ///
    /// If a string does not exist.
    ///
    /// # Panics
    ///
    /// If `i` is not below [`len`](Self::len).
    pub fn row(&self, i: u64) -> impl ExactSizeIterator<Item = Result<Value<'a>, Error>> {
        let layout = self.classes.get(self.class(i) as usize);
        let variables = layout.map_or(&[][..], |layout| &layout.variables);
        let size = layout.map_or(0, |layout| layout.bytes);
        let start = match self.class_of {
            None => i as usize * size,
            Some(_) => self.starts[i as usize],
        };
        let row = &self.bytes[start..start + size];
        variables
            .iter()
            .map(move |(variable, at)| self.value(i, variable, row, *at))
    }

    fn value(&self, i: u64, variable: &Variable, row: &[u8], at: u64) -> Result<Value<'a>, Error> {
        let width = variable.value_type.bits();
        // The bit that says whether there is a value comes before the value.
        let start = at + u64::from(variable.is_optional);
        if variable.is_optional && packed::get(row, at, 1) == 0 {
            return Ok(Value::Absent);
        }
        let bits = packed::get(row, start, width);
        let offset = i128::from(variable.offset.unwrap_or(0));
        Ok(match variable.value_type.kind {
            Kind::Bool => Value::Bool(bits != 0),
            Kind::Uint => Value::Int(i128::from(bits) + offset),
            Kind::Int => {
                let unused = 64 - width;
                Value::Int(i128::from((bits << unused) as i64 >> unused) + offset)
            }
            Kind::Double => Value::Double(f64::from_bits(bits)),
            _ => Value::Text(self.text(i, bits)?),
        })
    }

    fn text(&self, i: u64, number: u64) -> Result<&'a str, Error> {
        let strings = self.strings.as_ref();
        let found = usize::try_from(number)
            .ok()
            .and_then(|number| strings?.get(number));
        found.ok_or_else(|| {
            let kind = ErrorKind::OutOfRange {
                value: number,
                what: "a string",
                limit: strings.map_or(0, |strings| strings.len() as u64),
            };
            let entry = format!("valuations/{}/valuations.bin", self.of);
            Error::at(&entry, i as usize, kind)
        })
    }
}

impl Layout {
    fn new(class: &ValuationClass, number: u32) -> Result<Self, Error> {
        let mut variables = Vec::with_capacity(class.variables.len());
        let mut bits = 0u64;
        for field in &class.variables {
            match field {
                Field::Padding { padding } => bits = bits.saturating_add(*padding),
                Field::Variable(variable) => {
                    check_variable(variable)?;
                    variables.push((variable.clone(), bits));
                    let width = u64::from(variable.value_type.bits());
                    bits = bits.saturating_add(width + u64::from(variable.is_optional));
                }
            }
        }
        let bytes = usize::try_from(bits / 8).unwrap_or(usize::MAX);
        if !bits.is_multiple_of(8) {
            let kind = ErrorKind::ValuationBits {
                class: number,
                bits,
            };
            return Err(Error::in_entry(INDEX, kind));
        }
        Ok(Self { variables, bytes })
    }
}

fn check_variable(variable: &Variable) -> Result<(), Error> {
    let (kind, bits) = (variable.value_type.kind, variable.value_type.bits());
    let kind = match kind {
        Kind::Double | Kind::String if bits == 64 => return Ok(()),
        Kind::Bool | Kind::Int | Kind::Uint if (1..=64).contains(&bits) => return Ok(()),
        Kind::Bool | Kind::Int | Kind::Uint => ErrorKind::WideVariable {
            variable: variable.name.clone(),
            bits: u64::from(bits),
        },
        _ => ErrorKind::ValueType {
            what: "variables",
            found: variable.value_type.to_string(),
            expected: "bool, int or uint, double or string of 64 bits",
        },
    };
    Err(Error::in_entry(INDEX, kind))
}

/// Returns the position at which each valuation starts, if they have different classes.
fn starts(
    entry: &str,
    classes: &[Layout],
    class_of: &[u32],
    length: usize,
) -> Result<Vec<usize>, Error> {
    let mut end = 0usize;
    let starts = class_of
        .iter()
        .map(|&class| {
            let start = end;
            end = end.saturating_add(classes[class as usize].bytes);
            start
        })
        .collect();
    if end == length {
        return Ok(starts);
    }
    let kind = ErrorKind::EntrySize {
        found: length as u64,
        expected: end as u128,
        count: class_of.len() as u64,
        what: "valuations",
    };
    Err(Error::in_entry(entry, kind))
}
