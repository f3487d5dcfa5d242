//! Finds constants of kernels that the host repeats by hand. They are defined once, in WGSL, and
//! the build script generates them for the host (`gpu::kernels`).

use std::collections::BTreeMap;

/// Smaller numbers are equal by chance.
const LEAST: u64 = 20_000;

/// The constants of WGSL files whose values are numbers.
#[derive(Default)]
pub(crate) struct Shared {
    by_name: BTreeMap<String, u64>,
}

impl Shared {
    /// Adds the constants of a WGSL file.
    pub(crate) fn add(&mut self, text: &str) {
        for line in text.lines() {
            if let Some((name, value)) = constant(line)
                && let Some(value) = number(value.trim_end_matches('u'))
            {
                self.by_name.insert(name.to_owned(), value);
            }
        }
    }

    /// The number of them.
    pub(crate) fn len(&self) -> usize {
        self.by_name.len()
    }

    /// The constants of a Rust file that repeat one of a WGSL file, by their name or by their
    /// value.
    pub(crate) fn repeated(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for line in text.lines() {
            let Some((name, value)) = constant(line) else {
                continue;
            };
            let Some(value) = number(value) else {
                continue;
            };
            let same_value = self.by_name.iter().find(|(_, known)| **known == value);
            if self.by_name.contains_key(name) {
                found.push(format!("`{name}` is a constant of a kernel"));
            } else if let Some((known, _)) = same_value.filter(|_| value >= LEAST) {
                found.push(format!("`{name}` is the `{known}` of a kernel"));
            }
        }
        found
    }
}

/// The name and the value of a constant, in either language.
fn constant(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let after = line.split_once("const ").filter(|(before, _)| {
        before.is_empty() || before.starts_with("pub") && before.ends_with(' ')
    })?;
    let (name, value) = after.1.split_once('=')?;
    let name = name.split(':').next().unwrap_or(name).trim();
    Some((name, value.trim().trim_end_matches(';')))
}

/// The value of a number, of a power of two, or of one less than a power of two.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some(power) = text.strip_suffix("- 1") {
        let power = power.trim().trim_start_matches('(').trim_end_matches(')');
        return number(power)?.checked_sub(1);
    }
    if let Some((left, right)) = text.split_once("<<") {
        let shift = u32::try_from(number(right)?).ok()?;
        return number(left)?.checked_shl(shift);
    }
    let digits = text.replace('_', "");
    match digits.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    }
}
