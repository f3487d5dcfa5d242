//! Tests that recordings compute the right results on a device. Mesa's lavapipe is sufficient.

#[path = "../common/mod.rs"]
mod common;
mod control;
mod loops;
mod search;
mod transfers;
