//! Adapters as plain data: the adapters of a machine, their limits, and the choice of one of them.
//!
//! The choice depends on these data alone, so that it can be tested without a device.

use std::fmt;

use crate::error::{Error, Result};
use crate::kernel::Kernel;

/// The description of an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// The name that the driver gives it, such as `NVIDIA H200`.
    pub name: String,
    /// The interface through which it is used, such as `vulkan`.
    pub backend: String,
    /// The driver's name and version.
    pub driver: String,
    /// The kind of processor.
    pub kind: AdapterKind,
    /// The smallest and the largest size of a subgroup of a kernel.
    pub subgroup_sizes: (u32, u32),
    /// Whether kernels may use subgroup operations.
    pub subgroups: bool,
    /// Whether passes can be timed.
    pub timestamps: bool,
    /// The limits of the adapter.
    pub limits: Limits,
}

/// The kinds of adapters, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A separate card.
    Discrete,
    /// Part of the processor's chip.
    Integrated,
    /// A share of a card, which is assigned to a virtual machine.
    Virtual,
    /// A kind that the driver does not name.
    Other,
    /// The processor itself.
    Software,
}

/// The limits that determine whether a kernel or a buffer fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a storage binding, and so of a [`Buffer`](crate::Buffer), in bytes.
    pub max_binding_bytes: u64,
    /// The maximum size of an allocation, in bytes.
    pub max_buffer_bytes: u64,
    /// The maximum number of storage buffers of a kernel.
    pub max_bindings: u32,
    /// The maximum number of workgroups in one dimension of a dispatch.
    pub max_workgroups: u32,
    /// The maximum number of invocations in a workgroup.
    pub max_invocations: u32,
    /// The maximum size of workgroup memory, in bytes.
    pub max_workgroup_bytes: u32,
    /// The maximum size of the parameters of a kernel, in bytes.
    pub max_params_bytes: u32,
}

impl Limits {
    /// The limits that WebGPU guarantees on every adapter.
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
    /// Returns the maximum number of iterations that the loops of one invocation may have in one
    /// dispatch. Mesa's software device counts the iterations of all loops of an invocation
    /// together, and silently ends each loop after 65,535 of them. This value leaves some
    /// iterations for the enclosing loops.
    pub fn max_iterations(&self) -> u32 {
        match self.kind {
            AdapterKind::Software => 60_000,
            _ => u32::MAX,
        }
    }

    /// Checks whether this adapter can run a kernel. Callers check this before they upload
    /// anything. The executor checks it again before it compiles the kernel.
    ///
    /// # Errors
    ///
    /// [`Error::LimitExceeded`] or [`Error::Unsupported`], with the name of the kernel.
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

/// A request for an adapter, and the limits under which it is opened.
///
/// The default requests the best hardware adapter, and accepts no software adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// If set: request the adapter whose name contains this text, ignoring case. It may be a
    /// software adapter.
    pub name: Option<String>,
    /// If set: request the adapter with this number in the list of [`adapters`](crate::adapters),
    /// counted from 0, whatever the other fields request.
    pub number: Option<usize>,
    /// Whether to accept a software adapter if there is no hardware.
    pub allow_software: bool,
    /// If set: open the adapter with at most these limits, even if it has larger ones. Then both
    /// this crate and wgpu refuse what does not fit a smaller adapter.
    pub at_most: Option<Limits>,
    /// Whether to check the indices and loops of all kernels as they run, including kernels that
    /// need no checks ([`Checks`](crate::Checks)). If not set, debug builds check them. If the
    /// driver does not bound accesses to buffers, they are checked in any case.
    pub checks: Option<bool>,
}

impl Request {
    /// Requests the best hardware adapter. This is the default.
    #[must_use]
    pub fn hardware() -> Self {
        Self::default()
    }

    /// Requests the adapter whose name contains `name`.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: Some(name.into()),
            ..Self::default()
        }
    }

    /// Requests the adapter with this number in the list of [`adapters`](crate::adapters).
    #[must_use]
    pub fn numbered(number: usize) -> Self {
        Self {
            number: Some(number),
            ..Self::default()
        }
    }

    /// Requests the best adapter, hardware before software.
    #[must_use]
    pub fn any() -> Self {
        Self {
            allow_software: true,
            ..Self::default()
        }
    }

    /// Returns the index of the adapter that serves this request best.
    ///
    /// # Errors
    ///
    /// [`Error::NoAdapter`], with the request and the adapters that there are.
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
