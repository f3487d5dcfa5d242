//! The binary and the library, tested through their interfaces.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod analyses;
mod archives;
mod bfs;
mod chain_actions;
mod cluster;
mod cluster_archives;
mod cluster_failures;
mod coalitions;
mod combined;
mod common;
mod components;
mod constants;
mod control_characters;
mod cycle_means;
mod dashes;
mod documents;
mod drn;
mod explore;
mod files;
mod gpu;
mod gpu_explore;
mod language;
mod library;
mod markov_automata;
mod memory;
mod messages;
mod models;
mod observations;
mod programs;
mod quotient;
mod readme;
mod results;
#[cfg(unix)]
mod shell_limits;
#[cfg(unix)]
mod signals;
mod standard_error;
mod streams;
mod terminal;
mod types;
mod written_names;
mod written_values;
