//! The layout of values of WGSL's types in registers and in buffers.

use naga::{ArraySize, Handle, Module, Type, TypeInner};

/// A kind of layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Without gaps, as in registers and in the memory of workgroups.
    Packed,
    /// With the offsets and strides of WGSL for memory that is shared with the host.
    Host,
}

/// Returns the number of registers of a value; `None` if its size is not fixed, or if its type is
/// not supported.
pub(super) fn words(module: &Module, inner: &TypeInner) -> Option<u32> {
    match inner {
        TypeInner::Scalar(_) | TypeInner::Atomic(_) => Some(1),
        TypeInner::Vector { size, .. } => Some(*size as u32),
        TypeInner::Array {
            base,
            size: ArraySize::Constant(length),
            ..
        } => Some(length.get() * words_of(module, *base)?),
        TypeInner::Struct { members, .. } => members
            .iter()
            .map(|member| words_of(module, member.ty))
            .sum(),
        _ => None,
    }
}

pub(super) fn words_of(module: &Module, ty: Handle<Type>) -> Option<u32> {
    words(module, &module.types[ty].inner)
}

/// Returns the number of words from one element of an array to the next.
pub(super) fn stride(
    module: &Module,
    layout: Layout,
    base: Handle<Type>,
    bytes: u32,
) -> Option<u32> {
    match layout {
        Layout::Packed => words_of(module, base),
        Layout::Host => Some(bytes / 4),
    }
}

/// Returns the offset of a member of a structure, in words.
pub(super) fn offset(
    module: &Module,
    layout: Layout,
    members: &[naga::StructMember],
    index: usize,
) -> Option<u32> {
    match layout {
        Layout::Packed => members[..index]
            .iter()
            .map(|member| words_of(module, member.ty))
            .sum(),
        Layout::Host => Some(members[index].offset / 4),
    }
}

/// Returns the ranges of words of a value: the beginning and the length of each. In registers, they
/// are contiguous.
pub(super) fn stretches(
    module: &Module,
    layout: Layout,
    inner: &TypeInner,
) -> Option<Vec<(u32, u32)>> {
    let mut found = Vec::new();
    match layout {
        Layout::Packed => found.push((0, words(module, inner)?)),
        Layout::Host => host_stretches(module, inner, 0, &mut found)?,
    }
    Some(found)
}

/// Adds the ranges of words of a value that begins at word `at` of a buffer.
fn host_stretches(
    module: &Module,
    inner: &TypeInner,
    at: u32,
    found: &mut Vec<(u32, u32)>,
) -> Option<()> {
    match inner {
        TypeInner::Array {
            base,
            size: ArraySize::Constant(length),
            stride,
        } => {
            for k in 0..length.get() {
                let inner = &module.types[*base].inner;
                host_stretches(module, inner, at + k * stride / 4, found)?;
            }
        }
        TypeInner::Struct { members, .. } => {
            for member in members {
                let inner = &module.types[member.ty].inner;
                host_stretches(module, inner, at + member.offset / 4, found)?;
            }
        }
        _ => found.push((at, words(module, inner)?)),
    }
    Some(())
}
