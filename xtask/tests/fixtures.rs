//! The generated fixtures are what their generators make.

use std::process::Command;

#[test]
fn generated_fixtures_are_up_to_date() {
    let run = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["fixtures", "--check"])
        .output()
        .expect("xtask runs");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}
