//! The installable binary. All code is in the library, which `cargo xtask` calls, too.

use std::process::ExitCode;

fn main() -> ExitCode {
    maxend::run(std::env::args_os())
}
