//! Certificates from outside: what is accepted, what is refused, and in which words.

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
