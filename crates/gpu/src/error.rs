//! The errors that may occur between a program and its device. None of them is a panic.

/// The result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of the device layer.
///
/// Each message says what was asked for and what there was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No adapter fits the request.
    #[error("no {wanted} found; {}", present(.found))]
    NoAdapter {
        /// What was looked for: "hardware GPU", "adapter whose name contains `H200`".
        wanted: String,
        /// What there is, one line an adapter.
        found: Vec<String>,
    },
    /// This process was forked from one that had begun to use a GPU. Drivers do not work in it: a
    /// lock that a thread of the other process held stays locked.
    #[error("a process that was forked after a GPU was used cannot use one; start it by `spawn`")]
    Forked,
    /// The adapter lacks something a kernel is built on.
    #[error("{what} needs {feature}, which this adapter does not have")]
    Unsupported {
        /// The kernel.
        what: String,
        /// The missing feature.
        feature: &'static str,
    },
    /// A limit of the adapter, seen before anything was allocated.
    #[error("{what} needs {needed}, the adapter allows {available}")]
    LimitExceeded {
        /// What was asked for, with its unit.
        what: String,
        /// How much of it.
        needed: u64,
        /// How much there can be.
        available: u64,
    },
    /// The device has no room for a buffer.
    #[error("out of device memory: `{what}` needs {needed} bytes on top of the {in_use} in use")]
    OutOfMemory {
        /// The buffer.
        what: String,
        /// Its size, in bytes.
        needed: u64,
        /// What this device's other buffers hold, in bytes.
        in_use: u64,
    },
    /// The host has no room for what a device is to send.
    #[error("out of memory: the host has no room for the {needed} bytes of `{what}`")]
    HostMemory {
        /// The buffer that is read.
        what: String,
        /// Its size, in bytes.
        needed: u64,
    },
    /// The device went away: a reset, a removal, a kernel that ran too long.
    #[error("the device was lost: {reason}")]
    DeviceLost {
        /// What the driver said.
        reason: String,
    },
    /// A kernel, a pass or a transfer is wrong: a mistake in the program, not in its input.
    #[error("{what}: {message}")]
    Validation {
        /// The kernel, pass or buffer.
        what: String,
        /// What is wrong with it.
        message: String,
    },
    /// A loop ran for as long as it was allowed to, without coming to its end.
    #[error("the loop `{what}` did not end within {iterations} iterations")]
    LoopLimit {
        /// The loop.
        what: String,
        /// How many iterations it was allowed.
        iterations: u64,
    },
    /// The observer asked to stop.
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
