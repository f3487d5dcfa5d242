//! A compiled model: its parts, and functions of single states. `successors` computes its
//! transitions.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::ast::Span;
use crate::bundles::{Bundle, Party};
use crate::code::{Code, Failure, Pc};
use crate::commands::{Bound, Branch, Command, Computed, Fixed, Sum};
use crate::constants::Value;
use crate::error::{Error, ErrorKind, Fault};
use crate::groups::Group;
use crate::initial::{self, Initial};
use crate::observables::Observable;
use crate::players::Players;
use crate::rewards::RewardStructure;
use crate::rule::Rule;
use crate::variables::Variable;
use model_type::ModelType;

/// A compiled model: constants are values, formulas are substituted, and names are indices.
///
/// A state is a valuation of the [variables](Program::variables), packed into
/// [`words`](Program::words) words of 64 bits. States are equal if their words are equal. States
/// come from [`initial_states`](Program::initial_states) and [`successors`](Program::successors).
/// Functions may panic if they are called with a state from elsewhere.
///
/// A program does not change, and threads can share it. Each thread needs its own
/// [`Scratch`](crate::Scratch).
#[derive(Debug, Clone)]
pub struct Program {
    pub(crate) model_type: ModelType,
    pub(crate) bound: Bound,
    pub(crate) constants: Vec<(String, Value)>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) modules: Vec<String>,
    pub(crate) actions: Vec<String>,
    pub(crate) labels: Vec<Label>,
    pub(crate) observables: Vec<Observable>,
    pub(crate) players: Players,
    pub(crate) rewards: Vec<RewardStructure>,
    pub(crate) words: usize,
    pub(crate) initial: Initial,
    pub(crate) code: Code,
    pub(crate) commands: Vec<Command>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) fixed: Vec<Fixed>,
    pub(crate) computed: Vec<Computed>,
    pub(crate) groups: Vec<Group>,
    pub(crate) rules: Vec<Rule>,
    /// The number of rules that are not Markovian, which come first.
    pub(crate) first_markovian: usize,
    /// A set of bits, one for each rule, all of them set.
    pub(crate) all_rules: Vec<u64>,
    pub(crate) bundles: Vec<Bundle>,
    /// For each rule, the places of its groups in bundles.
    pub(crate) parties: Vec<Vec<Party>>,
    /// The text of the model, for errors.
    pub(crate) text: Arc<[u8]>,
    /// The place of `init ... endinit`.
    pub(crate) init: Option<Span>,
}

/// A label of a [`Program`].
#[derive(Debug, Clone)]
pub struct Label {
    pub(crate) name: String,
    pub(crate) code: Pc,
}

impl Label {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Program {
    /// Returns the type of the model.
    #[must_use]
    pub fn model_type(&self) -> ModelType {
        self.model_type
    }

    /// Returns the program with the lower bounds of an interval model, whose branches otherwise
    /// have the upper bounds. A branch may then have weight 0; each branch with an upper bound
    /// above 0 is included.
    #[must_use]
    pub fn with_lower_bounds(&self) -> Self {
        Self {
            bound: Bound::Lower,
            ..self.clone()
        }
    }

    /// Returns the program with the probabilities that the text has, even if those of a command do
    /// not sum to 1 (or its intervals hold no distribution). Without this, taking such a command is
    /// an error.
    #[must_use]
    pub fn with_any_sums(mut self) -> Self {
        for command in &mut self.commands {
            command.sum = Sum::Right;
        }
        self
    }

    /// Returns the constants with their values, in the order of the text.
    #[must_use]
    pub fn constants(&self) -> &[(String, Value)] {
        &self.constants
    }

    /// Returns the variables: global ones first, then those of the modules in order.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the names of the modules.
    #[must_use]
    pub fn modules(&self) -> &[String] {
        &self.modules
    }

    /// Returns the names of the actions; an [`ActionId`](crate::ActionId) is an index into them.
    #[must_use]
    pub fn actions(&self) -> &[String] {
        &self.actions
    }

    /// Returns the labels that the model defines. (The caller defines `init` and `deadlock`.)
    #[must_use]
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// Returns the number of 64-bit words of a packed state, at least 1.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the number of bits of a packed state that are used. If it is `b`, there are at most
    /// `2^b` states.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.variables.iter().map(Variable::bits).sum()
    }

    /// Unpacks a state into the values of the [variables](Program::variables), with 0 and 1 for
    /// `false` and `true`. `values` must have as many elements as there are variables.
    #[inline]
    pub fn unpack(&self, state: &[u64], values: &mut [i64]) {
        for (variable, value) in self.variables.iter().zip(values) {
            *value = variable.get(state);
        }
    }

    /// Calls `visit` for the initial states, packed, in lexicographic order of their values, until
    /// it breaks. Returns the number of states that were visited.
    ///
    /// # Errors
    ///
    /// If no state satisfies `init ... endinit`, or if this condition has no value for a state.
    pub fn initial_states(
        &self,
        mut visit: impl FnMut(&[u64]) -> ControlFlow<()>,
    ) -> Result<u64, Error> {
        self.search_initial_states(|state| state.map_or(ControlFlow::Continue(()), &mut visit))
    }

    /// As [`initial_states`](Self::initial_states), but `visit` is also called without a state,
    /// every few hundred valuations for which `init ... endinit` is tested, because testing all of
    /// them may take too long.
    ///
    /// # Errors
    ///
    /// As [`initial_states`](Self::initial_states). It is not an error if `visit` breaks before an
    /// initial state is found.
    pub fn search_initial_states(
        &self,
        mut visit: impl FnMut(Option<&[u64]>) -> ControlFlow<()>,
    ) -> Result<u64, Error> {
        let (initial, words) = (&self.initial, self.words);
        match initial::visit(initial, &self.code, &self.variables, words, &mut visit) {
            Ok((0, ControlFlow::Continue(()))) => {
                let place = self.init.unwrap_or_default();
                Err(self.locate(*Fault::new(place, ErrorKind::NoInitialState)))
            }
            Ok((visited, _)) => Ok(visited),
            Err(failure) => Err(self.locate(*self.failed(failure))),
        }
    }

    /// Returns a state in readable form, such as `(x=1, b=true)`.
    #[must_use]
    pub fn show<'p>(&'p self, state: &'p [u64]) -> impl fmt::Display + 'p {
        Shown {
            program: self,
            state,
        }
    }

    pub(crate) fn failed(&self, failure: Failure) -> Box<Fault> {
        Fault::new(
            self.code.origin(failure),
            ErrorKind::Arithmetic(failure.error),
        )
    }

    pub(crate) fn locate(&self, fault: Fault) -> Error {
        fault.locate(&self.text)
    }
}

struct Shown<'p> {
    program: &'p Program,
    state: &'p [u64],
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (index, variable) in self.program.variables.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(
                f,
                "{comma}{}={}",
                variable.name(),
                variable.value(self.state)
            )?;
        }
        f.write_str(")")
    }
}
