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
        /// The source, and the bytes of it.
        from: (AnyBuffer, Range<u64>),
        /// The destination, and where in it.
        to: (AnyBuffer, u64),
    },
    /// Write bytes that were recorded.
    Write {
        /// The destination, and where in it.
        to: (AnyBuffer, u64),
        /// The bytes.
        data: Vec<u8>,
    },
    /// Bring bytes to the host: the next read of the outcome.
    Read(AnyBuffer, Range<u64>),
    /// Run a body until its record says that nothing is left: the next loop of the outcome.
    Repeat(Repeated),
    /// Skip steps unless a condition holds.
    Guard(Guard),
}

impl Step {
    /// The buffers that it touches.
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

    /// The buffers that it writes to, if it is no loop.
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

    /// Its kernels with what they are bound to.
    pub(crate) fn calls(&self) -> &[Call] {
        match self {
            Self::Dispatch(Dispatch { call, .. }) => slice::from_ref(call),
            Self::Repeat(repeated) => &repeated.body,
            _ => &[],
        }
    }
}

/// A kernel and how many workgroups run it, for executors.
#[derive(Debug)]
pub struct Dispatch {
    /// The kernel and what it is bound to.
    pub call: Call,
    /// The workgroups in x, y and z.
    pub groups: [u32; 3],
}

/// A condition, and how many of the following steps depend on it, for executors.
#[derive(Debug)]
pub struct Guard {
    /// What has to hold.
    pub condition: Condition,
    /// How many steps; all that follow, if not set.
    pub steps: Option<usize>,
}

/// What a recording can make steps depend on.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The word at this byte of a buffer is not zero.
    Word(AnyBuffer, u64),
    /// The record that ended the loop has no workgroups in this dimension.
    Without(LoopHandle, usize),
    /// The record that ended the loop has workgroups in this dimension.
    With(LoopHandle, usize),
}
