//! Tests of the crate's interface: the answers and certificates that are accepted, and the messages
//! for all others.

mod common;
mod contract;
mod cycle_mean;
mod exhaustive;
mod exploration;
mod large;
mod messages;
mod models;
mod mutations;
mod observer;
