//! The shape that the theorem of `proofs/Monotone.v` requires: a kernel only lowers words, to
//! values that are monotone in these words.
//!
//! The theorem: suppose that each operation lowers one word (by `atomicMin` or `atomicAnd`; or by
//! `atomicMax` or `atomicOr`, with the order reversed) to a value that is monotone in the words.
//! Then all runs that come to rest end with the same words, namely the greatest words that no
//! operation would lower. This does not depend on the schedule, or on how old the values are that
//! loads see. This module checks a kernel's IR for that shape, buffer by buffer. A buffer has the
//! shape if all of the following holds:
//!
//! - It is accessed only by loads and by one of the four operations, the same one in all places.
//! - The choice of the word that an operation lowers does not depend on anything that changes while
//!   the kernel runs.
//! - The value is monotone: it is fixed, or a load from a buffer that has the shape, or such a load
//!   plus one if it is known not to overflow. The operands of `atomicOr` and `atomicAnd` are fixed.
//! - Each condition around an operation (`if`, `&&`, `||`, `return`, `break`, `continue`, in all
//!   calls around it) is fixed; or it can only become true as words are lowered; or it skips the
//!   operation only if this would change nothing, because the word was seen to be as low, or
//!   because the same operation was done before.
//! - If the operation depends on words that change, another iteration is requested (`loop_next`)
//!   wherever it has changed something. So the last iteration has changed nothing: the words are at
//!   rest.
//!
//! The requirements of one buffer may depend on other buffers. So buffers that fail are removed
//! from the set of candidates, and the remaining ones, which then must not depend on them, are
//! examined again. This module does not check that indices and operations are those of the
//! problem's definition, that all necessary invocations are started, or that indices are within
//! their arrays.
//!
//! ```text
//! value.rs     values, and which way they go as words are lowered
//! event.rs     operations, and what leaves them out
//! assertion.rs conditions or their negations, and what they say of their operands
//! logic.rs     conditions, and which of them an operation may have around it
//! walk.rs      statements: operations, and the conditions around them
//! loops.rs     loops, and variables where several ways meet
//! evaluate.rs  expressions
//! assumed.rs   what a kernel says of its parameters
//! ```

mod assertion;
mod assumed;
mod evaluate;
mod event;
mod logic;
mod loops;
mod value;
mod walk;

use std::collections::BTreeMap;

use naga::{AddressSpace, GlobalVariable, Handle, Span};

use crate::{Place, Program};
use assumed::Assumed;
use event::{Event, Kind};
use logic::Lowering;
use value::{Sign, Terms, Word};

/// The result of the check of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The condition under which the kernel has the shape, such as `params.flags == 0`.
    pub condition: Option<String>,
    /// The buffers that the kernel declares to have the shape, in lines `//@ monotone NAME: why`.
    pub declared: Vec<String>,
    /// The buffers to which the kernel writes, by name, and the obstacle of those that do not have
    /// the shape.
    pub buffers: BTreeMap<String, Result<(), Obstacle>>,
}

/// The reason why a buffer does not have the shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// A description of the obstacle.
    pub what: String,
    /// The place of the obstacle.
    pub place: Place,
}

impl Shape {
    /// Returns the buffers that have the shape.
    pub fn monotone(&self) -> impl Iterator<Item = &str> {
        let all = self.buffers.iter().filter(|(_, verdict)| verdict.is_ok());
        all.map(|(name, _)| name.as_str())
    }

    /// Returns the buffers that the kernel declares to have the shape, but that do not have it.
    #[must_use]
    pub fn broken(&self) -> Vec<&str> {
        let names = self.declared.iter().map(String::as_str);
        let lacks = |name: &&str| !matches!(self.buffers.get(*name), Some(Ok(())));
        names.filter(lacks).collect()
    }
}

type Buffer = Handle<GlobalVariable>;
/// The operation that lowers the words of each buffer, and the bits that change.
type Supposed = BTreeMap<Buffer, (Kind, u32)>;

/// Checks a kernel.
#[must_use]
pub fn shape(program: &Program) -> Shape {
    let assumed = Assumed::of(program);
    let plain = Assumed::default();
    let given = assumed.as_ref().unwrap_or(&plain);
    let mut obstacles: BTreeMap<Buffer, Obstacle> = BTreeMap::new();
    let mut supposed = first_supposed(program, given, &mut obstacles);
    // This is repeated whenever a buffer is removed, or more bits may change.
    loop {
        let (terms, events) = walk::events(program, given, &supposed);
        let check = Check {
            program,
            terms: &terms,
            events: &events,
            supposed: &supposed,
        };
        let mut next = supposed.clone();
        for event in &events {
            if let Some((_, bits)) = next.get_mut(&event.buffer)
                && let Some((_, _, value)) = &event.lowers
            {
                *bits |= value.maybe;
            }
        }
        if next == supposed {
            for (at, event) in events.iter().enumerate() {
                if supposed.contains_key(&event.buffer)
                    && let Err((what, span)) = check.event(at)
                {
                    let place = program.place(span);
                    let obstacle = Obstacle { what, place };
                    obstacles.entry(event.buffer).or_insert(obstacle);
                    next.remove(&event.buffer);
                }
            }
        }
        if next == supposed {
            break;
        }
        supposed = next;
    }
    let mut buffers = BTreeMap::new();
    for (buffer, variable) in program.module.global_variables.iter() {
        let name = variable.name.clone().unwrap_or_default();
        if supposed.contains_key(&buffer) {
            buffers.insert(name, Ok(()));
        } else if let Some(obstacle) = obstacles.remove(&buffer) {
            buffers.insert(name, Err(obstacle));
        }
    }
    Shape {
        condition: assumed.map(|assumed| assumed.text),
        declared: assumed::declared(program),
        buffers,
    }
}

