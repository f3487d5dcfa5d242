//! The variables of a model: their ranges, initial values, and places in a packed state.

use std::collections::HashSet;

use crate::arith::to_int;
use crate::ast::{self, Model, Type, VariableRange};
use crate::code::{Compiler, Domain};
use crate::constants::{Value, reject_variables, variable_names};
use crate::error::{Checked, ErrorKind, Fault};
use crate::ir::{Meaning, Scope, Slot, Wanted, about, typed};
use crate::widths::Widths;

/// A variable of a [`Program`](crate::Program).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    name: String,
    module: Option<usize>,
    is_bool: bool,
    is_bounded: bool,
    pub(crate) domain: Domain,
    pub(crate) field: Field,
}

impl Variable {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the index in [`Program::modules`](crate::Program::modules) of the module that owns
    /// it; `None` for a global variable.
    #[must_use]
    pub fn module(&self) -> Option<usize> {
        self.module
    }

    /// Returns whether it is a `bool`, with 0 for `false` and 1 for `true`.
    #[must_use]
    pub fn is_bool(&self) -> bool {
        self.is_bool
    }

    /// Returns whether the model declares its range. If not, it has the values that fit into its
    /// [bits](crate::Widths).
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.is_bounded
    }

    /// Its least value.
    #[must_use]
    pub fn low(&self) -> i64 {
        self.domain.low
    }

    /// Its greatest value.
    #[must_use]
    pub fn high(&self) -> i64 {
        self.domain.high
    }

    /// Returns the number of bits in a packed state; 0 if it has only one value.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.field.mask.count_ones()
    }

    /// Its value in a packed state.
    #[must_use]
    #[inline]
    pub fn get(&self, state: &[u64]) -> i64 {
        self.domain
            .low
            .wrapping_add(self.field.get(state).cast_signed())
    }

    /// Its value in a packed state, with its type.
    #[must_use]
    pub fn value(&self, state: &[u64]) -> Value {
        match self.get(state) {
            value if self.is_bool => Value::Bool(value != 0),
            value => Value::Int(value),
        }
    }

    /// Writes a value, which must be in the range, to a packed state.
    pub(crate) fn set(&self, state: &mut [u64], value: i64) {
        self.field.set(state, self.offset(value));
    }

    /// Returns the bits that represent a value.
    pub(crate) fn offset(&self, value: i64) -> u64 {
        value.wrapping_sub(self.domain.low).cast_unsigned()
    }
}

/// The position of a variable in a packed state. It lies within one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) word: u32,
    pub(crate) shift: u32,
    /// A mask with as many ones as the variable has bits.
    pub(crate) mask: u64,
}

impl Field {
    #[inline]
    pub(crate) fn get(self, state: &[u64]) -> u64 {
        state[self.word as usize] >> self.shift & self.mask
    }

    #[inline]
    pub(crate) fn set(self, state: &mut [u64], offset: u64) {
        let word = &mut state[self.word as usize];
        *word = *word & !(self.mask << self.shift) | offset << self.shift;
    }
}

/// The variables, with their initial values.
pub(crate) struct Variables {
    pub(crate) all: Vec<Variable>,
    /// The initial values, in the order of `all`.
    pub(crate) initial: Vec<i64>,
    /// The number of words of a packed state, at least one.
    pub(crate) words: usize,
}

impl Variables {
    pub(crate) fn domains(&self) -> Vec<Domain> {
        self.all.iter().map(|variable| variable.domain).collect()
    }
}

/// Computes ranges, initial values and positions, and adds the variables to the scope: first the
/// global ones, then those of the modules in order.
pub(crate) fn variables<'m>(
    model: &'m Model,
    scope: &mut Scope<'m>,
    widths: &Widths,
) -> Checked<Variables> {
    let globals = model.globals.iter().map(|variable| (None, variable));
    let modules = model.modules.iter().enumerate();
    let local = modules.flat_map(|(i, m)| m.body.variables().iter().map(move |v| (Some(i), v)));
    let mut variables = Variables {
        all: Vec::new(),
        initial: Vec::new(),
        words: 1,
    };
    let names = variable_names(model);
    let given = Given {
        model,
        variables: &names,
        scope,
        widths,
    };
    let mut taken = Taken { words: 1, bits: 0 };
    for (module, written) in globals.chain(local) {
        if variables.all.len() == usize::from(Slot::MAX) {
            let kind = ErrorKind::TooMany {
                what: "variables",
                limit: u64::from(Slot::MAX),
            };
            return Err(Fault::new(written.name.span, kind));
        }
        let domain = domain(written, &given)?;
        let field = taken.take(domain);
        variables.initial.push(initial(written, domain, &given)?);
        variables.all.push(Variable {
            name: written.name.value.clone(),
            module,
            is_bool: written.range == VariableRange::Bool,
            is_bounded: written.range != VariableRange::Unbounded,
            domain,
            field,
        });
    }
    variables.words = taken.words;
    let globals = model.globals.iter();
    let local = model.modules.iter().flat_map(|m| m.body.variables());
    for (slot, (written, known)) in globals.chain(local).zip(&variables.all).enumerate() {
        let of = if known.is_bool { Type::Bool } else { Type::Int };
        let range = (known.domain.low, known.domain.high);
        let meaning = Meaning::Variable(slot as Slot, of, range);
        scope.names.insert(&written.name.value, meaning);
    }
    Ok(variables)
}

