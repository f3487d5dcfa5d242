//! Expressions after checking: they are typed, constants are folded, and each node has bounds on
//! its value. Nodes refer only to earlier nodes, so every pass is a loop.

mod check;
mod node;

pub(crate) use check::{Meaning, Scope, Wanted, about, typed};
pub(crate) use node::{Expr, Id, Op, Slot};
