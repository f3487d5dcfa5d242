//! Values of transitions that are written as fractions, without rounding.

use crate::ModelType;

/// A transition whose value is a fraction of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fraction {
    /// The state of the transition.
    pub source: u32,
    /// The choice of the transition, among those of its state; 0 in a Markov chain.
    pub choice: u32,
    /// The target of the transition.
    pub target: u32,
    /// The numerator.
    pub over: u64,
    /// The denominator, which is above 0.
    pub under: u64,
}

/// Returns the fractions in a file of transitions that was read without an error, if it is one of
/// an MDP or a Markov chain. Readers round them. Fractions of numbers beyond 64 bits are left out.
#[must_use]
pub fn fractions(text: &[u8], model_type: ModelType) -> Vec<Fraction> {
    let has_choices = match model_type {
        ModelType::Mdp => true,
        ModelType::Dtmc => false,
        _ => return Vec::new(),
    };
    let lines = text.split(|&byte| matches!(byte, b'\n' | b'\r'));
    let with_slash = lines.filter(|line| memchr::memchr(b'/', line).is_some());
    with_slash
        .filter_map(|line| of_line(line, has_choices))
        .collect()
}

fn of_line(line: &[u8], has_choices: bool) -> Option<Fraction> {
    let line = std::str::from_utf8(line).ok()?;
    let mut tokens = line.split_ascii_whitespace();
    let source = tokens.next()?.parse().ok()?;
    let choice = match has_choices {
        true => tokens.next()?.parse().ok()?,
        false => 0,
    };
    let target = tokens.next()?.parse().ok()?;
    let (over, under) = tokens.next()?.split_once('/')?;
    let under = under.parse().ok().filter(|&under| under > 0)?;
    Some(Fraction {
        source,
        choice,
        target,
        over: over.parse().ok()?,
        under,
    })
}

#[cfg(test)]
mod tests {
    use super::{Fraction, fractions};
    use crate::ModelType;

    #[test]
    fn only_values_of_transitions_are_fractions() {
        let text = b"# 0 0 1/2\n2 2 4\r\n0 0 0 1/3\r\n0 0\t1 2/3 a/b\n1 0 0 0.5 1/2\n1 0 1 .5";
        let third = |target, over| Fraction {
            source: 0,
            choice: 0,
            target,
            over,
            under: 3,
        };
        let found = fractions(text, ModelType::Mdp);
        assert_eq!(found, [third(0, 1), third(1, 2)]);
        let chain = b"2 3\n0 0 1/3 a\n0 1 +2/3\n1 1 1";
        assert_eq!(
            fractions(chain, ModelType::Dtmc),
            [third(0, 1), third(1, 2)]
        );
        let long = b"1 1\n0 0 100000000000000000000/100000000000000000000";
        assert_eq!(fractions(long, ModelType::Dtmc), []);
        assert_eq!(fractions(chain, ModelType::Ctmc), []);
    }
}
