//! The explorer from outside: limits, and models in PRISM's language.

mod expander;
mod limits;
mod prism_models;
mod systems;
