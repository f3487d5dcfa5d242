//! Named `system ... endsystem` blocks, and references to them.

use std::collections::HashMap;

use crate::ast::{Ident, Model, Span, Spanned, System, SystemNode};
use crate::composition::miscounted;
use crate::error::{Checked, Naming};
use crate::names;
use crate::order::{cyclic, order};

/// Returns the model's composition, with the contents of named systems substituted. Systems that it
/// does not use are only checked.
pub(crate) fn flat(model: &Model) -> Checked<Option<System>> {
    let systems = Systems::of(model);
    systems.check()?;
    match model.system() {
        Some(system) => systems.flat(system).map(Some),
        None => Ok(None),
    }
}

struct Systems<'m> {
    all: &'m [System],
    /// The systems with names, by name.
    named: HashMap<&'m str, usize>,
}

impl<'m> Systems<'m> {
    fn of(model: &'m Model) -> Self {
        let all = &model.systems;
        let name = |(index, system): (usize, &'m System)| {
            let name = system.name.as_ref()?;
            Some((name.value.as_str(), index))
        };
        Self {
            all,
            named: all.iter().enumerate().filter_map(name).collect(),
        }
    }

    /// Checks that all references are to systems, and that no system depends on itself.
    fn check(&self) -> Checked<()> {
        for node in self.all.iter().flat_map(|system| &system.nodes) {
            if let SystemNode::Reference(name) = &node.value
                && !self.named.contains_key(name.as_str())
            {
                let known = self.named.keys().copied();
                return Err(names::unknown(name, node.span, Naming::System, known));
            }
        }
        let needs = |system: usize| {
            let nodes = self.all[system].nodes.iter();
            nodes
                .filter_map(|node| self.referred(&node.value))
                .collect()
        };
        let unnamed = Ident {
            value: String::new(),
            span: Span::default(),
        };
        // Nothing can refer to a system without a name, so it is not part of a cycle.
        let name = |system: usize| self.all[system].name.as_ref().unwrap_or(&unnamed);
        order(self.all.len(), needs)
            .map(drop)
            .map_err(|cycle| cyclic(&cycle, name))
    }

    /// Returns the system that a node refers to.
    fn referred(&self, node: &SystemNode) -> Option<usize> {
        match node {
            SystemNode::Reference(name) => self.named.get(name.as_str()).copied(),
            _ => None,
        }
    }

    /// Returns a system with the contents of other systems substituted. No system is used twice,
    /// because its modules would occur twice. Therefore the result is not longer than the text.
    fn flat(&self, system: &System) -> Checked<System> {
        let mut nodes: Vec<Spanned<SystemNode>> = Vec::new();
        let mut is_used = vec![false; self.all.len()];
        // The remaining nodes of the systems that are being substituted.
        let mut open = vec![system.nodes.iter()];
        while let Some(rest) = open.last_mut() {
            let Some(node) = rest.next() else {
                open.pop();
                continue;
            };
            match self.referred(&node.value) {
                Some(used) if std::mem::replace(&mut is_used[used], true) => {
                    return Err(miscounted(self.first_module(used), 2, node.span));
                }
                Some(used) => open.push(self.all[used].nodes.iter()),
                None => nodes.push(node.clone()),
            }
        }
        let name = system.name.clone();
        Ok(System { name, nodes })
    }

    /// Returns a module of a system.
    fn first_module(&self, mut system: usize) -> &'m str {
        loop {
            // The first node has no operands.
            match self.all[system].nodes.first().map(|node| &node.value) {
                Some(SystemNode::Module(name)) => return name,
                Some(node) => match self.referred(node) {
                    Some(next) => system = next,
                    None => return "",
                },
                None => return "",
            }
        }
    }
}
