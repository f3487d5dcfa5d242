//! Combined files (`.pexp`): a whole model in one file, in sections that begin with headings.
//!
//! ```text
//! # Transitions (MDP)
//! 2 2 2
//! 0 0 1 1
//! 1 0 1 1
//!
//! # States
//! (x)
//! ...
//! # Labels
//! ...
//! # Reward structure "time"
//! # State rewards
//! ...
//! ```

use crate::error::{Checked, Error, ErrorKind, Fault, FileKind};
use crate::grammar::{self, Line};
use std::ops::Range;

/// Where the sections of a combined file are, in bytes. Each is a text for the reader of its kind,
/// whose errors [`Error::within`](parse_error::Error::within) moves to where they are in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sections {
    /// The transitions, which come first.
    pub transitions: Range<usize>,
    /// The values of variables.
    pub states: Option<Range<usize>>,
    /// The observations of states.
    pub observations: Option<Range<usize>>,
    /// The labels.
    pub labels: Option<Range<usize>>,
    /// The reward structures.
    pub rewards: Vec<RewardSections>,
}

/// Where a reward structure is. Its name stands above the first of its sections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RewardSections {
    /// The rewards of states.
    pub states: Option<Range<usize>>,
    /// The rewards of transitions.
    pub transitions: Option<Range<usize>>,
}

/// Finds the sections of a combined file. A file of transitions is one with a single section.
///
/// # Errors
///
/// [`ErrorKind::RepeatedSection`].
pub fn sections(input: &[u8]) -> Result<Sections, Error> {
    find(input).map_err(|fault| fault.locate(input))
}

/// The kind of section that a line begins, and whether it is the name of a reward structure.
fn heading(line: Line<'_>) -> Option<(FileKind, bool)> {
    let text = grammar::comment(line.text)?;
    let section = grammar::section(text)?;
    Some((section.kind, text.starts_with(b"Reward structure")))
}

fn find(input: &[u8]) -> Checked<Sections> {
    let mut found = Sections {
        transitions: 0..input.len(),
        ..Sections::default()
    };
    // The section that is open: its kind, and where it begins.
    let mut open = (FileKind::Transitions, 0);
    // Behind the name of a reward structure.
    let mut behind_name = None;
    let mut is_first = true;
    for (at, line) in headings_at(input) {
        let Some((kind, is_name)) = heading(line) else {
            continue;
        };
        let name_end = behind_name.take();
        let belongs = |end: usize| !is_name && input[end..at].trim_ascii().is_empty();
        if name_end.is_some_and(belongs) {
            open.0 = kind;
            continue;
        }
        // That of the section with which the file begins.
        if std::mem::take(&mut is_first) && kind == FileKind::Transitions {
            continue;
        }
        close(&mut found, input, open, at)?;
        open = (kind, at);
        if is_name || found.rewards.is_empty() && is_of_rewards(kind) {
            found.rewards.push(RewardSections::default());
        }
        behind_name = is_name.then_some(line.next);
    }
    close(&mut found, input, open, input.len())?;
    Ok(found)
}

/// The lines that begin with `#`, and where.
fn headings_at(input: &[u8]) -> impl Iterator<Item = (usize, Line<'_>)> {
    let start = grammar::text_start(input);
    let begins_line = move |&at: &usize| at == start || input[at - 1] == b'\n';
    let places = memchr::memchr_iter(b'#', input).filter(begins_line);
    places.map(|at| (at, Line::at(input, at)))
}

fn is_of_rewards(kind: FileKind) -> bool {
    matches!(kind, FileKind::StateRewards | FileKind::TransitionRewards)
}

/// Ends the open section.
fn close(
    found: &mut Sections,
    input: &[u8],
    (kind, start): (FileKind, usize),
    end: usize,
) -> Checked<()> {
    let rewards = found.rewards.last_mut();
    let place = match kind {
        FileKind::Transitions if start == 0 => {
            found.transitions.end = end;
            return Ok(());
        }
        FileKind::States => Some(&mut found.states),
        FileKind::Observations => Some(&mut found.observations),
        FileKind::Labels => Some(&mut found.labels),
        FileKind::StateRewards => rewards.map(|rewards| &mut rewards.states),
        FileKind::TransitionRewards => rewards.map(|rewards| &mut rewards.transitions),
        _ => None,
    };
    match place {
        Some(place) if place.is_none() => {
            *place = Some(start..end);
            Ok(())
        }
        _ => {
            let line = Line::at(input, start);
            Err(Fault::new(line.span(), ErrorKind::RepeatedSection { kind }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sections as text.
    fn texts(input: &str) -> Vec<(&'static str, String)> {
        let found = sections(input.as_bytes()).expect("sections");
        let text = |range: Range<usize>| input[range].replace('\n', "|");
        let mut all = vec![("tra", text(found.transitions))];
        let named = [
            ("sta", found.states),
            ("obs", found.observations),
            ("lab", found.labels),
        ];
        let rewards = found.rewards.into_iter();
        let rewards = rewards.flat_map(|r| [("srew", r.states), ("trew", r.transitions)]);
        let others = named.into_iter().chain(rewards);
        all.extend(others.filter_map(|(name, range)| Some((name, text(range?)))));
        all
    }

    #[test]
    fn sections_begin_with_headings() {
        let input = "# Transitions (MDP)\n1 1 1\n# 5\n0 0 0 1\n\n# States\n(x)\n0:(1)\n\n# Labels\n0=\"a\"\n";
        assert_eq!(
            texts(input),
            [
                ("tra", "# Transitions (MDP)|1 1 1|# 5|0 0 0 1||".to_owned()),
                ("sta", "# States|(x)|0:(1)||".to_owned()),
                ("lab", "# Labels|0=\"a\"|".to_owned()),
            ]
        );
    }

    #[test]
    fn a_file_of_transitions_is_one_section() {
        assert_eq!(texts("1 1\n0 0 1"), [("tra", "1 1|0 0 1".to_owned())]);
        assert_eq!(texts(""), [("tra", String::new())]);
    }

    #[test]
    fn reward_structures_have_names() {
        let input = "1 1\n# Reward structure \"a\"\n# State rewards\n1 0\n# Transition rewards\n1 0\n\
            # Reward structure \"b\"\n# Transition rewards\n1 0\n# Reward structure \"c\"\n1 0\n";
        assert_eq!(
            texts(input),
            [
                ("tra", "1 1|".to_owned()),
                (
                    "srew",
                    "# Reward structure \"a\"|# State rewards|1 0|".to_owned()
                ),
                ("trew", "# Transition rewards|1 0|".to_owned()),
                (
                    "trew",
                    "# Reward structure \"b\"|# Transition rewards|1 0|".to_owned()
                ),
                ("srew", "# Reward structure \"c\"|1 0|".to_owned()),
            ]
        );
        let unnamed = "1 1\n# State rewards\n1 0\n# Transition rewards\n1 0\n";
        assert_eq!(texts(unnamed).len(), 3);
    }

    #[test]
    fn a_section_stands_once() {
        for (input, line) in [
            ("1 1\n# Labels\nx\n# Labels\ny\n", 4),
            ("1 1\n# Labels\nx\n# Transitions (MDP)\ny\n", 4),
            ("1 1\n# Transitions (MDP)\n# Transitions (MDP)\n", 3),
        ] {
            let error = sections(input.as_bytes()).expect_err(input);
            assert!(
                matches!(error.kind(), ErrorKind::RepeatedSection { .. }),
                "{error}"
            );
            assert_eq!(
                error.position().map(|place| place.line),
                Some(line),
                "{input}"
            );
        }
    }
}
