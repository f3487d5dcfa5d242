//! Writes a file, state by state.

use crate::parts::{Choice, Header, Shortest, ShortestReward, State, UNUSED_LABELS};
use model_type::Reward;
use std::io::{self, Write};

/// Writes a model in DRN, as Storm does.
///
/// Numbers are written with as many digits as they need; Storm writes 10. If the header says that
/// values are intervals, a branch without lower bounds has an interval whose two bounds are its
/// value. All functions return the errors of the output, and [`io::ErrorKind::InvalidInput`] for
/// models that the format cannot express: labels that are empty or have quotation marks or control
/// characters, actions that are empty or numbers or have blanks, too many or too few states,
/// choices or rewards.
///
/// Several threads can format a large model together: each writes [blocks](Self::block) of states,
/// and the blocks are [appended](Self::append) in order.
#[derive(Debug)]
pub struct DrnWriter<W> {
    out: W,
    header: Header,
    /// The first state that is written here.
    first_state: u64,
    /// The state that comes next.
    states: u64,
    choices: u64,
    deadlocks: u64,
    /// The number of choices of the last state so far.
    of_state: u32,
}

impl<W: Write> DrnWriter<W> {
    /// Begins a file. If some actions have names, the others are written as Storm writes them.
    ///
    /// # Errors
    ///
    /// If the name of a reward model has blanks, a model other than a DTMC or MDP has intervals, or
    /// a label cannot be written; and errors of the output.
    pub fn new(mut out: W, header: &Header) -> io::Result<Self> {
        if header.has_intervals && !header.model_type.may_have_intervals() {
            return Err(refused(format!("a {} has no intervals", header.model_type)));
        }
        let values = match (header.is_rational, header.has_intervals) {
            (false, false) => "double",
            (true, false) => "rational",
            (false, true) => "double-interval",
            (true, true) => "rational-interval",
        };
        writeln!(out, "@type: {}", header.model_type)?;
        writeln!(out, "@value_type: {values}\n@parameters\n\n@reward_models")?;
        for name in &header.reward_models {
            if !is_reward_model(name) {
                return Err(refused(format!(
                    "the reward model {name:?} has blanks or `@`"
                )));
            }
            write!(out, "{name} ")?;
        }
        writeln!(out, "\n@nr_states\n{}", header.num_states)?;
        if let Some(choices) = header.num_choices {
            writeln!(out, "@nr_choices\n{choices}")?;
        }
        let mut writer = Self {
            out,
            header: header.clone(),
            first_state: 0,
            states: 0,
            choices: 0,
            deadlocks: 0,
            of_state: 0,
        };
        writer.unused_labels(&header.unused_labels)?;
        writeln!(writer.out, "@model")?;
        Ok(writer)
    }

    /// Writes a block of states, which must be the next ones.
    ///
    /// # Errors
    ///
    /// See [`DrnWriter`].
    pub fn append(&mut self, block: &DrnWriter<Vec<u8>>) -> io::Result<()> {
        if block.first_state != self.states {
            let (found, expected) = (block.first_state, self.states);
            return Err(refused(format!("state {found} is not state {expected}")));
        }
        if block.states == block.first_state {
            return Ok(());
        }
        self.end_state();
        self.out.write_all(&block.out)?;
        self.states = block.states;
        self.choices += block.choices;
        self.deadlocks += block.deadlocks;
        self.of_state = block.of_state;
        Ok(())
    }

    /// Writes a state, which must be the next one. Its choices follow.
    ///
    /// # Errors
    ///
    /// See [`DrnWriter`].
    pub fn state(&mut self, state: &State<'_>) -> io::Result<()> {
        if u64::from(state.number) != self.states {
            let (found, expected) = (state.number, self.states);
            return Err(refused(format!("state {found} is not state {expected}")));
        }
        self.end_state();
        self.states += 1;
        write!(self.out, "state {}", state.number)?;
        let model_type = self.header.model_type;
        if model_type.has_exit_rates() {
            write!(self.out, " !{}", Shortest(state.exit_rate.unwrap_or(0.0)))?;
        }
        if model_type.has_observations() {
            write!(self.out, " {{{}}}", state.observation.unwrap_or(0))?;
        }
        self.rewards(state.rewards)?;
        for label in state.labels {
            self.label(label)?;
        }
        self.out.write_all(b"\n")?;
        match state.valuation {
            Some(valuation) if valuation.contains(['\n', '\r']) => {
                Err(refused("the values of variables have line ends".to_owned()))
            }
            Some(valuation) => writeln!(self.out, "//[{valuation}]"),
            None => Ok(()),
        }
    }

