//! A cache of compiled kernels. Unchanged kernels are compiled once for all devices, and changed
//! kernels once for all devices with the same changes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use gpu::{Call, Error, Result};

use super::code::Code;
use super::settings::Values;
use crate::Program;
use crate::mutate::mutate;

/// The code of kernels, by kernel and constants.
pub(super) type Codes = HashMap<(String, Vec<(&'static str, u32)>), Arc<Code>>;

/// The kernels that were compiled for any device. They are the same for all devices with the same
/// changed constants.
static COMPILED: LazyLock<Mutex<Codes>> = LazyLock::new(Mutex::default);

/// A set of kernels that are changed, each at one of its [sites](crate::mutate::sites).
#[derive(Debug)]
pub struct Mutant {
    sites: BTreeMap<String, usize>,
    compiled: Mutex<Codes>,
}

impl Mutant {
    /// Makes the set from the [labels](gpu::Kernel::label) of kernels, with the indices of the
    /// sites.
    #[must_use]
    pub fn new(sites: BTreeMap<String, usize>) -> Self {
        Self {
            sites,
            compiled: Mutex::default(),
        }
    }

    /// Returns the code of a call's kernel, if it is changed.
    pub(super) fn code(&self, call: &Call, values: &Values) -> Option<Result<Arc<Code>>> {
        let site = *self.sites.get(&call.kernel.label())?;
        Some(known(&self.compiled, call, values, |program| {
            mutate(program, site)
        }))
    }
}

/// Returns the code of a call's kernel.
pub(super) fn compiled(call: &Call, values: &Values) -> Result<Arc<Code>> {
    known(&COMPILED, call, values, |program| Ok(program.clone()))
}

/// Returns the code from the cache, or else the result of compiling it.
fn known(
    codes: &Mutex<Codes>,
    call: &Call,
    values: &Values,
    change: impl FnOnce(&Program) -> std::result::Result<Program, crate::Error>,
) -> Result<Arc<Code>> {
    let constants = call.constants.iter().chain(values).copied();
    let key = (call.kernel.label(), constants.collect());
    let mut known = codes.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(code) = known.get(&key) {
        return Ok(code.clone());
    }
    let code = compile_call(call, values, change)?;
    known.insert(key, code.clone());
    Ok(code)
}

/// Compiles the kernel of a call after a change.
fn compile_call(
    call: &Call,
    values: &Values,
    change: impl FnOnce(&Program) -> std::result::Result<Program, crate::Error>,
) -> Result<Arc<Code>> {
    let program = Program::with_values(call.kernel, &call.constants, values);
    let code = program
        .and_then(|program| change(&program))
        .and_then(|program| super::compile(&program));
    code.map(Arc::new)
        .map_err(|error| validation(call.kernel.label(), error.to_string()))
}

pub(super) fn validation(what: impl Into<String>, message: impl Into<String>) -> Error {
    Error::Validation {
        what: what.into(),
        message: message.into(),
    }
}
