//! A kernel as its host sees it, and a call of it.
//!
//! The tables of [`Kernel`]s are written by the build script from `shaders/`; so are the types that
//! implement [`Pass`].

use crate::buffer::AnyBuffer;
use crate::{Error, Result};

/// One variant of a shader, with all that a host must know to run it.
#[derive(Debug)]
pub struct Kernel {
    /// The shader's path below `shaders/`, without its ending: `fbt/trim`.
    pub name: &'static str,
    /// The flags that are on, joined by `+`; `plain` if none.
    pub variant: &'static str,
    /// The entry point.
    pub entry: &'static str,
    /// The workgroup's size in invocations.
    pub workgroup: [u32; 3],
    /// The WGSL.
    pub source: &'static str,
    /// Where the lines of the WGSL were written, in order.
    pub lines: &'static [Lines],
    /// The storage buffers of group 0, by binding.
    pub buffers: &'static [BufferSlot],
    /// The uniform of group 0.
    pub params: Option<ParamsSlot>,
    /// The override constants, all `u32`.
    pub constants: &'static [&'static str],
    /// Whether it reads the record of its iteration (group 1, binding 0).
    pub reads_loop: bool,
    /// Whether it writes the record of the next iteration (group 1, binding 1).
    pub writes_loop: bool,
    /// Whether it uses subgroup operations.
    pub subgroups: bool,
    /// What its variables take of a workgroup's memory, in bytes.
    pub workgroup_bytes: u32,
    /// When its indices and loops are checked as it runs.
    pub checks: Checks,
}

/// Lines of a kernel's WGSL that follow one another in one file, up to where the next stretch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The first of them in [`Kernel::source`], counted from 1.
    pub first: u32,
    /// The file's path below `shaders/`.
    pub file: &'static str,
    /// The line of that file where they begin, counted from 1.
    pub line: u32,
}

/// When a kernel's indices and loops are checked as it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks(bool);

impl Checks {
    /// Always.
    pub const ALWAYS: Self = Self(true);
    /// When that is [asked for](crate::Request::checks). For kernels whose indices into the memory of a workgroup are bounded by what
    /// is in the code, whatever lies in their buffers, and whose loops end: those of this crate that say `checks: debug`.
    pub(crate) const DEBUG: Self = Self(false);
}

impl Kernel {
    /// Where line `line` of the [`source`](Self::source) was written: the path below `shaders/`, and
    /// the line in that file. Both count from 1.
    #[must_use]
    pub fn origin(&self, line: u32) -> Option<(&'static str, u32)> {
        let at = self.lines.partition_point(|lines| lines.first <= line);
        let Lines {
            first,
            file,
            line: begin,
        } = self.lines[..at].last()?;
        Some((file, begin + (line - first)))
    }

    /// The invocations of a workgroup.
    #[must_use]
    pub fn invocations(&self) -> u32 {
        self.workgroup.iter().product()
    }

    /// How many storage buffers it binds: its own, and the two records of a loop.
    #[must_use]
    pub fn storage_buffers(&self) -> u32 {
        let records = if self.is_in_loop() { 2 } else { 0 };
        self.buffers.len() as u32 + records
    }

    /// Whether it reads or writes the records of a loop.
    #[must_use]
    pub fn is_in_loop(&self) -> bool {
        self.reads_loop || self.writes_loop
    }

    /// The kernel's name with its variant: `fbt/trim (AGGREGATED)`.
    #[must_use]
    pub fn label(&self) -> String {
        match self.variant {
            "plain" => self.name.to_owned(),
            variant => format!("{} ({variant})", self.name),
        }
    }
}

/// A storage binding of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSlot {
    /// The variable's name.
    pub name: &'static str,
    /// Its place in group 0.
    pub binding: u32,
    /// Whether the kernel may write to it.
    pub writes: bool,
    /// The bytes of an element.
    pub element_bytes: u32,
}

/// The uniform binding of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamsSlot {
    /// Its place in group 0.
    pub binding: u32,
    /// Its size in bytes.
    pub bytes: u32,
}

/// A kernel together with everything it is to run on: what a [`Recording`](crate::Recording) dispatches.
///
/// The types in [`kernels`](crate::kernels) implement it, one a shader: a field a buffer, a field for the
/// parameters, a `u32` an override constant, and a `bool` a flag.
pub trait Pass {
    /// The variant to run, and what to run it on.
    fn call(&self) -> Call;
}

/// A [`Pass`] with its types erased.
#[derive(Clone, Debug)]
pub struct Call {
    /// The variant.
    pub kernel: &'static Kernel,
    /// A buffer a slot of the kernel, in the slots' order.
    pub buffers: Vec<AnyBuffer>,
    /// The bytes of the uniform; empty if the kernel has none.
    pub params: Vec<u8>,
    /// The constants, by name.
    pub constants: Vec<(&'static str, u32)>,
    missing: Option<&'static str>,
}

impl Call {
    /// A call of `kernel`, with nothing bound.
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

    /// Binds `buffer` to the slot called `name`; a variant without that slot ignores it. Slots are to be
    /// given in the order of their bindings.
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

    /// Sets the uniform's bytes; a variant without a uniform ignores them.
    #[must_use]
    pub fn params(mut self, bytes: &[u8]) -> Self {
        if self.kernel.params.is_some() {
            self.params = bytes.to_vec();
        }
        self
    }

    /// Sets a constant; a variant without it ignores it.
    #[must_use]
    pub fn constant(mut self, name: &'static str, value: u32) -> Self {
        if self.kernel.constants.contains(&name) {
            self.constants.push((name, value));
        }
        self
    }

    /// Whether the call fits its kernel.
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
}
