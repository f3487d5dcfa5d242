//! Loops as they are recorded: how often, with how many workgroups, and what in each iteration.

use crate::buffer::{AnyBuffer, Buffer};
use crate::kernel::{Call, Pass};
use crate::outcome::LoopRecord;
use crate::recording::{Groups, MAX_WORKGROUPS};
use crate::{Error, Result};

/// How a body is repeated.
///
/// The body runs with the workgroups of its record; each iteration may ask for another one by writing the
/// next record (`loop_again` in `lib/loop.wgsl`). The loop ends when the workgroups of a record
/// multiply to zero. Many iterations are submitted at once, those after the end without workgroups.
#[derive(Clone, Debug)]
pub struct Repeat {
    pub(crate) name: String,
    pub(crate) start: Start,
    pub(crate) fresh: [u32; 3],
    words: [u32; LoopRecord::WORDS],
    pub(crate) at_most: u64,
    phases: usize,
    ahead: bool,
    alike: bool,
}

/// What the first iteration of a loop runs with.
#[derive(Clone, Debug)]
pub enum Start {
    /// This many workgroups.
    Groups(Groups),
    /// The record at this byte of a buffer.
    Record(AnyBuffer, u64),
}

impl Repeat {
    /// A loop whose iterations have an invocation for each of `items`, or 65,535 workgroups that stride.
    pub fn over(name: impl Into<String>, items: u64) -> Self {
        Self::starting(name.into(), Start::Groups(Groups::Over(items)))
    }

    /// A loop whose first iteration has this many workgroups.
    pub fn groups(name: impl Into<String>, groups: [u32; 3]) -> Self {
        Self::starting(name.into(), Start::Groups(Groups::Fixed(groups)))
    }

    /// A loop whose first record an earlier pass wrote to element `index` of `records`.
    pub fn from_record(name: impl Into<String>, records: &Buffer<LoopRecord>, index: u64) -> Self {
        let start = Start::Record(records.erased(), index * Buffer::<LoopRecord>::ELEMENT);
        Self::starting(name.into(), start)
    }

    fn starting(name: String, start: Start) -> Self {
        Self {
            name,
            start,
            fresh: [0, 1, 1],
            words: [0; LoopRecord::WORDS],
            at_most: 1 << 32,
            phases: 1,
            ahead: false,
            alike: false,
        }
    }

    /// What the workgroups of a record are before an iteration writes to it; (0, 1, 1) if not set. With
    /// (0, 0, 1) a loop goes on only while both x and y are asked for.
    #[must_use]
    pub fn fresh(self, groups: [u32; 3]) -> Self {
        Self {
            fresh: groups,
            ..self
        }
    }

    /// What the first record says beside its workgroups; zeros if not set. Of no use to a loop that starts from a record of its own.
    #[must_use]
    pub fn words(self, words: [u32; LoopRecord::WORDS]) -> Self {
        Self { words, ..self }
    }

    /// Ends the run with [`Error::LoopLimit`] after so many iterations; 2^32 if not set.
    #[must_use]
    pub fn at_most(self, iterations: u64) -> Self {
        Self {
            at_most: iterations,
            ..self
        }
    }

    /// Expects many iterations: more of them are submitted before it is known how the first ones went.
    #[must_use]
    pub fn ahead(self) -> Self {
        Self {
            ahead: true,
            ..self
        }
    }

    /// Gives all iterations the workgroups of the first one, whatever a record says, which then only says whether it is there at
    /// all: what no record sizes begins sooner. After the loop's end the body's passes have to do nothing by themselves.
    #[must_use]
    pub fn alike(self) -> Self {
        Self {
            alike: true,
            ..self
        }
    }

    /// Gives the body so many forms, which take turns: two queues that swap roles are two phases.
    #[must_use]
    pub fn phases(self, phases: usize) -> Self {
        Self {
            phases: phases.max(1),
            ..self
        }
    }

    /// The loop with what `body` records, which is called once a phase.
    pub(crate) fn record(self, body: &mut dyn FnMut(usize, &mut Body)) -> Result<Repeated> {
        let mut phases = Vec::with_capacity(self.phases);
        for phase in 0..self.phases {
            let mut recorded = Body::default();
            body(phase, &mut recorded);
            match recorded.error {
                Some(error) => return Err(error),
                None => phases.push(recorded.calls),
            }
        }
        let start = self.first(&phases)?;
        Ok(Repeated {
            alike: match &start {
                Start::Groups(Groups::Fixed(groups)) if self.alike => Some(*groups),
                _ => None,
            },
            start,
            name: self.name,
            fresh: self.fresh,
            words: self.words,
            at_most: self.at_most,
            ahead: self.ahead,
            phases,
        })
    }

    /// What the first iteration runs with: items are counted in workgroups of the body's first pass.
    fn first(&self, phases: &[Vec<Call>]) -> Result<Start> {
        let Some(first) = phases.iter().flatten().next() else {
            return Err(Error::validation(
                self.name.as_str(),
                "the loop has an empty body",
            ));
        };
        if !phases.iter().flatten().any(|call| call.kernel.writes_loop) {
            let message = "no pass of the body ever asks for another iteration";
            return Err(Error::validation(self.name.as_str(), message));
        }
        Ok(match &self.start {
            Start::Groups(Groups::Over(items)) => {
                let groups = items
                    .div_ceil(u64::from(first.kernel.invocations()))
                    .min(u64::from(MAX_WORKGROUPS));
                Start::Groups(Groups::Fixed([groups as u32, 1, 1]))
            }
            start => start.clone(),
        })
    }
}

/// A loop with its body, for executors.
#[derive(Debug)]
pub struct Repeated {
    /// What it is called.
    pub name: String,
    /// What the first iteration runs with; never [`Groups::Over`].
    pub start: Start,
    /// The workgroups of a record before anyone writes to it.
    pub fresh: [u32; 3],
    /// The words of the first record.
    pub words: [u32; LoopRecord::WORDS],
    /// How many iterations may run.
    pub at_most: u64,
    /// Whether many are expected.
    pub ahead: bool,
    /// The workgroups of all iterations, if no record is to size them.
    pub alike: Option<[u32; 3]>,
    /// The calls of iteration i are those of phase i modulo the number of phases.
    pub phases: Vec<Vec<Call>>,
}

/// The body of a loop while it is recorded.
#[derive(Debug, Default)]
pub struct Body {
    calls: Vec<Call>,
    error: Option<Error>,
}

impl Body {
    /// Runs `pass` in each iteration, with the workgroups of the loop's record.
    pub fn dispatch(&mut self, pass: &impl Pass) -> &mut Self {
        let call = pass.call();
        if let Err(error) = call.check() {
            self.error.get_or_insert(error);
        }
        self.calls.push(call);
        self
    }
}
