//! Tests of the library in C and C++ programs.

mod examples;
mod header;
mod install;
