//! What several tests need: a sequential search.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use prism_language::{ActionId, Error, Program, Scratch, Visitor};

/// A choice: the name of its action, and its branches by target.
pub(crate) type Choice = (Option<String>, BTreeMap<Vec<i64>, f64>);

/// Collects the choices of a state, with branches to the same target added up.
pub(crate) struct Collect<'p> {
    pub(crate) program: &'p Program,
    pub(crate) choices: Vec<Choice>,
}

impl Visitor for Collect<'_> {
    fn choice(&mut self, action: Option<ActionId>) {
        let name = action.map(|action| self.program.actions()[action.0 as usize].clone());
        self.choices.push((name, BTreeMap::new()));
    }

    fn branch(&mut self, weight: f64, target: &[u64]) {
        let values = unpacked(self.program, target);
        let (_, branches) = self.choices.last_mut().expect("a choice comes first");
        *branches.entry(values).or_default() += weight;
    }
}

/// The values of a state's variables.
pub(crate) fn unpacked(program: &Program, state: &[u64]) -> Vec<i64> {
    let variables = program.variables().iter();
    variables.map(|variable| variable.get(state)).collect()
}

/// The choices of a state.
pub(crate) fn choices(program: &Program, state: &[u64]) -> Result<Vec<Choice>, Error> {
    choices_with(program, &mut program.scratch(), state)
}

/// The choices of a state, computed with what `scratch` remembers.
pub(crate) fn choices_with(
    program: &Program,
    scratch: &mut Scratch,
    state: &[u64],
) -> Result<Vec<Choice>, Error> {
    let mut collect = Collect {
        program,
        choices: Vec::new(),
    };
    program.successors(scratch, state, &mut collect)?;
    Ok(collect.choices)
}

/// A choice: its action, and its branches by number of the target.
pub(crate) type Numbered = (Option<ActionId>, BTreeMap<usize, f64>);

/// A state space as a sequential breadth-first search finds it.
#[derive(Default)]
pub(crate) struct Space {
    numbers: HashMap<Vec<u64>, usize>,
    pub(crate) states: Vec<Vec<u64>>,
    pub(crate) num_initial: usize,
    /// For each state, its choices.
    pub(crate) choices: Vec<Vec<Numbered>>,
    /// The choices of the state that is being expanded.
    current: Vec<Numbered>,
}

impl Space {
    /// Explores all states; a deadlock is given a self-loop, as PRISM and Storm do.
    pub(crate) fn explore(program: &Program) -> Result<Self, Error> {
        let mut space = Self::initial(program)?;
        let mut scratch = program.scratch();
        let mut next = 0;
        while let Some(state) = space.states.get(next).cloned() {
            program.successors(&mut scratch, &state, &mut space)?;
            let mut choices = std::mem::take(&mut space.current);
            if choices.is_empty() {
                choices.push((None, BTreeMap::from([(next, 1.0)])));
            }
            space.choices.push(choices);
            next += 1;
        }
        Ok(space)
    }

    /// The initial states.
    pub(crate) fn initial(program: &Program) -> Result<Self, Error> {
        let mut space = Self::default();
        program.initial_states(|state| {
            space.number(state);
            ControlFlow::Continue(())
        })?;
        space.num_initial = space.states.len();
        Ok(space)
    }

    fn number(&mut self, state: &[u64]) -> usize {
        let next = self.states.len();
        let number = *self.numbers.entry(state.to_vec()).or_insert(next);
        if number == next {
            self.states.push(state.to_vec());
        }
        number
    }

    /// Keeps the states that were found, and forgets how.
    pub(crate) fn forget_choices(&mut self) {
        self.current.clear();
    }

    pub(crate) fn num_choices(&self) -> usize {
        self.choices.iter().map(Vec::len).sum()
    }

    pub(crate) fn num_branches(&self) -> usize {
        self.choices
            .iter()
            .flatten()
            .map(|(_, branches)| branches.len())
            .sum()
    }
}

impl Visitor for Space {
    fn choice(&mut self, action: Option<ActionId>) {
        self.current.push((action, BTreeMap::new()));
    }

    fn branch(&mut self, weight: f64, target: &[u64]) {
        let number = self.number(target);
        let (_, branches) = self.current.last_mut().expect("a choice comes first");
        *branches.entry(number).or_default() += weight;
    }
}
