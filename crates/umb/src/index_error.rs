//! The words for an index that is not as expected: which value is wrong, what was expected, and
//! what was found. The library that reads JSON has words of its own, for those who program with it.

use serde_json::error::Category;

use crate::error::{Error, ErrorKind};
use crate::format::INDEX;

/// Converts an error of the library, which was found in this text of an index.
pub(crate) fn bad(error: &serde_json::Error, json: &str) -> Error {
    let said = error.to_string();
    let (line, column) = (error.line(), error.column());
    let suffix = format!(" at line {line} column {column}");
    let said = said.strip_suffix(&suffix).unwrap_or(&said);
    let before = before(json, line, column);
    let (what, before) = match error.classify() {
        Category::Data => (of_value(said), before),
        // The last character may be the one that is wrong.
        _ => {
            let mut characters = before.chars();
            let last = characters.next_back();
            (of_text(said, last).to_owned(), characters.as_str())
        }
    };
    let reason = match (line, &*path(before)) {
        (0, _) => what,
        (_, "") => format!("line {line}, column {column}: {what}"),
        (_, path) => format!("`{path}` (line {line}, column {column}): {what}"),
    };
    // It repeats strings of the index, which may have several lines.
    let characters = reason.chars().map(|c| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    });
    let reason = characters.collect();
    Error::in_entry(INDEX, ErrorKind::BadIndex { reason })
}

/// Returns the text up to the byte with this number in a line; both are counted from 1.
fn before(json: &str, line: usize, column: usize) -> &str {
    let lines = json.split_inclusive('\n').take(line.saturating_sub(1));
    let end = lines.map(str::len).sum::<usize>() + column;
    json.get(..end).unwrap_or(json)
}

/// An array or an object around a place in the text.
enum Level<'a> {
    /// An array, and the number of its elements before the place.
    Array(usize),
    /// An object, and the member whose value the place is in, if it is in one.
    Object(Option<&'a str>),
}

/// Returns the names of the members and the indices of the elements that lead to the end of a text,
/// such as `valuations.states.classes[0]`.
fn path(before: &str) -> String {
    let mut levels = Vec::new();
    let mut string = "";
    let mut at = 0;
    while let Some(&byte) = before.as_bytes().get(at) {
        at += 1;
        match (byte, levels.last_mut()) {
            (b'"', _) => {
                string = &before[at..at + length_of_string(&before[at..])];
                at += string.len() + 1;
            }
            (b'[', _) => levels.push(Level::Array(0)),
            (b'{', _) => levels.push(Level::Object(None)),
            (b']' | b'}', _) => _ = levels.pop(),
            (b':', Some(Level::Object(member))) => *member = Some(string),
            (b',', Some(Level::Object(member))) => *member = None,
            (b',', Some(Level::Array(index))) => *index += 1,
            _ => {}
        }
    }
    let mut path = String::new();
    for level in levels {
        match level {
            Level::Array(index) => path += &format!("[{index}]"),
            Level::Object(Some(member)) if path.is_empty() => path += member,
            Level::Object(Some(member)) => path += &format!(".{member}"),
            Level::Object(None) => {}
        }
    }
    path
}

/// Returns the number of bytes before the mark that ends a string, or of all if there is none.
fn length_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.unwrap_or(text.len())
}

/// Returns the words for a text that is not JSON because of this character.
fn of_text(said: &str, wrong: Option<char>) -> &str {
    match said {
        "EOF while parsing a list" => "expected the rest of a list, found the end of the file",
        "EOF while parsing an object" => {
            "expected the rest of an object, found the end of the file"
        }
        "EOF while parsing a string" => "expected the rest of a string, found the end of the file",
        "EOF while parsing a value" => "expected a value, found the end of the file",
        // The library also says this where one of several names is expected, of any other value.
        "expected value" if wrong.is_some_and(begins_value) => "expected a string",
        "expected value" => "expected a value",
        "expected ident" => "expected `true`, `false` or `null`",
        "invalid number" => "expected a number of JSON, such as `0.5`",
        "number out of range" => "the number is too large",
        "invalid escape" => "expected another character after `\\`",
        "invalid unicode code point"
        | "lone leading surrogate in hex escape"
        | "unexpected end of hex escape" => "expected the number of a character after `\\u`",
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "expected `\\n` or a similar escape in place of a control character"
        }
        "key must be a string" => "expected a name in quotation marks",
        "trailing comma" => "expected another element or member after the comma",
        "trailing characters" => "expected the end of the file",
        "recursion limit exceeded" => "values are nested too deeply",
        said => said,
    }
}

/// Returns whether a value that is neither a string nor an object begins with this character.
fn begins_value(character: char) -> bool {
    matches!(character, '-' | '0'..='9' | '[' | 't' | 'f' | 'n')
}

