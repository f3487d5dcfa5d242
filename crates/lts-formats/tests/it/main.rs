//! The readers and writers from outside: errors, round trips, and broken files.

mod errors;
mod examples;
mod round_trip;
