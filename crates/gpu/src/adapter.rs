//! Adapters as plain data: which adapters there are, their limits, and which one a caller wants.
//!
//! An adapter is chosen by these data alone, so that the choice can be tested without a device.

use std::fmt;

use crate::error::{Error, Result};
use crate::kernel::Kernel;

/// What an adapter is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// The name the driver gives it, such as `NVIDIA H200`.
    pub name: String,
    /// The interface it is reached by, such as `vulkan`.
    pub backend: String,
    /// The driver's name and version.
    pub driver: String,
    /// What kind of processor it is.
    pub kind: AdapterKind,
    /// The smallest and the largest subgroup a kernel may run in.
    pub subgroup_sizes: (u32, u32),
    /// Whether kernels may use subgroup operations.
    pub subgroups: bool,
    /// Whether passes can be timed.
    pub timestamps: bool,
    /// Its limits.
    pub limits: Limits,
}

/// The kinds of adapters, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A card of its own.
    Discrete,
    /// Part of the processor's chip.
    Integrated,
    /// A share of a card, lent to a virtual machine.
    Virtual,
    /// The driver does not say.
    Other,
    /// The processor itself.
    Software,
}

/// The limits that decide what fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes one storage binding, and so one [`Buffer`](crate::Buffer), holds.
    pub max_binding_bytes: u64,
    /// The most bytes one allocation holds.
    pub max_buffer_bytes: u64,
    /// The most storage buffers a kernel binds.
    pub max_bindings: u32,
    /// The most workgroups in one dimension of a dispatch.
    pub max_workgroups: u32,
    /// The most invocations in a workgroup.
    pub max_invocations: u32,
    /// The most bytes of workgroup memory.
    pub max_workgroup_bytes: u32,
    /// The most bytes of parameters that a kernel binds.
    pub max_params_bytes: u32,
}

impl Limits {
    /// What WebGPU promises of every adapter.
    pub const WEBGPU: Self = Self {
        max_binding_bytes: 128 << 20,
        max_buffer_bytes: 256 << 20,
        max_bindings: 8,
        max_workgroups: 65_535,
        max_invocations: 256,
        max_workgroup_bytes: 16 << 10,
        max_params_bytes: 64 << 10,
    };
}

impl fmt::Display for AdapterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete GPU",
            Self::Integrated => "integrated GPU",
            Self::Virtual => "virtual GPU",
            Self::Other => "unknown kind",
            Self::Software => "software",
        })
    }
}

impl fmt::Display for AdapterInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.name, self.kind, self.backend)
    }
}

impl AdapterInfo {
    /// How many iterations the loops of one invocation may take in one dispatch. Mesa's software
    /// device counts those of all its loops together, and breaks each loop off after 65,535, in
    /// silence; some are left for the loops around.
    pub fn max_iterations(&self) -> u32 {
        match self.kind {
            AdapterKind::Software => 60_000,
            _ => u32::MAX,
        }
    }

    /// Whether this adapter can run a kernel at all. Callers ask before anything is uploaded; the
    /// executor asks again before it compiles the kernel.
    ///
    /// # Errors
    ///
    /// [`Error::LimitExceeded`] or [`Error::Unsupported`], with the kernel's name.
    pub fn can_run(&self, kernel: &Kernel) -> Result<()> {
        let params = kernel.params.map_or(0, |params| params.bytes);
        let counted = [
            (
                "storage buffers",
                kernel.storage_buffers(),
                self.limits.max_bindings,
            ),
            (
                "invocations a workgroup",
                kernel.invocations(),
                self.limits.max_invocations,
            ),
            (
                "bytes of workgroup memory",
                kernel.workgroup_bytes,
                self.limits.max_workgroup_bytes,
            ),
            ("bytes of parameters", params, self.limits.max_params_bytes),
        ];
        for (what, needed, available) in counted {
            if needed > available {
                return Err(Error::LimitExceeded {
                    what: format!("the kernel `{}` ({what})", kernel.label()),
                    needed: needed.into(),
                    available: available.into(),
                });
            }
        }
        match kernel.subgroups && !self.subgroups {
            true => Err(Error::Unsupported {
                what: format!("the kernel `{}`", kernel.label()),
                feature: "subgroup operations",
            }),
            false => Ok(()),
        }
    }
}

/// Which adapter to open, and under what limits.
///
/// The default takes the best hardware there is and no software.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Take the adapter whose name contains this text, in any case; software ones too.
    pub name: Option<String>,
    /// Take the adapter with this number in the list of [`adapters`](crate::adapters), from 0 on,
    /// whatever else is asked for.
    pub number: Option<usize>,
    /// Take a software adapter where there is no hardware.
    pub allow_software: bool,
    /// Open with no more than this, whatever the adapter has: what would not fit a smaller adapter
    /// is refused, by the driver's interface too.
    pub at_most: Option<Limits>,
    /// Check the indices and loops of all kernels as they run, including those that are written so
    /// that nothing has to be checked ([`Checks`](crate::Checks)). If not set, debug builds do.
    pub checks: Option<bool>,
}

impl Request {
    /// The default: the best hardware adapter.
    #[must_use]
    pub fn hardware() -> Self {
        Self::default()
    }

    /// The adapter whose name contains `name`.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: Some(name.into()),
            ..Self::default()
        }
    }

    /// The adapter with this number in the list of [`adapters`](crate::adapters).
    #[must_use]
    pub fn numbered(number: usize) -> Self {
        Self {
            number: Some(number),
            ..Self::default()
        }
    }

    /// The best adapter, hardware before software.
    #[must_use]
    pub fn any() -> Self {
        Self {
            allow_software: true,
            ..Self::default()
        }
    }

    /// The index of the adapter that serves this request best.
    ///
    /// # Errors
    ///
    /// [`Error::NoAdapter`], naming what was wanted and what there is.
    pub fn choose(&self, adapters: &[AdapterInfo]) -> Result<usize> {
        let fits = |(number, info): &(usize, &AdapterInfo)| match (self.number, &self.name) {
            (Some(wanted), _) => wanted == *number,
            (None, Some(name)) => info.name.to_lowercase().contains(&name.to_lowercase()),
            (None, None) => self.allow_software || info.kind != AdapterKind::Software,
        };
        let fitting = adapters.iter().enumerate().filter(fits);
        fitting
            .min_by_key(|(_, info)| info.kind)
            .map(|(index, _)| index)
            .ok_or_else(|| Error::NoAdapter {
                wanted: self.wanted(),
                found: adapters.iter().map(ToString::to_string).collect(),
            })
    }

    fn wanted(&self) -> String {
        if let Some(number) = self.number {
            return format!("adapter with the number {number}, from 0 on,");
        }
        match (&self.name, self.allow_software) {
            (Some(name), _) => format!("adapter whose name contains `{name}`"),
            (None, false) => "hardware GPU".to_owned(),
            (None, true) => "adapter".to_owned(),
        }
    }
}
