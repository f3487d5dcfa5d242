//! Tests of the crate's interface: limits, and models in PRISM's language.

mod expander;
mod limits;
mod prism_models;
mod systems;
