//! The declarations of a kernel about its shape: the buffers that have it, and the condition, if
//! there is one. These declarations are checked.
//!
//! ```wgsl
//! //@ monotone costs if params.flags == 0: with flags, who is looked at depends on them
//! ```

use naga::{GlobalVariable, Handle, TypeInner};

use crate::Program;

/// The assumption that a member of the parameters has a certain value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Assumed {
    pub(super) member: Option<(Handle<GlobalVariable>, u32, u32)>,
    /// The text of the condition.
    pub(super) text: String,
}

impl Assumed {
    /// Returns the condition in a kernel's line `//@ monotone NAME if PARAMS.MEMBER == NUMBER:
    /// why`, if it has one.
    pub(super) fn of(program: &Program) -> Option<Self> {
        let mut lines = program.text().lines();
        lines.find_map(|line| {
            let (head, _) = line
                .trim()
                .strip_prefix("//@ monotone ")?
                .split_once(": ")?;
            let (_, condition) = head.split_once(" if ")?;
            let (name, number) = condition.split_once(" == ")?;
            let (variable, member) = name.split_once('.')?;
            Some(Self {
                member: Some(member_of(program, variable, member, number)?),
                text: condition.to_owned(),
            })
        })
    }
}

/// Returns the buffers that a kernel declares to have the shape.
pub(super) fn declared(program: &Program) -> Vec<String> {
    let lines = program.text().lines();
    let names = lines.filter_map(|line| {
        let (head, _) = line
            .trim()
            .strip_prefix("//@ monotone ")?
            .split_once(": ")?;
        Some(head.split(' ').next().unwrap_or(head).to_owned())
    });
    names.collect()
}

fn member_of(
    program: &Program,
    variable: &str,
    member: &str,
    number: &str,
) -> Option<(Handle<GlobalVariable>, u32, u32)> {
    let mut variables = program.module.global_variables.iter();
    let (handle, found) = variables.find(|(_, one)| one.name.as_deref() == Some(variable))?;
    let TypeInner::Struct { members, .. } = &program.module.types[found.ty].inner else {
        return None;
    };
    let at = members
        .iter()
        .position(|one| one.name.as_deref() == Some(member))?;
    Some((handle, at as u32, number.parse().ok()?))
}
