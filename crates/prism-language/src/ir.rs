//! Expressions after checking: typed, constants folded, and each node with what is known about its
//! value. Nodes refer to nodes before them, so that every pass is a loop.

mod check;
mod node;

pub(crate) use check::{Meaning, Scope, Wanted, typed};
pub(crate) use node::{Expr, Id, Op, Slot};
