//! [`Generator`]: the tables from which successors are computed, the kernels that read them, and
//! the initial states.

use crate::options::Tuning;
use crate::{Error, Model};
use explore::States;
use gpu::AdapterInfo;
use gpu::kernels::ExploreParams;
use gpu::kernels::explore::{BUCKET, FRESH, SIZE, TRIES, WAITING};
use lts_network::{Network, StepTables};
use prism_language::WordTables;

/// The maximum number of iterations of all loops of an invocation for one state. They have to take
/// well under a second.
const ITERATIONS: u32 = 1 << 24;

/// The maximum number of iterations in which kernels look for enabled commands, over all states of
/// a batch.
const BATCH_ITERATIONS: u64 = 1 << 33;

/// The kernels that compute successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The kernels for networks of LTSs. Each successor is a separate choice.
    Network,
    /// The kernels for programs in PRISM's language.
    Program,
}

/// The data from which successors are computed.
#[derive(Debug)]
pub(crate) struct Generator {
    pub(crate) kind: Kind,
    pub(crate) tables: Vec<u32>,
    /// The number of 32-bit words of a state.
    pub(crate) state_words: u32,
    /// The initial states, one after another.
    pub(crate) initial: Vec<u32>,
    /// Whether successors may occur twice, so that repeated ones have to be dropped.
    pub(crate) drops: bool,
    /// The tables in another form, if states may be counted in any order within a level.
    pub(crate) steps: Option<StepTables>,
    /// The parameters of the kernels.
    pub(crate) params: ExploreParams,
    /// The maximum number of states in a batch.
    most_batch: u32,
    /// Whether an invocation handles at most one state of a batch.
    one_each: bool,
}

impl Generator {
    /// Makes the tables of a model, for an adapter.
    pub(crate) fn new(model: Model<'_>, adapter: &AdapterInfo) -> Result<Self, Error> {
        match model {
            Model::Network(network) => Self::network(network, adapter),
            Model::Program { tables, initial } => Self::program(tables, initial, adapter),
        }
    }

    /// Makes the tables of a model whose states are only counted.
    pub(crate) fn to_count(model: Model<'_>, adapter: &AdapterInfo) -> Result<Self, Error> {
        match model {
            Model::Network(network) => Self::network_to_count(network, adapter),
            Model::Program { .. } => Self::new(model, adapter),
        }
    }

    /// Makes the tables of a network.
    fn network(network: &Network, adapter: &AdapterInfo) -> Result<Self, Error> {
        let tables = network.word_tables().ok_or(Error::Tables)?;
        check_iterations(network, tables.initial.len(), adapter)?;
        let initial = tables.initial.clone();
        Ok(Self::network_from(tables, initial, adapter))
    }

    /// Makes the tables of a network whose states are only counted.
    fn network_to_count(network: &Network, adapter: &AdapterInfo) -> Result<Self, Error> {
        let steps = steps_to_count(network, adapter.max_iterations());
        // The transitions of a batch are counted in 32 bits.
        let most = steps.as_ref().map_or(1, |tables| tables.most_successors);
        Ok(Self {
            steps,
            most_batch: u32::MAX / most.max(1),
            ..Self::network(network, adapter)?
        })
    }

    /// Makes the generator of a network whose iterations were [checked](check_iterations), with
    /// other initial states.
    pub(crate) fn network_from(
        tables: lts_network::WordTables,
        initial: Vec<u32>,
        adapter: &AdapterInfo,
    ) -> Self {
        Self {
            kind: Kind::Network,
            state_words: tables.initial.len() as u32,
            initial,
            drops: tables.may_repeat,
            params: ExploreParams {
                processes: tables.processes,
                fields: tables.fields,
                rule_words: tables.rule_words,
                repeats: tables.repeats,
                entry_words: tables.entry_words,
                label_bits: tables.label_bits,
                ..ExploreParams::default()
            },
            tables: tables.words,
            steps: None,
            most_batch: u32::MAX,
            one_each: is_limited(adapter),
        }
    }

    /// Makes the generator of a program with its initial states.
    fn program(
        tables: &WordTables,
        initial: &States,
        adapter: &AdapterInfo,
    ) -> Result<Self, Error> {
        let most = ITERATIONS.min(adapter.max_iterations());
        let rest = most.checked_sub(tables.scan_work.saturating_mul(2));
        let most_of_state = rest.ok_or(Error::Tables)? / tables.step_work;
        let states = initial.packed().chunks(initial.words());
        let initial = states.flat_map(|state| narrow(state, tables.state_words));
        Ok(Self {
            kind: Kind::Program,
            tables: tables.words.clone(),
            steps: None,
            state_words: tables.state_words as u32,
            initial: initial.collect(),
            drops: !tables.is_plain,
            params: ExploreParams {
                rules: tables.rules,
                num_rules: tables.num_rules,
                is_chain: tables.is_chain.into(),
                most_of_state,
                ..ExploreParams::default()
            },
            most_batch: (BATCH_ITERATIONS / u64::from(tables.scan_work + 1)) as u32,
            one_each: is_limited(adapter),
        })
    }