/// Returns whether a buffer is the record of a loop, which belongs to the loop of the host.
fn is_record(program: &Program, buffer: Buffer) -> bool {
    let binding = &program.module.global_variables[buffer].binding;
    binding.as_ref().is_some_and(|binding| binding.group == 1)
}

/// Returns the storage buffers on which only one kind of operation is used.
fn first_supposed(
    program: &Program,
    assumed: &Assumed,
    obstacles: &mut BTreeMap<Buffer, Obstacle>,
) -> Supposed {
    let (_, events) = walk::events(program, assumed, &BTreeMap::new());
    let mut supposed = Supposed::new();
    for event in &events {
        let buffer = event.buffer;
        let space = program.module.global_variables[buffer].space;
        if !matches!(space, AddressSpace::Storage { .. }) || is_record(program, buffer) {
            continue;
        }
        let what = match (&event.lowers, supposed.get(&buffer)) {
            (Some((kind, ..)), None) => {
                supposed.insert(buffer, (*kind, 0));
                continue;
            }
            (Some((kind, ..)), Some((known, _))) if kind == known => continue,
            (Some(_), Some(_)) => "two kinds of operations change its words",
            (None, _) => "another operation, such as a store, changes its words",
        };
        let place = program.place(event.span);
        let what = what.to_owned();
        obstacles.entry(buffer).or_insert(Obstacle { what, place });
    }
    supposed.retain(|buffer, _| !obstacles.contains_key(buffer));
    supposed
}

/// The reason why an operation does not have the shape, with its place.
type Verdict = Result<(), (String, Span)>;

struct Check<'a> {
    program: &'a Program,
    terms: &'a Terms,
    events: &'a [Event],
    supposed: &'a Supposed,
}

impl Check<'_> {
    fn event(&self, at: usize) -> Verdict {
        let event = &self.events[at];
        let own = |what: &str| Err((what.to_owned(), event.span));
        let (Some((kind, word, value)), Some((_, bits))) =
            (&event.lowers, self.supposed.get(&event.buffer))
        else {
            return own("another operation, such as a store, changes its words");
        };
        if !event.has_fixed_index {
            return own("which word is lowered depends on words that change");
        }
        if value.sign != Sign::Fixed && (kind.by_bits() || value.sign != kind.sign()) {
            return own("the value is not monotone in the words that change");
        }
        let op = Lowering {
            kind: *kind,
            word,
            value: value.term,
            changeable: *bits,
        };
        for (guard, span) in event.guards.iter().zip(&event.guard_spans) {
            if !self.terms.allows(guard.term, &op) {
                let what = "a condition is not monotone in the words that change";
                return Err((what.to_owned(), *span));
            }
        }
        for skip in &event.skips {
            if !self.terms.allows_behind(skip, &event.guards, &op) {
                let what = "whether this skips a later operation is not monotone in the words \
                            that change";
                return Err((what.to_owned(), skip.span));
            }
        }
        match self.depends(event, value.sign, &op) && !self.is_followed(at, &op) {
            true => own("no other iteration is requested where this changes a word"),
            false => Ok(()),
        }
    }

    /// Returns whether an operation depends on words that change, other than by being skipped if it
    /// would change nothing.
    fn depends(&self, event: &Event, sign: Sign, op: &Lowering<'_>) -> bool {
        let is_needless =
            |term| self.terms.sign(term) == Sign::Fixed || self.terms.is_vain_unless(term, op);
        let guards = event.guards.iter().map(|guard| guard.term);
        let fixed = |one: &value::Scalar| one.is_fixed();
        sign != Sign::Fixed
            || !guards.into_iter().all(is_needless)
            || !event
                .skips
                .iter()
                .all(|skip| skip.conditions.iter().all(fixed))
    }

    /// Returns whether another iteration is requested after an operation that has changed
    /// something.
    fn is_followed(&self, at: usize, op: &Lowering<'_>) -> bool {
        let lowers = (&self.events[at], op);
        let later = self.events[at + 1..].iter();
        later.into_iter().any(|asking| match &asking.lowers {
            Some((Kind::Max, word, value)) if self.is_only_raised(word) => {
                let ask = Lowering {
                    kind: Kind::Max,
                    word,
                    value: value.term,
                    changeable: 0,
                };
                value.is_fixed() && self.terms.follows((asking, &ask), lowers)
            }
            _ => false,
        })
    }

    /// Returns whether a word in the record of a loop is the one with the number of workgroups that
    /// continue, and is only raised.
    fn is_only_raised(&self, word: &Word) -> bool {
        let is_groups = |step: &usize| matches!(self.terms.number(*step), Some(0..3));
        let own = self
            .events
            .iter()
            .filter(|event| event.buffer == word.buffer);
        let raises = |event: &Event| match &event.lowers {
            Some((Kind::Max, ..)) => true,
            Some(_) => event.place_is_other(word, self.terms),
            None => event.place_is_other(word, self.terms),
        };
        is_record(self.program, word.buffer)
            && matches!(&word.steps[..], [step] if is_groups(step))
            && own.into_iter().all(raises)
    }
}
