//! Archives from outside: errors, parts, mutations, round trips, and the models of other tools.

mod common;
mod errors;
mod models;
mod mutation;
mod parts;
mod pieces;
mod round_trip;