    /// Writes a choice of the last state.
    ///
    /// # Errors
    ///
    /// See [`DrnWriter`].
    pub fn choice(&mut self, choice: &Choice<'_>) -> io::Result<()> {
        self.out.write_all(b"\taction ")?;
        match choice.action {
            None => self.out.write_all(b"__NOLABEL__")?,
            Some(action) if is_action(action) => self.out.write_all(action.as_bytes())?,
            Some(action) => return Err(refused(format!("the action {action:?} is no word"))),
        }
        self.rewards(choice.rewards)?;
        self.out.write_all(b"\n")?;
        for (branch, (target, &value)) in choice.targets.iter().zip(choice.values).enumerate() {
            write!(self.out, "\t\t{target} : ")?;
            match (self.header.has_intervals, choice.lower.get(branch)) {
                (true, lower) => {
                    let lower = lower.copied().unwrap_or(value);
                    writeln!(self.out, "[{}, {}]", Shortest(lower), Shortest(value))?;
                }
                (false, _) => writeln!(self.out, "{}", Shortest(value))?,
            }
        }
        self.choices += 1;
        self.of_state += 1;
        Ok(())
    }

    /// Ends the file, and returns the output.
    ///
    /// # Errors
    ///
    /// If the counts differ from those of the header; and errors of the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_state();
        let (states, choices) = (self.states, self.choices);
        let fits = |claimed: u64| claimed == choices || claimed == choices + self.deadlocks;
        let num_states = u64::from(self.header.num_states);
        if states != num_states || !self.header.num_choices.is_none_or(fits) {
            let written = format!("{states} states and {choices} choices were written");
            return Err(refused(format!("{written}, the header says others")));
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn end_state(&mut self) {
        let is_deadlock = self.states > self.first_state && self.of_state == 0;
        self.deadlocks += u64::from(is_deadlock);
        self.of_state = 0;
    }

    fn rewards(&mut self, rewards: &[Reward]) -> io::Result<()> {
        let (expected, found) = (self.header.reward_models.len(), rewards.len());
        let [first, others @ ..] = rewards else {
            return Ok(());
        };
        if expected != found {
            return Err(refused(format!(
                "{found} rewards for {expected} reward models"
            )));
        }
        write!(self.out, " [{}", ShortestReward(*first))?;
        for reward in others {
            write!(self.out, ", {}", ShortestReward(*reward))?;
        }
        self.out.write_all(b"]")
    }

    fn unused_labels(&mut self, labels: &[String]) -> io::Result<()> {
        if labels.is_empty() {
            return Ok(());
        }
        write!(self.out, "{UNUSED_LABELS}")?;
        for label in labels {
            self.label(label)?;
        }
        self.out.write_all(b"\n")
    }

    fn label(&mut self, label: &str) -> io::Result<()> {
        if !is_label(label) {
            return Err(refused(format!("the label {label:?} cannot be written")));
        }
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        match label.chars().all(is_word) {
            true => write!(self.out, " {label}"),
            false => write!(self.out, " \"{label}\""),
        }
    }
}

impl DrnWriter<Vec<u8>> {
    /// Begins a block of a file with this header, in memory: the states from `first_state` on.
    #[must_use]
    pub fn block(header: &Header, first_state: u32) -> Self {
        Self {
            out: Vec::new(),
            header: header.clone(),
            first_state: first_state.into(),
            states: first_state.into(),
            choices: 0,
            deadlocks: 0,
            of_state: 0,
        }
    }
}

/// Returns whether a label can be written.
#[must_use]
pub fn is_label(label: &str) -> bool {
    !label.is_empty() && !label.contains(|c: char| c.is_control() || c == '"')
}

/// Returns whether the name of a reward model can be written: it must be a word without `@`, or
/// empty.
#[must_use]
pub fn is_reward_model(name: &str) -> bool {
    !name.contains(|c: char| c.is_whitespace() || c.is_control() || c == '@')
}

/// Returns whether the name of a variable can be written: it must not contain `&`, `=` or control
/// characters, begin with `!`, or begin or end with a blank.
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let is_taken = |c: char| c.is_control() || c == '&' || c == '=';
    !name.is_empty() && name.trim() == name && !name.starts_with('!') && !name.contains(is_taken)
}

/// Returns whether the name of an action can be written: it must be a word that is not a number.
#[must_use]
pub fn is_action(name: &str) -> bool {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = !name.contains(|c: char| c.is_whitespace() || c.is_control());
    !is_number && is_word && name != "__NOLABEL__"
}

fn refused(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}
