//! The steps of a recording, as executors see them.

use std::ops::Range;
use std::slice;

use crate::buffer::AnyBuffer;
use crate::call::Call;
use crate::handle::LoopHandle;
use crate::repeat::Repeated;

/// One step of a [`Recording`](crate::Recording), for executors.
#[derive(Debug)]
pub enum Step {
    /// Run a kernel.
    Dispatch(Dispatch),
    /// Set every byte to zero.
    Clear(AnyBuffer),
    /// Copy bytes between two buffers.
    Copy {
        /// The source, and the range of bytes in it.
        from: (AnyBuffer, Range<u64>),
        /// The destination, and the first byte in it.
        to: (AnyBuffer, u64),
    },
    /// Write bytes that were recorded.
    Write {
        /// The destination, and the first byte in it.
        to: (AnyBuffer, u64),
        /// The bytes.
        data: Vec<u8>,
    },
    /// Read bytes to the host: the next read of the outcome.
    Read(AnyBuffer, Range<u64>),
    /// Run a body until its record has no workgroups: the next loop of the outcome.
    Repeat(Repeated),
    /// Skip steps if a condition does not hold.
    Guard(Guard),
}

impl Step {
    /// Returns the buffers that the step uses.
    pub(crate) fn buffers(&self) -> Vec<&AnyBuffer> {
        match self {
            Self::Dispatch(Dispatch { call, .. }) => call.buffers.iter().collect(),
            Self::Guard(Guard {
                condition: Condition::Word(buffer, _),
                ..
            }) => vec![buffer],
            Self::Guard(_) => Vec::new(),
            Self::Clear(buffer)
            | Self::Read(buffer, _)
            | Self::Write {
                to: (buffer, _), ..
            } => vec![buffer],
            Self::Copy { from, to } => vec![&from.0, &to.0],
            Self::Repeat(repeated) => repeated.buffers(),
        }
    }

    /// Returns the buffers that the step writes to. Loops are not examined.
    pub(crate) fn written(&self) -> impl Iterator<Item = &AnyBuffer> {
        let (call, target) = match self {
            Self::Dispatch(Dispatch { call, .. }) => (Some(call), None),
            Self::Clear(to) | Self::Copy { to: (to, _), .. } | Self::Write { to: (to, _), .. } => {
                (None, Some(to))
            }
            Self::Read(..) | Self::Repeat(_) | Self::Guard(_) => (None, None),
        };
        call.into_iter().flat_map(Call::written).chain(target)
    }

    /// Returns the calls of kernels in the step.
    pub(crate) fn calls(&self) -> &[Call] {
        match self {
            Self::Dispatch(Dispatch { call, .. }) => slice::from_ref(call),
            Self::Repeat(repeated) => &repeated.body,
            _ => &[],
        }
    }
}

/// A kernel and the number of its workgroups, for executors.
#[derive(Debug)]
pub struct Dispatch {
    /// The kernel with its buffers and parameters.
    pub call: Call,
    /// The number of workgroups in x, y and z.
    pub groups: [u32; 3],
}

/// A condition, and the number of the following steps that depend on it, for executors.
#[derive(Debug)]
pub struct Guard {
    /// The condition.
    pub condition: Condition,
    /// The number of steps that depend on it; `None` for all that follow.
    pub steps: Option<usize>,
}

/// A condition on which the steps of a recording can depend.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The word at this byte offset of a buffer is not zero.
    Word(AnyBuffer, u64),
    /// The record that ended the loop has no workgroups in this dimension.
    Without(LoopHandle, usize),
    /// The record that ended the loop has workgroups in this dimension.
    With(LoopHandle, usize),
}
