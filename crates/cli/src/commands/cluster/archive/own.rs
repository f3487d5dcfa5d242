//! [`Own`]: the part of each file of an archive that a worker has. The file is the concatenation of
//! the parts of all workers.

use crate::load::StatesOf;
use ::cluster::{Net, Part, agree, words_of};
use mdp_graph::StateId;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use umb::{Content, File, UmbWriter};

/// Values of an archive that are not arrays of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The number of each state's component.
    Component,
    /// Whether each state is in a component.
    IsInComponent,
    /// Whether each state had no choice.
    IsDeadlock,
    /// Whether each state has a label of the program, by its number there.
    Label(usize),
    /// The reward of each state in a reward structure, by its number there.
    StateReward(usize),
    /// The reward of each choice.
    ChoiceReward(usize),
}

/// The data that a worker writes to an archive.
pub(super) struct Own<'a> {
    writer: &'a UmbWriter<'a>,
    values: &'a [Value],
    /// The states of a program, if they were explored.
    states: Option<&'a StatesOf>,
    part: &'a Part,
    /// The number of the component of each state.
    components: Vec<u64>,
    /// Truth values of states, as words for the bits of this worker, by the number of their file.
    words: BTreeMap<usize, Vec<u64>>,
    /// The numbers of choices and branches before those of this worker.
    before: [u64; 2],
    me: usize,
    workers: usize,
}

impl<'a> Own<'a> {
    /// Collects the data of this worker. All workers evaluate their truth values first.
    pub(super) fn new(
        writer: &'a UmbWriter<'a>,
        values: &'a [Value],
        states: Option<&'a StatesOf>,
        part: &'a Part,
        components: Vec<u64>,
        files: &[File],
        net: &mut Net<'_>,
    ) -> Result<Self, ::cluster::Error> {
        let graph = part.graph();
        let counts = net.gather([graph.num_choices() as u64, graph.num_branches() as u64]);
        let sum = |i: usize| counts[..net.me()].iter().map(|count| count[i]).sum();
        let mut own = Self {
            writer,
            values,
            states,
            part,
            components,
            words: BTreeMap::new(),
            before: [sum(0), sum(1)],
            me: net.me(),
            workers: net.workers(),
        };
        for (number, file) in files.iter().enumerate() {
            let bits = own.bits(file.content);
            let bits = bits.map_err(|error| ::cluster::Error::Write(error.to_string()));
            if let Some(bits) = agree(net, bits)? {
                let words = words_of(part, |state| bits[state as usize], net);
                own.words.insert(number, words);
            }
        }
        Ok(own)
    }

    /// Returns the truth values of this worker's states, if the file contains truth values.
    fn bits(&self, content: Content) -> io::Result<Option<Vec<bool>>> {
        let first = self.part.global(0);
        let value = match content {
            Content::InitialStates => {
                let count = self.explored()?.count_initial()?;
                let own = first..first + self.part.num_own() as u64;
                return Ok(Some(own.map(|state| state < count).collect()));
            }
            Content::MarkovianStates => return self.explored()?.markovian().map(Some),
            Content::Values(number) => self.values[number],
            _ => return Ok(None),
        };
        Ok(match value {
            Value::IsInComponent => {
                let is_in = self.components.iter().map(|&number| number > 0);
                Some(is_in.collect())
            }
            Value::IsDeadlock => Some(self.explored()?.deadlocks()?),
            Value::Label(label) => Some(self.explored()?.labelled(label)?),
            Value::Component | Value::StateReward(_) | Value::ChoiceReward(_) => None,
        })
    }

