//! Which characters of a Rust source are code, and which are comments or quoted text.

/// A place in a source while it is read.
struct Reader<'s> {
    rest: &'s str,
    code: String,
}

/// The source with every character of a comment replaced by a blank, and every one of a string or a
/// character literal by a quotation mark. Lines stay where they are, and as long as they are.
pub(crate) fn code_only(source: &str) -> String {
    let mut reader = Reader {
        rest: source,
        code: String::with_capacity(source.len()),
    };
    while let Some(first) = reader.rest.chars().next() {
        let follows_word = reader
            .code
            .ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let length = match first {
            '/' if reader.rest.starts_with("//") => {
                reader.replace(line_length(reader.rest), ' ');
                continue;
            }
            '/' if reader.rest.starts_with("/*") => {
                reader.replace(block_comment_length(reader.rest), ' ');
                continue;
            }
            '"' => string_length(reader.rest, 0),
            '\'' => character_length(reader.rest),
            'r' | 'b' | 'c' if !follows_word => prefixed_length(reader.rest),
            _ => 0,
        };
        match length {
            0 => reader.keep(first),
            length => reader.replace(length, '"'),
        }
    }
    reader.code
}

impl Reader<'_> {
    fn keep(&mut self, first: char) {
        self.code.push(first);
        self.rest = &self.rest[first.len_utf8()..];
    }

    fn replace(&mut self, length: usize, by: char) {
        let (text, rest) = self.rest.split_at(length);
        let replaced = text.chars().map(|c| if c == '\n' { c } else { by });
        self.code.extend(replaced);
        self.rest = rest;
    }
}

fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The length of a comment between `/*` and `*/`, which may hold others.
fn block_comment_length(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        match rest {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The length of a string literal whose quotation mark is after `prefix` bytes.
fn string_length(text: &str, prefix: usize) -> usize {
    let mut escaped = false;
    let inside = &text[prefix + 1..];
    let end = inside.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| prefix + 1 + end + 1)
}

/// The length of a character literal; 0 if this is a lifetime.
fn character_length(text: &str) -> usize {
    let mut chars = text[1..].char_indices();
    let (_, first) = chars.next().unwrap_or_default();
    let (second, after) = chars.next().unwrap_or_default();
    if first == '\\' {
        // Behind the character that is escaped.
        let from = 1 + second + after.len_utf8();
        return text[from..].find('\'').map_or(0, |end| from + end + 1);
    }
    if after == '\'' { second + 2 } else { 0 }
}

/// The length of a literal with a prefix, such as `b"..."` or `r#"..."#`; 0 if this is none.
fn prefixed_length(text: &str) -> usize {
    let letters = text.len() - text.trim_start_matches(['r', 'b', 'c']).len();
    let behind = text[letters..].trim_start_matches('#');
    let prefix = text.len() - behind.len();
    let is_raw = text[..letters].contains('r');
    match behind.chars().next() {
        Some('"') if is_raw => {
            let end = format!("\"{}", "#".repeat(prefix - letters));
            let found = behind[1..].find(&end);
            found.map_or(text.len(), |at| prefix + 1 + at + end.len())
        }
        Some('"') if prefix == letters => string_length(text, prefix),
        Some('\'') if prefix == letters => match character_length(behind) {
            0 => 0,
            length => prefix + length,
        },
        _ => 0,
    }
}

#[test]
fn comments_and_text_are_told_from_code() {
    for (source, code) in [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */\n d */ e", "a              \n      e"),
        (r#"f("a\"{", '{')"#, r#"f("""""", """)"#),
        (r##"r#"a" {"# }"##, r#"""""""""" }"#),
        (r"b'\'' b'{' '\u{e9}' }", r#""""""  """" """""""" }"#.trim()),
        ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
        ("br\"\\\" for_r\"x\"", "\"\"\"\"\" for_r\"\"\""),
    ] {
        assert_eq!(
            code_only(source).replace("  ", " "),
            code.replace("  ", " "),
            "{source}"
        );
    }
}