/// The data that are needed to compute the bounds and initial values of variables.
struct Given<'g> {
    model: &'g Model,
    /// The names of all variables.
    variables: &'g HashSet<&'g str>,
    scope: &'g Scope<'g>,
    widths: &'g Widths,
}

/// Returns the range of a variable.
fn domain(variable: &ast::Variable, given: &Given<'_>) -> Checked<Domain> {
    let (low, high) = match &variable.range {
        VariableRange::Int { low, high } => (low, high),
        VariableRange::Unbounded => return Ok(given.widths.domain(&variable.name.value)),
        // `digital_clocks` replaces clocks by variables with bounds.
        VariableRange::Clock => return Ok(Domain { low: 0, high: 0 }),
        VariableRange::Bool => return Ok(Domain { low: 0, high: 1 }),
    };
    let bound = |expr: &ast::Expr| constant(expr, given, "a bound of a variable", Type::Int);
    let (low, high) = (bound(low)?, bound(high)?);
    if low > high {
        let name = variable.name.value.clone();
        let kind = ErrorKind::EmptyRange { name, low, high };
        return Err(Fault::new(variable.name.span, kind));
    }
    Ok(Domain { low, high })
}

/// Returns the value of an expression without variables. `what` is its description in errors.
fn constant(expr: &ast::Expr, given: &Given<'_>, what: &'static str, of: Type) -> Checked<i64> {
    reject_variables(expr, given.variables, what)?;
    let typed = typed(expr, given.scope, what, Wanted::Of(of))?;
    Ok(to_int(Compiler::new(&[]).evaluate(&typed, typed.root())?))
}

/// Returns the initial value of a variable, which has this range.
fn initial(variable: &ast::Variable, domain: Domain, given: &Given<'_>) -> Checked<i64> {
    let Some(init) = &variable.init else {
        let is_bounded = variable.range != VariableRange::Unbounded;
        return Ok(if is_bounded { domain.low } else { 0 });
    };
    let name = variable.name.value.clone();
    if let Some(all) = &given.model.init {
        let fault = Fault::new(init.span(), ErrorKind::TwoInitials { name });
        return Err(fault.note_at(all.span(), "`init ... endinit`"));
    }
    let of = match variable.range {
        VariableRange::Bool => Type::Bool,
        _ => Type::Int,
    };
    let what = "an initial value";
    let value = constant(init, given, what, of)
        .map_err(|fault| about(fault, what, || format!("the initial value of `{name}`")))?;
    let Domain { low, high } = domain;
    let kind = match variable.range {
        _ if domain.has(value) => return Ok(value),
        VariableRange::Unbounded => ErrorKind::ValueTooWide {
            bits: given.widths.bits(&name),
            variable: name,
            value,
        },
        _ => ErrorKind::InitialValue {
            name,
            value,
            low,
            high,
        },
    };
    Err(Fault::new(init.span(), kind))
}

/// The positions that are taken in a packed state.
struct Taken {
    /// The number of words.
    words: usize,
    /// The number of bits of the last word.
    bits: u32,
}

impl Taken {
    /// Takes the next position that is wide enough. If the last word has no room, a new one is
    /// added.
    fn take(&mut self, domain: Domain) -> Field {
        let span = domain.high.wrapping_sub(domain.low).cast_unsigned();
        let bits = u64::BITS - span.leading_zeros();
        if self.bits + bits > u64::BITS {
            self.words += 1;
            self.bits = 0;
        }
        let field = Field {
            word: self.words as u32 - 1,
            // A variable without bits may follow a full word.
            shift: self.bits.min(u64::BITS - 1),
            mask: u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0),
        };
        self.bits += bits;
        field
    }
}
