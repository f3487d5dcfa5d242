//! Recordings on a real device (Mesa's lavapipe will do), against what they should compute.

#[path = "../common/mod.rs"]
mod common;
mod control;
mod loops;
mod search;
mod transfers;
