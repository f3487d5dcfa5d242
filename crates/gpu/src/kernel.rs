//! A kernel as the host sees it.
//!
//! The build script writes the table of all [`Kernel`]s from `shaders/`.

/// One variant of a shader, with everything that a host must know to run it.
#[derive(Debug)]
pub struct Kernel {
    /// The shader's path below `shaders/`, without its extension, such as `fbt/trim`.
    pub name: &'static str,
    /// The flags that are on, joined by `+`; `plain` if none.
    pub variant: &'static str,
    /// The entry point.
    pub entry: &'static str,
    /// The size of a workgroup in x, y and z, in invocations.
    pub workgroup: [u32; 3],
    /// The source code, in WGSL.
    pub source: &'static str,
    /// The files and lines in which the WGSL was written, in order.
    pub lines: &'static [Lines],
    /// The storage buffers of group 0, by binding.
    pub buffers: &'static [BufferSlot],
    /// The uniform of group 0.
    pub params: Option<ParamsSlot>,
    /// The override constants, all `u32`.
    pub constants: &'static [&'static str],
    /// Whether the kernel reads the record of its iteration (group 1, binding 0).
    pub reads_loop: bool,
    /// Whether the kernel writes the record of the next iteration (group 1, binding 1).
    pub writes_loop: bool,
    /// Whether the kernel uses subgroup operations.
    pub subgroups: bool,
    /// The size of its variables in workgroup memory, in bytes.
    pub workgroup_bytes: u32,
    /// When its indices and loops are checked as it runs.
    pub checks: Checks,
    /// The lines that state what its host promises ([`Promise`](crate::Promise)).
    pub promises: &'static [&'static str],
}

/// Successive lines of a kernel's WGSL that are successive lines of one file. They end where the
/// next such lines begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The first of these lines in [`Kernel::source`], counted from 1.
    pub first: u32,
    /// The file's path below `shaders/`.
    pub file: &'static str,
    /// The line of that file at which they begin, counted from 1.
    pub line: u32,
}

/// When a kernel's indices and loops are checked as it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks(bool);

impl Checks {
    /// Always.
    pub const ALWAYS: Self = Self(true);
    /// Only if this is [requested](crate::Request::checks). This is for kernels whose loops end,
    /// and whose code bounds the indices into workgroup memory, whatever their buffers contain: the
    /// kernels of this crate that declare `checks: debug`.
    pub(crate) const DEBUG: Self = Self(false);
}

impl Kernel {
    /// Returns where line `line` of the [`source`](Self::source) was written: the path below
    /// `shaders/`, and the line in that file. Both lines are counted from 1.
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

    /// Returns the number of invocations of a workgroup.
    #[must_use]
    pub fn invocations(&self) -> u32 {
        self.workgroup.iter().product()
    }

    /// Returns the number of storage buffers that the kernel binds: its own, and two records if it
    /// is in a loop.
    #[must_use]
    pub fn storage_buffers(&self) -> u32 {
        let records = if self.is_in_loop() { 2 } else { 0 };
        self.buffers.len() as u32 + records
    }

    /// Returns whether the kernel reads or writes the records of a loop.
    #[must_use]
    pub(crate) fn is_in_loop(&self) -> bool {
        self.reads_loop || self.writes_loop
    }

    /// Returns the kernel's name with its variant: `fbt/trim (AGGREGATED)`.
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
    /// The binding in group 0.
    pub binding: u32,
    /// Whether the kernel may write to it.
    pub writes: bool,
    /// The size of an element, in bytes.
    pub element_bytes: u32,
}

/// The uniform binding of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamsSlot {
    /// The binding in group 0.
    pub binding: u32,
    /// Its size in bytes.
    pub bytes: u32,
    /// Its members of type `u32`, with their byte offsets.
    pub words: &'static [(&'static str, u32)],
}
