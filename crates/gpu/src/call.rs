//! A call of a kernel: a variant with its buffers, parameters and constants.
//!
//! The build script writes the types that implement [`Pass`].

use crate::buffer::AnyBuffer;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::promise::{Atom, Promise, PromiseKind};

/// A kernel with its buffers, parameters and constants. A [`Recording`](crate::Recording)
/// dispatches it.
///
/// The types in [`kernels`](crate::kernels) implement this trait. There is one type for each
/// shader. It has a field for each buffer and for the parameters, a `u32` for each override
/// constant, and a `bool` for each flag.
pub trait Pass {
    /// Returns the variant to run, with its buffers, parameters and constants.
    fn call(&self) -> Call;
}

/// A [`Pass`] with its types erased.
#[derive(Clone, Debug)]
pub struct Call {
    /// The variant.
    pub kernel: &'static Kernel,
    /// One buffer for each slot of the kernel, in the order of the slots.
    pub buffers: Vec<AnyBuffer>,
    /// The bytes of the uniform; empty if the kernel has none.
    pub params: Vec<u8>,
    /// The constants, by name.
    pub constants: Vec<(&'static str, u32)>,
    missing: Option<&'static str>,
}

impl Call {
    /// Makes a call of `kernel` without buffers.
    #[must_use]
    pub fn new(kernel: &'static Kernel) -> Self {
        Self {
            kernel,
            buffers: Vec::new(),
            params: Vec::new(),
            constants: Vec::new(),
            missing: None,
        }
    }

    /// Binds `buffer` to the slot called `name`. If the variant has no such slot, this does
    /// nothing. Slots must be bound in the order of their bindings.
    #[must_use]
    pub fn buffer(mut self, name: &'static str, buffer: Option<AnyBuffer>) -> Self {
        if self.kernel.buffers.iter().any(|slot| slot.name == name) {
            match buffer {
                Some(buffer) => self.buffers.push(buffer),
                None => self.missing = Some(name),
            }
        }
        self
    }

    /// Sets the bytes of the uniform. If the variant has no uniform, this does nothing.
    #[must_use]
    pub fn params(mut self, bytes: &[u8]) -> Self {
        if self.kernel.params.is_some() {
            self.params = bytes.to_vec();
        }
        self
    }

    /// Sets a constant. If the variant does not have it, this does nothing.
    #[must_use]
    pub fn constant(mut self, name: &'static str, value: u32) -> Self {
        if self.kernel.constants.contains(&name) {
            self.constants.push((name, value));
        }
        self
    }

    /// Returns the buffers that the call writes to.
    pub(crate) fn written(&self) -> impl Iterator<Item = &AnyBuffer> {
        let slots = self.kernel.buffers.iter().zip(&self.buffers);
        slots
            .filter(|(slot, _)| slot.writes)
            .map(|(_, buffer)| buffer)
    }

    /// Checks that the call fits its kernel.
    pub(crate) fn check(&self) -> Result<()> {
        let fail = |message: String| Err(Error::validation(self.kernel.label(), message));
        if let Some(name) = self.missing {
            return fail(format!("this variant needs the buffer `{name}`"));
        }
        if self.buffers.len() != self.kernel.buffers.len() {
            let (given, needed) = (self.buffers.len(), self.kernel.buffers.len());
            return fail(format!("{given} buffers given for {needed} bindings"));
        }
        let bytes = self.kernel.params.map_or(0, |slot| slot.bytes as usize);
        if self.params.len() != bytes {
            return fail(format!(
                "{} bytes of parameters given, {bytes} needed",
                self.params.len()
            ));
        }
        let slots = || self.kernel.buffers.iter().zip(&self.buffers);
        for (i, (slot, buffer)) in slots().enumerate() {
            let shared = slots()
                .skip(i + 1)
                .find(|(_, other)| other.id() == buffer.id());
            if let Some((other, _)) = shared.filter(|(other, _)| slot.writes || other.writes) {
                let (a, b, name) = (slot.name, other.name, buffer.name());
                return fail(format!(
                    "`{name}` is bound as `{a}` and as `{b}`, and one of them is written"
                ));
            }
        }
        Ok(())
    }

    /// Checks the promises of the host that the kernel declares, as far as the host knows the
    /// values: the lengths of buffers, the uniform, and the number of workgroups. Only debug builds
    /// check them.
    pub(crate) fn keeps_promises(&self, groups: [u32; 3]) -> Result<()> {
        if !cfg!(debug_assertions) {
            return Ok(());
        }
        for line in self.kernel.promises {
            let Some(Ok(promise)) = Promise::read(line) else {
                continue;
            };
            let PromiseKind::Assume(comparison) = &promise.kind else {
                continue;
            };
            if let Some((left, right)) = comparison.broken(&mut |atom| self.known(groups, atom)) {
                let message = format!("`{promise}` does not hold: {left} and {right}");
                return Err(Error::validation(self.kernel.label(), message));
            }
        }
        Ok(())
    }

    /// Returns the value of a number in a promise, if the host knows it.
    fn known(&self, groups: [u32; 3], atom: &Atom) -> Option<u32> {
        match atom {
            Atom::Groups(axis) => groups.get(*axis).copied(),
            Atom::Length(name) => {
                let mut slots = self.kernel.buffers.iter().zip(&self.buffers);
                let (slot, buffer) = slots.find(|(slot, _)| slot.name == name)?;
                u32::try_from(buffer.bytes() / u64::from(slot.element_bytes)).ok()
            }
            Atom::Word(_, path) => {
                let [member] = &path[..] else {
                    return None;
                };
                let params = self.kernel.params?;
                if self.kernel.buffers.iter().any(|slot| atom.is_of(slot.name)) {
                    return None;
                }
                let mut words = params.words.iter();
                let (_, at) = words.find(|(name, _)| name == member)?;
                let bytes = self.params.get(*at as usize..)?.first_chunk()?;
                Some(u32::from_ne_bytes(*bytes))
            }
        }
    }
}
