//! The functions of a Rust source, and how long they are.

use super::code::code_only;

/// A function: its name, the line that it begins in, counted from 1, and how many lines it has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) lines: usize,
}

/// The functions of a Rust source that have a body, without those in modules for tests.
pub(crate) fn functions(source: &str) -> Vec<Function> {
    let code = code_only(source);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let line_of = |at: usize| 1 + code[..at].matches('\n').count();
    let (mut functions, mut at) = (Vec::new(), 0);
    while let Some(found) = next(&code, at) {
        if code[found..].starts_with('#') {
            at = found + item_length(&code[found..]).unwrap_or(1);
            continue;
        }
        at = found + "fn ".len();
        let name: String = code[at..].chars().take_while(|&c| is_word(c)).collect();
        let is_begin = !code[..found].ends_with(is_word);
        if let Some(length) = item_length(&code[found..]).filter(|_| is_begin && !name.is_empty()) {
            let line = line_of(found);
            let lines = line_of(found + length) - line + 1;
            functions.push(Function { name, line, lines });
        }
    }
    functions
}

/// Where the next function begins, or the next module for tests.
fn next(code: &str, from: usize) -> Option<usize> {
    let starts = ["fn ", "#[cfg(test)]\nmod "];
    let found = starts.iter().filter_map(|start| code[from..].find(start));
    found.min().map(|at| from + at)
}

/// The length of an item up to the brace that ends its body; `None` if it has no body.
fn item_length(code: &str) -> Option<usize> {
    let (mut depth, mut is_body) = (0, false);
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            '{' => (depth, is_body) = (depth + 1, is_body || depth == 0),
            ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 => return None,
            _ => {}
        }
        if depth == 0 && is_body {
            return Some(at + 1);
        }
    }
    None
}

#[test]
fn functions_are_measured_up_to_their_last_brace() {
    let source = r#"
trait T {
    fn declared(&self) -> [u8; 4];
}
impl T for S {
    fn one(&self) -> [u8; 4] { unsafe_fn (b"}") }
}
fn two(f: fn (u8) -> u8) {
    let text = "{"; // }
    if text.is_empty() { g(|| ()) }
}
#[cfg(test)]
mod tests {
    fn of_tests() {
    }
}
fn last() {
}
"#;
    let found = functions(source).into_iter();
    let found: Vec<_> = found.map(|f| (f.name, f.line, f.lines)).collect();
    let function = |name: &str, line, lines| (name.to_owned(), line, lines);
    assert_eq!(
        found,
        [
            function("one", 6, 1),
            function("two", 8, 4),
            function("last", 17, 2)
        ]
    );
}
