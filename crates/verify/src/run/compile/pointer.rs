//! [`Pointer`]: the target of a pointer, as far as it is known at compile time.

use naga::{Handle, Type};

use super::super::code::{Address, NONE, Reg};
use super::types::Layout;

/// The target of a pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub(super) root: Root,
    pub(super) layout: Layout,
    /// The number of words from the beginning of the variable.
    pub(super) base: u32,
    /// A register with a number of words to be added.
    pub(super) at: Reg,
    pub(super) to: Pointee,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    Register(Reg),
    Object(u32),
}

/// The kind of the target of a pointer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pointee {
    Type(Handle<Type>),
    /// A component of a vector.
    Scalar,
}

impl Pointer {
    pub(super) fn register(register: Reg, ty: Handle<Type>) -> Self {
        Self {
            root: Root::Register(register),
            layout: Layout::Packed,
            base: 0,
            at: NONE,
            to: Pointee::Type(ty),
        }
    }

    pub(super) fn object(object: u32, layout: Layout, ty: Handle<Type>) -> Self {
        Self {
            root: Root::Object(object),
            layout,
            base: 0,
            at: NONE,
            to: Pointee::Type(ty),
        }
    }

    /// Returns the address of the target, if it is in a shared variable.
    pub(super) fn address(&self) -> Option<Address> {
        match self.root {
            Root::Object(object) => Some(Address {
                object,
                base: self.base,
                at: self.at,
            }),
            Root::Register(_) => None,
        }
    }
}
