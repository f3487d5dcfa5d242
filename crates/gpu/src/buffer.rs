//! Device memory, as typed and named handles.
//!
//! A handle refers to the device that holds the memory. The memory is freed when the last clone of
//! the handle is dropped. It may then be kept for other buffers of the same device.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;

use crate::error::{Error, Result};

/// The identity of a buffer, unique in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferId(u64);

impl BufferId {
    pub(crate) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The owner of the memory of buffers. This is the part of an [`Executor`](crate::Executor) that
/// handles use.
pub trait DeviceMemory: Send + Sync {
    /// Frees the memory of `id`.
    fn free(&self, id: BufferId);
}

/// An array of `T` on a device. Clones share the array.
pub struct Buffer<T> {
    any: AnyBuffer,
    len: u64,
    element: PhantomData<fn() -> T>,
}

/// A [`Buffer`] without its element type.
#[derive(Clone)]
pub struct AnyBuffer(Arc<Owned>);

struct Owned {
    id: BufferId,
    name: String,
    bytes: u64,
    device: Arc<dyn DeviceMemory>,
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.device.free(self.id);
    }
}

impl<T: Pod> Buffer<T> {
    /// The size of an element, in bytes. Elements whose size is 0 or no multiple of 4 do not
    /// compile, because devices copy words.
    pub(crate) const ELEMENT: u64 = {
        assert!(size_of::<T>() > 0 && size_of::<T>().is_multiple_of(4));
        size_of::<T>() as u64
    };

    /// Makes a handle for memory that `device` already holds under `id`.
    pub(crate) fn new(
        id: BufferId,
        name: &str,
        len: u64,
        bytes: u64,
        device: Arc<dyn DeviceMemory>,
    ) -> Self {
        let owned = Owned {
            id,
            name: name.to_owned(),
            bytes,
            device,
        };
        Self {
            any: AnyBuffer(Arc::new(owned)),
            len,
            element: PhantomData,
        }
    }

    /// Converts a range of elements to a range of bytes.
    pub(crate) fn bytes_of(&self, range: &Range<u64>) -> Result<Range<u64>> {
        if range.start > range.end || range.end > self.len {
            let (Range { start, end }, len) = (range, self.len);
            return Err(Error::validation(
                self.name(),
                format!("elements {start}..{end} of {len}"),
            ));
        }
        Ok(range.start * Self::ELEMENT..range.end * Self::ELEMENT)
    }

    /// Returns the same array, as words.
    pub(crate) fn words(&self) -> Buffer<u32> {
        Buffer {
            any: self.any.clone(),
            len: self.len * (Self::ELEMENT / 4),
            element: PhantomData,
        }
    }
}

impl<T> Buffer<T> {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether the buffer has no elements. The device holds one element nevertheless,
    /// because a binding cannot be empty. So kernels whose arrays may be empty take the lengths
    /// from parameters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the name of the buffer in errors and traces.
    #[must_use]
    pub fn name(&self) -> &str {
        self.any.name()
    }

    /// Returns the same array without its element type.
    #[must_use]
    pub fn erased(&self) -> AnyBuffer {
        self.any.clone()
    }

    pub(crate) fn any(&self) -> &AnyBuffer {
        &self.any
    }
}

impl AnyBuffer {
    /// Returns the identity of the buffer.
    #[must_use]
    pub fn id(&self) -> BufferId {
        self.0.id
    }

    /// Returns the name of the buffer.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the size of the buffer on the device, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Returns whether `device` holds the memory of the buffer.
    pub(crate) fn lives_on<D: DeviceMemory + ?Sized>(&self, device: &Arc<D>) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.0.device), Arc::as_ptr(device))
    }
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Self {
            any: self.any.clone(),
            len: self.len,
            element: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "Buffer({:?}, {} x {element})", self.name(), self.len)
    }
}

impl fmt::Debug for AnyBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyBuffer({:?}, {} bytes)", self.name(), self.bytes())
    }
}
