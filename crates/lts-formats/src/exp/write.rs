//! Writes behaviours as EXP.

use super::ast::{Behaviour, Hide, Matching, Parallel, Rename, Synchronisation};
use super::grammar::is_special;
use super::lexer::is_plain;
use crate::aut::write_label;
use crate::labels::INTERNAL;
use crate::lts::Lts;
use std::io::{self, Write};

impl Behaviour {
    /// Writes the behaviour as an EXP file, with one line for each behaviour, vector and
    /// transition.
    ///
    /// # Errors
    ///
    /// Errors of `out`, and [`io::ErrorKind::InvalidInput`] if EXP cannot express the behaviour,
    /// because it has a label or file name that is empty or contains a quotation mark or a line
    /// end, or an LTS with probabilities.
    pub fn write_exp(&self, mut out: impl Write) -> io::Result<()> {
        write_behaviour(&mut out, self, 0)?;
        out.write_all(b"\n")
    }
}

/// Writes a behaviour, which begins and ends at this depth of indentation. The last line has no
/// end.
fn write_behaviour(out: &mut dyn Write, behaviour: &Behaviour, depth: usize) -> io::Result<()> {
    indent(out, depth)?;
    match behaviour {
        Behaviour::File(file) => write_quoted(out, &file.path),
        Behaviour::Lts(lts) => write_lts(out, lts, depth),
        Behaviour::Parallel(parallel) => write_parallel(out, parallel, depth),
        Behaviour::Hide(hide) => write_hide(out, hide, depth),
        Behaviour::Rename(rename) => write_rename(out, rename, depth),
    }
}

fn write_lts(out: &mut dyn Write, lts: &Lts, depth: usize) -> io::Result<()> {
    let [(initial, _)] = *lts.initial() else {
        return Err(invalid("EXP has no LTSs with probabilities"));
    };
    if lts.is_probabilistic() {
        return Err(invalid("EXP has no LTSs with probabilities"));
    }
    let (count, states) = (lts.num_transitions(), lts.num_states());
    write!(out, "des ({initial}, {count}, {states})")?;
    for transition in lts.transitions() {
        writeln!(out)?;
        indent(out, depth + 1)?;
        write!(out, "({}, ", transition.source())?;
        check_quotable(transition.label())?;
        write_label(out, transition.label())?;
        write!(out, ", {})", transition.targets()[0])?;
    }
    Ok(())
}

fn write_parallel(out: &mut dyn Write, parallel: &Parallel, depth: usize) -> io::Result<()> {
    match &parallel.synchronisation {
        Synchronisation::Labels { matching, labels } => {
            if *matching == Matching::Total {
                write!(out, "label ")?;
            }
            write!(out, "par")?;
            write_list(out, labels, |out, label| write_name(out, label))?;
            writeln!(out, "{}", if labels.is_empty() { "" } else { " in" })?;
        }
        Synchronisation::Vectors(vectors) => {
            write!(out, "par using")?;
            for (i, vector) in vectors.iter().enumerate() {
                writeln!(out, "{}", if i == 0 { "" } else { "," })?;
                indent(out, depth + 1)?;
                for (i, part) in vector.parts.iter().enumerate() {
                    write!(out, "{}", if i == 0 { "" } else { " * " })?;
                    match part {
                        Some(label) => write_name(out, label)?,
                        None => write!(out, "_")?,
                    }
                }
                write!(out, " -> ")?;
                write_name(out, &vector.result)?;
            }
            writeln!(out)?;
            indent(out, depth)?;
            writeln!(out, "in")?;
        }
    }
    for (i, branch) in parallel.branches.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
            indent(out, depth)?;
            writeln!(out, "||")?;
        }
        write_behaviour(out, branch, depth + 1)?;
    }
    writeln!(out)?;
    indent(out, depth)?;
    write!(out, "end par")
}

fn write_hide(out: &mut dyn Write, hide: &Hide, depth: usize) -> io::Result<()> {
    let total = if hide.matching == Matching::Total {
        "total "
    } else {
        ""
    };
    write!(
        out,
        "{total}hide{}",
        if hide.all_but { " all but" } else { "" }
    )?;
    write_list(out, &hide.labels, |out, label| write_pattern(out, label))?;
    write_body(out, &hide.behaviour, "hide", depth)
}

fn write_rename(out: &mut dyn Write, rename: &Rename, depth: usize) -> io::Result<()> {
    write!(out, "total rename")?;
    write_list(out, &rename.rules, |out, (old, new)| {
        write_pattern(out, old)?;
        write!(out, " -> ")?;
        match new.contains('\\') {
            true => Err(invalid("a new label has a backslash")),
            false => write_name(out, new),
        }
    })?;
    write_body(out, &rename.behaviour, "rename", depth)
}

/// Writes the items of an operator, each by `write`, with commas between them.
fn write_list<T>(
    out: &mut dyn Write,
    items: &[T],
    mut write: impl FnMut(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    for (i, item) in items.iter().enumerate() {
        write!(out, "{}", if i == 0 { " " } else { ", " })?;
        write(out, item)?;
    }
    Ok(())
}

/// Writes the part of an operator from `in` to its end.
fn write_body(
    out: &mut dyn Write,
    behaviour: &Behaviour,
    operator: &str,
    depth: usize,
) -> io::Result<()> {
    writeln!(out, " in")?;
    write_behaviour(out, behaviour, depth + 1)?;
    writeln!(out)?;
    indent(out, depth)?;
    write!(out, "end {operator}")
}

/// Writes the blanks before a line.
fn indent(out: &mut dyn Write, depth: usize) -> io::Result<()> {
    write!(out, "{:1$}", "", 4 * depth)
}

/// Writes a label, in quotation marks if it needs them.
fn write_name(out: &mut dyn Write, label: &str) -> io::Result<()> {
    match label == INTERNAL || is_plain(label) {
        true => out.write_all(label.as_bytes()),
        false => write_quoted(out, label),
    }
}

/// Writes a label with a backslash before each character that has a meaning in regular expressions.
fn write_pattern(out: &mut dyn Write, label: &str) -> io::Result<()> {
    if !label.contains(is_special) {
        return write_name(out, label);
    }
    let mut escaped = String::new();
    for char in label.chars() {
        if is_special(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    write_quoted(out, &escaped)
}

/// Writes text in quotation marks.
fn write_quoted(out: &mut dyn Write, text: &str) -> io::Result<()> {
    check_quotable(text)?;
    write!(out, "\"{text}\"")
}

/// Checks that text can be written in quotation marks.
fn check_quotable(text: &str) -> io::Result<()> {
    match text.is_empty() || text.contains(['"', '\n']) {
        true => Err(invalid(
            "text is empty, or has a quotation mark or a line end",
        )),
        false => Ok(()),
    }
}

fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
