//! A kernel as the host sees it.
//!
//! The build script writes the table of all [`Kernel`]s from `shaders/`.

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
    /// The bytes of workgroup memory that its variables take.
    pub workgroup_bytes: u32,
    /// When its indices and loops are checked as it runs.
    pub checks: Checks,
    /// The lines that say what its host promises ([`Promise`](crate::Promise)).
    pub promises: &'static [&'static str],
}

/// Lines of a kernel's WGSL that follow one another in one file, up to where the next stretch
/// begins.
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
    /// When that is [asked for](crate::Request::checks). For kernels whose loops end, and whose
    /// indices into workgroup memory are bounded by the code, whatever lies in their buffers: those
    /// of this crate that say `checks: debug`.
    pub(crate) const DEBUG: Self = Self(false);
}

impl Kernel {
    /// Where line `line` of the [`source`](Self::source) was written: the path below `shaders/`,
    /// and the line in that file. Both count from 1.
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
    /// Its members that are a `u32`, and at which byte they are.
    pub words: &'static [(&'static str, u32)],
}
