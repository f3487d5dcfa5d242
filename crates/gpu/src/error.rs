//! The errors of a program and its device. Failures are returned as errors, not as panics.

/// The result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of the device layer.
///
/// Each message says what was requested and what is available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No adapter fits the request.
    #[error("no {wanted} found; {}", present(.found))]
    NoAdapter {
        /// The request, such as "hardware GPU" or "adapter whose name contains `H200`".
        wanted: String,
        /// The adapters that there are, one string for each.
        found: Vec<String>,
    },
    /// This process was forked from a process that had begun to use a GPU. Drivers do not work in
    /// it, because the locks that threads of the other process held stay locked.
    #[error("a process that was forked after a GPU was used cannot use one; start it by `spawn`")]
    Forked,
    /// The adapter lacks a feature that a kernel needs.
    #[error("{what} needs {feature}, which this adapter does not have")]
    Unsupported {
        /// The kernel.
        what: String,
        /// The missing feature.
        feature: &'static str,
    },
    /// A limit of the adapter would be exceeded. This is checked before memory is allocated.
    #[error("{what} needs {needed}, the adapter allows {available}")]
    LimitExceeded {
        /// What exceeds the limit, with its unit.
        what: String,
        /// The amount that is needed.
        needed: u64,
        /// The limit.
        available: u64,
    },
    /// The device has no memory for a buffer.
    #[error("out of device memory: `{what}` needs {needed} bytes on top of the {in_use} in use")]
    OutOfMemory {
        /// The buffer.
        what: String,
        /// Its size, in bytes.
        needed: u64,
        /// The size of the other buffers of this device, in bytes.
        in_use: u64,
    },
    /// The host has no memory for data of the device.
    #[error("out of memory: the host has no room for the {needed} bytes of `{what}`")]
    HostMemory {
        /// The buffer that is read.
        what: String,
        /// Its size, in bytes.
        needed: u64,
    },
    /// The device was lost, for example because of a reset, a removal, or a kernel that ran too
    /// long.
    #[error("the device was lost: {reason}")]
    DeviceLost {
        /// The reason that the driver gives.
        reason: String,
    },
    /// A kernel, a pass or a transfer is invalid. This is a mistake in the program, not in its
    /// input.
    #[error("{what}: {message}")]
    Validation {
        /// The kernel, pass or buffer.
        what: String,
        /// What is wrong with it.
        message: String,
    },
    /// A loop did not end within its maximum number of iterations.
    #[error("the loop `{what}` did not end within {iterations} iterations")]
    LoopLimit {
        /// The loop.
        what: String,
        /// The maximum number of iterations.
        iterations: u64,
    },
    /// The observer cancelled the run.
    #[error("cancelled")]
    Cancelled,
}

fn present(found: &[String]) -> String {
    match found {
        [] => "there is no adapter at all".to_owned(),
        _ => format!("present: {}", found.join(", ")),
    }
}

impl Error {
    pub(crate) fn validation(what: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Validation {
            what: what.into(),
            message: message.into(),
        }
    }
}
