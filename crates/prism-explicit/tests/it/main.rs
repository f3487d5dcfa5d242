//! Tests of the crate's interface: errors, visits, round trips, and the models of other tools.

mod errors;
mod models;
mod round_trip;
mod visit;