/// Returns the words for a value that the format does not allow.
fn of_value(said: &str) -> String {
    if let Some(name) = said.strip_prefix("missing field ") {
        return format!("the member {name} is missing");
    }
    if let Some(name) = said.strip_prefix("duplicate field ") {
        return format!("the member {name} is there twice");
    }
    let found = ["unknown variant ", "invalid type: ", "invalid value: "]
        .into_iter()
        .find_map(|prefix| said.strip_prefix(prefix));
    match found.and_then(|found| found.rsplit_once(", expected ")) {
        Some((found, expected)) => {
            format!("expected {}, found {}", wanted(expected), given(found))
        }
        None => said.to_owned(),
    }
}

/// Returns the words for a type of the library.
fn wanted(expected: &str) -> &str {
    match expected {
        "u32" => "a whole number from 0 to 2^32 - 1",
        "u64" => "a whole number from 0 to 2^64 - 1",
        "i64" => "a whole number from -2^63 to 2^63 - 1",
        "unit" => "`null`",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        "a map" => "an object",
        "a JSON number" => "a number",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    }
}

/// Returns the words for a value that was found.
fn given(found: &str) -> &str {
    match found {
        "map" => "an object",
        "sequence" => "a list",
        "null" => "`null`",
        _ => ["integer ", "floating point ", "boolean ", "string "]
            .into_iter()
            .find_map(|prefix| found.strip_prefix(prefix))
            .unwrap_or(found),
    }
}

#[cfg(test)]
mod tests {
    use super::bad;
    use crate::index::Index;

    /// Returns what is said of an index in which this text of a sound one is replaced.
    fn said(old: &str, new: &str) -> String {
        let sound = r##"{
  "format-version": 1,
  "format-revision": 0,
  "transition-system": {
    "time": "discrete", "#players": 1, "#states": 3, "#initial-states": 1, "#choices": 4,
    "#choice-actions": 0, "#branches": 5, "#branch-actions": 0, "#observations": 0,
    "branch-probability-type": {"type": "double", "size": 64}
  },
  "annotations": {"aps": {"a \"b": {"applies-to": ["states"], "type": {"type": "bool"}}}},
  "valuations": {"states": {"unique": true, "classes": [
    {"variables": [{"padding": 1}, {"name": "x", "type": {"type": "int"}, "lower": 0}]}
  ]}}
}"##;
        assert!(serde_json::from_str::<Index>(sound).is_ok());
        let text = sound.replacen(old, new, 1);
        let error = serde_json::from_str::<Index>(&text).expect_err("it is wrong");
        bad(&error, &text).to_string()
    }

    #[test]
    fn errors_are_in_words_of_the_format() {
        let cases = [
            // Values.
            ("\"#states\": 3", "\"#states\": {\"a\": 3}"),
            ("\"#states\": 3", "\"#states\": [3]"),
            ("\"#states\": 3", "\"#states\": \"3\""),
            ("\"#states\": 3", "\"#states\": null"),
            ("\"#states\": 3", "\"#states\": 1e3"),
            ("\"#states\": 3", "\"#states\": 3, \"#states\": 3"),
            ("\"#states\": 3,", ""),
            ("\"#players\": 1", "\"#players\": 4294967296"),
            (
                "\"transition-system\": {",
                "\"transition-system\": 1, \"x\": {",
            ),
            ("\"discrete\"", "\"dense\""),
            ("\"discrete\"", "1"),
            ("\"discrete\"", "[1]"),
            ("\"discrete\"", "{\"discrete\": 1}"),
            ("{\"aps\"", "[], \"x\": {\"aps\""),
            ("{\"aps\": {", "{\"aps\": [], \"x\": {"),
            ("[\"states\"]", "\"states\""),
            ("[\"states\"]", "[\"choices\", \"arrows\"]"),
            ("{\"states\"", "{\"arrows\""),
            ("true", "1"),
            ("\"padding\": 1", "\"padding\": -1"),
            ("\"lower\": 0", "\"lower\": true"),
            ("\"name\": \"x\",", ""),
            // Texts.
            ("3,", "x,"),
            ("3,", "tru,"),
            ("3,", "3"),
            ("3,", "3.,"),
            ("\"#states\": 3", "\"#states\" 3"),
            ("0}]}", "0},]}"),
            ("\"x\"", "\"\\x\""),
            ("\"x\"", "\"\\ud800\""),
            ("\"x\"", "\"\n\""),
            ("\"#states\"", "states"),
            ("  ]}}\n}", "  ]}}\n}}"),
            ("  ]}}\n}", "  ]}}"),
            ("]}\n  ]}}\n}", "],"),
            ("]}\n  ]}}\n}", ""),
            ("0}]}\n  ]}}\n}", "\"0"),
        ];
        let all: Vec<String> = cases.map(|(old, new)| said(old, new)).into();
        let all = all
            .join("\n")
            .replace("index.json: the index is not as expected: ", "");
        insta::assert_snapshot!(all);
    }
}
