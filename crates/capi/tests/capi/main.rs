//! Tests of the library in C and C++ programs.

mod examples;
mod header;
#[cfg(target_os = "linux")]
mod install;
