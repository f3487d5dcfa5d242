//! Tests that recordings compute the right results on a device. Mesa's lavapipe is sufficient.

#[path = "../common/mod.rs"]
mod common;
mod loops;
mod run_options;
mod search;
mod transfers;
