//! The installable binary.
fn main() {}
