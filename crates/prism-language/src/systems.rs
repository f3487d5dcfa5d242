//! Named `system ... endsystem` blocks, and references to them.

use std::collections::HashMap;

use crate::ast::{Ident, Model, Span, Spanned, System, SystemNode};
use crate::composition::miscounted;
use crate::error::{Checked, Naming};
use crate::names;
use crate::order::{cyclic, order};

/// The model's own composition, in which systems stand in the place of their names. Those that it
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
    /// Those with names, by these.
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

    /// That all references are to systems, and that none needs itself.
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
        // Nothing can refer to one without a name, so it is in no cycle.
        let name = |system: usize| self.all[system].name.as_ref().unwrap_or(&unnamed);
        order(self.all.len(), needs)
            .map(drop)
            .map_err(|cycle| cyclic(&cycle, name))
    }

    /// The system that a node refers to.
    fn referred(&self, node: &SystemNode) -> Option<usize> {
        match node {
            SystemNode::Reference(name) => self.named.get(name.as_str()).copied(),
            _ => None,
        }
    }

    /// A system with others in the place of their names. None stands there twice, as its modules
    /// then would: so this is no longer than the text.
    fn flat(&self, system: &System) -> Checked<System> {
        let mut nodes: Vec<Spanned<SystemNode>> = Vec::new();
        let mut is_used = vec![false; self.all.len()];
        // What is left of the systems that are being written.
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

    /// A module of a system.
    fn first_module(&self, mut system: usize) -> &'m str {
        loop {
            // The first node takes no operands.
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
