//! Writes models as PRISM explicit files. The parser's writer is not used, so that an error which
//! it has in common with the parser is noticed.

use super::Model;
use std::io::{self, Write};

/// The number of bytes that are collected before they are written. A state may have a billion
/// branches.
const MAX_BYTES: usize = 1 << 16;

/// Writes a `.tra` file: a header with counts, and one line for each branch.
pub(crate) fn write_transitions(model: &dyn Model, out: &mut dyn Write) -> io::Result<()> {
    let (choices, branches) = count(model);
    writeln!(out, "{} {choices} {branches}", model.num_states())?;
    let mut lines = String::new();
    let mut written = Ok(());
    for state in 0..model.num_states() {
        let mut index = 0;
        model.choices(state, &mut |action, branches| {
            for &(target, probability) in branches {
                push_line(&mut lines, state, index, target, probability, action);
                if lines.len() > MAX_BYTES && written.is_ok() {
                    written = out.write_all(lines.as_bytes());
                    lines.clear();
                }
            }
            index += 1;
        });
        std::mem::replace(&mut written, Ok(()))?;
    }
    out.write_all(lines.as_bytes())
}

/// Appends one line of a `.tra` file.
fn push_line(
    line: &mut String,
    state: u32,
    choice: u32,
    target: u32,
    probability: f64,
    action: Option<&str>,
) {
    use std::fmt::Write as _;
    let _ = write!(line, "{state} {choice} {target} {probability}");
    if let Some(action) = action {
        let _ = write!(line, " {action}");
    }
    line.push('\n');
}

/// Returns the numbers of choices and branches.
fn count(model: &dyn Model) -> (u64, u64) {
    let (mut choices, mut branches) = (0, 0);
    for state in 0..model.num_states() {
        model.choices(state, &mut |_, of_choice| {
            choices += 1;
            branches += of_choice.len() as u64;
        });
    }
    (choices, branches)
}
