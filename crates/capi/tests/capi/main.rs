//! The library as programs in C and C++ use it.

mod examples;
mod header;
mod install;
