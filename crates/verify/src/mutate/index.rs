//! Mutations in which an access to an array uses the next element. They change the text of the
//! kernel.

use std::collections::BTreeSet;
use std::ops::Range;

use naga::{AddressSpace, Expression, Function, Handle, Module, Span};

use crate::{Error, Program};

/// Returns the accesses to arrays that invocations share, in the order of the text.
pub(super) fn sites(program: &Program) -> Vec<Span> {
    let module = program.module();
    let functions = module.functions.iter().map(|(_, function)| function);
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let spans = functions
        .chain(entries)
        .flat_map(|function| indexed(module, function));
    let ranges: BTreeSet<(usize, usize)> = spans
        .filter_map(Span::to_range)
        .filter(|range| index_in(program.text(), range.clone()).is_some())
        .map(|range| (range.start, range.end))
        .collect();
    let span = |&(start, end): &(usize, usize)| Span::new(start as u32, end as u32);
    ranges.iter().map(span).collect()
}

/// Changes the kernel at one of its [`sites`].
pub(super) fn mutate(program: &Program, site: usize) -> Result<Program, Error> {
    let range = sites(program)[site].to_range().unwrap_or_default();
    let index = index_in(program.text(), range).unwrap_or_default();
    let moved = format!("({}) + 1", &program.text()[index.clone()]);
    program.rewritten(index, &moved)
}

/// Returns the expressions that are elements of arrays in storage or of a workgroup.
fn indexed<'f>(module: &'f Module, function: &'f Function) -> impl Iterator<Item = Span> + 'f {
    let all = function.expressions.iter();
    let shared = all.filter_map(move |(handle, expression)| match expression {
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
            is_shared(module, function, *base).then_some(handle)
        }
        _ => None,
    });
    shared.map(|handle| function.expressions.get_span(handle))
}

/// Returns whether an expression is a part of a variable that invocations share.
fn is_shared(module: &Module, function: &Function, mut part: Handle<Expression>) -> bool {
    loop {
        match function.expressions[part] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => part = base,
            Expression::GlobalVariable(variable) => {
                let space = module.global_variables[variable].space;
                return matches!(
                    space,
                    AddressSpace::Storage { .. } | AddressSpace::WorkGroup
                );
            }
            _ => return false,
        }
    }
}

/// Returns the range of the index in the text of an access, if it is an access to an array.
fn index_in(text: &str, access: Range<usize>) -> Option<Range<usize>> {
    let end = access.end.checked_sub(1)?;
    let bytes = text.as_bytes();
    (bytes.get(end) == Some(&b']')).then_some(())?;
    let mut depth = 0;
    for at in access.rev() {
        match bytes[at] {
            b']' => depth += 1,
            b'[' if depth == 1 => return Some(at + 1..end),
            b'[' => depth -= 1,
            _ => {}
        }
    }
    None
}
