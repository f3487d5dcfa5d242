//! Kernels of the project, and small kernels that are right or wrong, under the lints and the
//! interpreter.

mod batch;
mod bfs;
mod bounds;
mod claims;
mod engines;
mod hidden_races;
mod lint;
mod monotone;
mod promises;
mod race;