    fn explored(&self) -> io::Result<&'a StatesOf> {
        let other = || io::Error::other("only explored states have such values");
        self.states.ok_or_else(other)
    }

    /// Returns the number of bytes of a file that this worker writes.
    pub(super) fn len(&self, number: usize, file: &File) -> u64 {
        if let Some(words) = self.words.get(&number) {
            return 8 * words.len() as u64;
        }
        let graph = self.part.graph();
        let states = self.part.num_own() as u64;
        let (choices, branches) = (graph.num_choices() as u64, graph.num_branches() as u64);
        // The last worker writes the last offset, too.
        let end = u64::from(self.me + 1 == self.workers);
        match file.content {
            Content::StateValuations => self.rows(file).end - self.rows(file).start,
            Content::ChoiceOffsets => 8 * (states + end),
            Content::BranchOffsets => 8 * (choices + end),
            Content::ExitRates => 8 * states,
            Content::Targets | Content::Probabilities => 8 * branches,
            Content::Players => 4 * states,
            Content::ChoiceActions => 4 * choices,
            Content::Values(number) => match self.values[number] {
                Value::ChoiceReward(_) => 8 * choices,
                _ => 8 * states,
            },
            _ => self.cut(file).end - self.cut(file).start,
        }
    }

    /// Returns the range of bytes that this worker writes of a file that every worker has as a
    /// whole.
    fn cut(&self, file: &File) -> Range<u64> {
        let at =
            |worker: usize| (u128::from(file.len) * worker as u128 / self.workers as u128) as u64;
        at(self.me)..at(self.me + 1)
    }

    /// Returns the range of bytes that belong to this worker's states, in a file with as many bytes
    /// for each state.
    fn rows(&self, file: &File) -> Range<u64> {
        let size = file.len / self.part.ranges().num_states().max(1);
        let first = self.part.global(0);
        first * size..(first + self.part.num_own() as u64) * size
    }

    /// Writes the bytes of a file that belong to this worker.
    pub(super) fn write(&self, number: usize, file: &File, out: &mut dyn Write) -> io::Result<()> {
        if let Some(words) = self.words.get(&number) {
            return words.iter().try_for_each(|&word| put(out, word));
        }
        let graph = self.part.graph();
        match file.content {
            Content::StateValuations => self.writer.write_range(number, self.rows(file), out),
            Content::ChoiceOffsets => self.write_offsets(
                &graph.choice_offsets()[..=self.part.num_own()],
                self.before[0],
                out,
            ),
            Content::BranchOffsets => {
                self.write_offsets(graph.branch_offsets(), self.before[1], out)
            }
            Content::Targets => {
                let mut targets = graph.all_targets().iter();
                targets.try_for_each(|&target: &StateId| put(out, self.part.global_of(target)))
            }
            Content::ExitRates | Content::Probabilities => self.write_rates(file.content, out),
            Content::Players => {
                let put = |player: u32| out.write_all(&player.to_le_bytes());
                self.explored()?.each_player(put)
            }
            Content::ChoiceActions => self.explored()?.each_row(|row| {
                let mut actions = row.actions.iter();
                actions.try_for_each(|action| out.write_all(&action.to_le_bytes()))
            }),
            Content::Values(number) => self.write_values(self.values[number], out),
            _ => self.writer.write_range(number, self.cut(file), out),
        }
    }

    /// Writes offsets. Only the last worker writes the last one.
    fn write_offsets(&self, offsets: &[u32], before: u64, out: &mut dyn Write) -> io::Result<()> {
        let count = match self.me + 1 == self.workers {
            true => offsets.len(),
            false => offsets.len() - 1,
        };
        let mut offsets = offsets[..count].iter();
        offsets.try_for_each(|&offset| put(out, before + u64::from(offset)))
    }

    /// Writes the probability of each branch, or the exit rate of each state.
    fn write_rates(&self, content: Content, out: &mut dyn Write) -> io::Result<()> {
        let states = self.explored()?;
        let mut scratch = states.program().scratch();
        states.each_row(|row| {
            let rate = states.exit_rate(row, &mut scratch);
            if content == Content::ExitRates {
                return put_real(out, rate.unwrap_or(0.0));
            }
            let mut values = row.values.iter();
            values.try_for_each(|&value| match rate {
                Some(rate) => put_real(out, umb::probability(value, rate)),
                None => put_real(out, value),
            })
        })
    }

    fn write_values(&self, value: Value, out: &mut dyn Write) -> io::Result<()> {
        match value {
            Value::StateReward(structure) => {
                let put = |reward| put_real(out, reward);
                self.explored()?.each_state_reward(structure, put)
            }
            Value::ChoiceReward(structure) => {
                let put = |reward| put_real(out, reward);
                self.explored()?.each_choice_reward(structure, put)
            }
            _ => self
                .components
                .iter()
                .try_for_each(|&number| put(out, number)),
        }
    }
}

fn put(out: &mut dyn Write, number: u64) -> io::Result<()> {
    out.write_all(&number.to_le_bytes())
}

fn put_real(out: &mut dyn Write, number: f64) -> io::Result<()> {
    out.write_all(&number.to_le_bytes())
}