    /// Limits sizes to what the kernels support.
    pub(crate) fn bounded(&self, tuning: Tuning) -> Tuning {
        let tuning = tuning.bounded();
        let tuning = Tuning {
            states: tuning.states.max(self.num_initial()),
            batch: tuning.batch.min(self.most_batch),
            ..tuning
        };
        match self.one_each {
            true => tuning.one_each(),
            false => tuning,
        }
    }

    /// Returns the number of initial states.
    pub(crate) fn num_initial(&self) -> u32 {
        // There are fewer initial states than words in a buffer.
        (self.initial.len() / self.state_words as usize) as u32
    }
}

/// Returns whether an invocation has so few iterations that it may handle at most one state.
fn is_limited(adapter: &AdapterInfo) -> bool {
    adapter.max_iterations() < ITERATIONS
}

/// Checks that an invocation has enough iterations for any state of a network, whose states have
/// this many words. (On an adapter without a limit, states that take too long are found while
/// successors are counted.)
///
/// # Errors
/// [`Error::TooManyIterations`].
pub(crate) fn check_iterations(
    network: &Network,
    state_words: usize,
    adapter: &AdapterInfo,
) -> Result<(), Error> {
    if !is_limited(adapter) {
        return Ok(());
    }
    let (needed, limit) = (
        network.most_iterations(state_words),
        adapter.max_iterations().into(),
    );
    match needed > limit {
        true => Err(Error::TooManyIterations { needed, limit }),
        false => Ok(()),
    }
}

/// Returns the step tables of a network, if its states may be counted in any order by invocations
/// that have this many iterations.
fn steps_to_count(network: &Network, most_iterations: u32) -> Option<StepTables> {
    let steps = network.step_tables();
    steps.filter(|tables| {
        tables.leaves_free && iterations_of_steps(tables) <= most_iterations.into()
    })
}

/// Returns the maximum number of iterations of all loops of an invocation that expands a state by
/// steps (`expand.wgsl`).
fn iterations_of_steps(tables: &StepTables) -> u64 {
    /// The number of slots that a look-up tries on average, estimated generously: the table is half
    /// empty.
    const TRIED: u64 = 16;
    // The end of each loop counts, too. A slot is taken word by word, each in a loop.
    let words = 1 + tables.initial.len() as u64;
    let of_slot = 1 + 3 * words;
    let most = u64::from(tables.most_successors);
    // An invocation looks up its share of the waiting states, and its own ones for which there was
    // no room.
    let looked_up = most + u64::from(WAITING / SIZE);
    let whole_search = u64::from(TRIES * BUCKET) * of_slot;
    let spill = u64::from(FRESH / SIZE) * of_slot;
    2 * tables.groups.len() as u64
        + most * (1 + words)
        + looked_up * (3 * words + TRIED * of_slot)
        + whole_search
        + spill
}

/// Returns the 32-bit words of a packed state. The upper half of its last word may be unused.
fn narrow(state: &[u64], words: usize) -> impl Iterator<Item = u32> {
    let halves = state
        .iter()
        .flat_map(|&word| [word as u32, (word >> 32) as u32]);
    halves.take(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lts_formats::read_exp;

    fn steps(text: &str) -> Option<StepTables> {
        let behaviour = read_exp(text.as_bytes()).expect(text);
        let network = Network::compile(&behaviour, |file| Err(file.path.clone())).expect(text);
        steps_to_count(&network, u32::MAX)
    }

    #[test]
    fn states_are_counted_by_steps_if_no_word_is_full_and_no_transition_comes_twice() {
        let ring = "des (0, 2, 2) (0, a, 1) (1, b, 0)";
        assert!(steps(&format!("par {ring} || {ring} end par")).is_some());
        // Both processes have the same transition, and neither changes its state.
        let stay = "des (0, 1, 1) (0, a, 0)";
        assert_eq!(steps(&format!("par {stay} || {stay} end par")), None);
        let many = |count| steps(&format!("par {} end par", vec![ring; count].join(" || ")));
        assert!(many(31).is_some());
        assert_eq!(many(32), None);
        assert!(many(33).is_some());
    }
}
