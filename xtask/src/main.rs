//! `cargo xtask`: the project's own tasks.
fn main() {}
