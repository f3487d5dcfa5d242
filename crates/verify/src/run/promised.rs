//! Checks whether the promises of hosts ([`gpu::Promise`]) hold for the buffers of a dispatch.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use gpu::{Atom, Call, Entries, Promise, PromiseKind};
use naga::{Handle, Type, TypeInner};

use crate::Program;

/// The promises of a kernel, and the layouts of the buffers that they refer to.
struct Promised {
    promises: Vec<Promise>,
    layouts: BTreeMap<String, Layout>,
}

/// The layout of the words of a buffer.
struct Layout {
    binding: u32,
    /// The number of words of an element; 0 if the buffer is not an array.
    stride: usize,
    /// The members of the buffer, or of its elements, with their offsets in words.
    members: Vec<(String, usize)>,
}

/// Returns the promises of a call's kernel that do not hold, each with its number and a
/// description. `words` returns the buffer at a binding of group 0.
pub(super) fn broken<'w>(
    call: &Call,
    groups: [u32; 3],
    words: impl Fn(u32) -> &'w [u32],
) -> Vec<(u32, String)> {
    let promised = promised(call);
    let dispatch = Dispatched {
        promised: &promised,
        groups,
        words: &words,
    };
    let numbered = (0..).zip(&promised.promises);
    let each = numbered.filter_map(|(number, promise)| Some((number, dispatch.broken(promise)?)));
    each.collect()
}

/// Returns the promises of a call's kernel, which are read once.
fn promised(call: &Call) -> Arc<Promised> {
    static KNOWN: LazyLock<Mutex<HashMap<String, Arc<Promised>>>> = LazyLock::new(Mutex::default);
    let label = call.kernel.label();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let read = || {
        // A kernel that does not compile does not run.
        let program = Program::of_kernel(call.kernel, &call.constants).ok();
        Arc::new(Promised {
            promises: program
                .as_ref()
                .map_or_else(Vec::new, Program::host_promises),
            layouts: program.as_ref().map_or_else(BTreeMap::new, layouts),
        })
    };
    known.entry(label).or_insert_with(read).clone()
}

/// Returns the layouts of the buffers of group 0, by name.
fn layouts(program: &Program) -> BTreeMap<String, Layout> {
    let variables = program.module.global_variables.iter();
    let layout = |(_, variable): (_, &naga::GlobalVariable)| {
        let binding = variable.binding.filter(|binding| binding.group == 0)?;
        let types = &program.module.types;
        let (stride, inner) = match types[variable.ty].inner {
            TypeInner::Array { base, stride, .. } => (stride as usize / 4, base),
            _ => (0, variable.ty),
        };
        let layout = Layout {
            binding: binding.binding,
            stride,
            members: members(types, inner),
        };
        Some((variable.name.clone()?, layout))
    };
    variables.filter_map(layout).collect()
}

/// Returns the members of a structure, or the components of a vector, with their offsets in words.
fn members(types: &naga::UniqueArena<Type>, ty: Handle<Type>) -> Vec<(String, usize)> {
    match &types[ty].inner {
        TypeInner::Struct { members, .. } => {
            let place =
                |one: &naga::StructMember| Some((one.name.clone()?, one.offset as usize / 4));
            members.iter().filter_map(place).collect()
        }
        TypeInner::Vector { .. } => {
            let names = ["x", "y", "z", "w"].into_iter().zip(0..);
            names.map(|(name, at)| (name.to_owned(), at)).collect()
        }
        _ => Vec::new(),
    }
}

/// The data of a dispatch that promises refer to.
struct Dispatched<'d, 'w> {
    promised: &'d Promised,
    groups: [u32; 3],
    words: &'d dyn Fn(u32) -> &'w [u32],
}

impl<'w> Dispatched<'_, 'w> {
    /// Returns the layout and the words of a buffer.
    fn bound(&self, name: &str) -> Option<(&Layout, &'w [u32])> {
        let layout = self.promised.layouts.get(name)?;
        Some((layout, (self.words)(layout.binding)))
    }

    /// Returns the value of a part of a sum, if the buffer has it.
    fn number(&self, atom: &Atom) -> Option<u32> {
        match atom {
            Atom::Groups(axis) => self.groups.get(*axis).copied(),
            Atom::Length(name) => {
                let (layout, words) = self.bound(name)?;
                u32::try_from(words.len().checked_div(layout.stride)?).ok()
            }
            Atom::Word(name, path) => {
                let (layout, words) = self.bound(name)?;
                let at = match &path[..] {
                    [] => 0,
                    [index] if layout.stride > 0 => index.parse::<usize>().ok()? * layout.stride,
                    [member] => layout.member(member)?,
                    _ => return None,
                };
                words.get(at).copied()
            }
        }
    }

    /// Returns a description of how a promise is broken, if it is.
    fn broken(&self, promise: &Promise) -> Option<String> {
        let entries = match &promise.kind {
            PromiseKind::Assume(comparison) => {
                let (left, right) = comparison.broken(&mut |atom| self.number(atom))?;
                return Some(format!("`{promise}` does not hold: {left} and {right}"));
            }
            PromiseKind::Tickets(_) => return None,
            PromiseKind::Ascending(entries) | PromiseKind::Distinct(entries) => entries,
        };
        let of_entries = self.entries(entries)?;
        let mut seen = HashSet::new();
        let mut last = 0;
        for (at, value) in of_entries {
            let is_broken = match promise.kind {
                PromiseKind::Ascending(_) => value < std::mem::replace(&mut last, value),
                _ => !seen.insert(value),
            };
            if is_broken {
                return Some(format!("`{promise}` does not hold: entry {at} is {value}"));
            }
        }
        None
    }

    /// Returns the entries that a promise refers to, with their positions.
    fn entries(&self, about: &Entries) -> Option<Vec<(usize, u32)>> {
        let (layout, words) = self.bound(&about.array)?;
        let offset = match &about.member {
            Some(member) => layout.member(member)?,
            None => 0,
        };
        let mut limit = |sum: &gpu::Sum| sum.value(&mut |atom| self.number(atom));
        let from = about.from.as_ref().map_or(Some(0), &mut limit)?;
        let below = about.below.as_ref().map_or(Some(i128::MAX), &mut limit)?;
        let elements = words.chunks_exact(layout.stride.max(1)).enumerate();
        let is_meant =
            |at: &usize| (from..below).contains(&(*at as i128)) && self.is_among(about, *at);
        let meant = elements.filter(|(at, _)| is_meant(at));
        Some(meant.map(|(at, element)| (at, element[offset])).collect())
    }

    /// Returns whether a promise refers to an entry of another array at this position.
    fn is_among(&self, about: &Entries, at: usize) -> bool {
        let Some((array, relation, limit)) = &about.only else {
            return true;
        };
        let other = self.bound(array).and_then(|(_, words)| words.get(at));
        let limit = limit.value(&mut |atom| self.number(atom));
        match (other, limit) {
            (Some(other), Some(limit)) => relation.holds(i128::from(*other), limit),
            _ => false,
        }
    }
}

impl Layout {
    /// Returns the offset of a member, in words.
    fn member(&self, name: &str) -> Option<usize> {
        let member = self.members.iter().find(|(member, _)| member == name);
        member.map(|(_, at)| *at)
    }
}
