//! Formulas. An expression that uses a formula gets a copy of it, in which other formulas are
//! substituted in turn. No other copies are made: a formula stays as it is written, so that a long
//! chain of formulas, each of which uses the one before, takes little memory.

use std::collections::{HashMap, HashSet};

use crate::ast::{Expr, Formula, NodeKind, Span};
use crate::error::{Checked, ErrorKind, Fault};
use crate::order::{cyclic, order};

/// The largest number of nodes that all expressions may have after the substitution of formulas. It
/// is limited because formulas that use others twice can double the text with each definition.
const MAX_NODES: usize = 1 << 22;

/// The formulas of a model.
pub(crate) struct Formulas<'m> {
    by_name: HashMap<&'m str, Meaning<'m>>,
    /// The formulas that no other formula uses, in the order of the text.
    outermost: Vec<&'m Formula>,
    /// The number of nodes that were counted so far.
    nodes: usize,
}

/// The meaning of a formula.
#[derive(Clone, Copy)]
struct Meaning<'m> {
    /// Its expression; if that is only the name of another formula, that of the other one.
    value: &'m Expr,
    /// The number of nodes, with other formulas substituted.
    size: usize,
}

impl<'m> Formulas<'m> {
    /// Prepares formulas. They must have different names.
    pub(crate) fn new(written: &'m [Formula]) -> Checked<Self> {
        let named = written.iter().enumerate();
        let index: HashMap<&str, usize> = named.map(|(i, f)| (f.name.value.as_str(), i)).collect();
        let uses = |formula: usize| {
            let names = written[formula].value.names();
            names
                .filter_map(|(name, _)| index.get(name).copied())
                .collect()
        };
        let name = |i: usize| &written[i].name;
        let ordered = order(written.len(), uses).map_err(|cycle| cyclic(&cycle, name))?;
        let mut formulas = Self {
            by_name: HashMap::new(),
            outermost: Vec::new(),
            nodes: 0,
        };
        for i in ordered {
            let Formula { name, value } = &written[i];
            let meaning = match value.nodes() {
                [only] => formulas.meaning(&only.kind),
                _ => None,
            };
            let size = formulas.size(value);
            formulas.count(value, value.nodes().len())?;
            if formulas.nodes.saturating_add(size) > MAX_NODES {
                return Err(too_large(value.span(), true));
            }
            let meaning = meaning.unwrap_or(Meaning { value, size });
            formulas.by_name.insert(&name.value, meaning);
        }
        let used: HashSet<usize> = (0..written.len()).flat_map(uses).collect();
        let outermost = (0..written.len()).filter(|i| !used.contains(i));
        formulas.outermost = outermost.map(|i| &written[i]).collect();
        Ok(formulas)
    }

    /// Returns the formulas that no other formula uses, in the order of the text.
    pub(crate) fn outermost(&self) -> &[&'m Formula] {
        &self.outermost
    }

    /// Returns whether a formula has this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    fn meaning(&self, kind: &NodeKind) -> Option<Meaning<'m>> {
        match kind {
            NodeKind::Name(name) => self.by_name.get(name.as_str()).copied(),
            _ => None,
        }
    }

    /// Returns the number of nodes of an expression once formulas are substituted.
    fn size(&self, expr: &Expr) -> usize {
        let sizes = expr.nodes().iter().map(|node| &node.kind);
        sizes
            .map(|kind| self.meaning(kind).map_or(1, |formula| formula.size))
            .fold(0, usize::saturating_add)
    }

    /// Substitutes formulas in an expression. Counts its nodes.
    pub(crate) fn expand(&mut self, expr: &mut Expr) -> Checked<()> {
        if !expr.names().any(|(name, _)| self.has(name)) {
            return self.count(expr, expr.nodes().len());
        }
        *expr = self.substitute(expr, |_, kind| Ok(kind.clone()))?;
        Ok(())
    }

    /// Substitutes formulas in an expression, and replaces the other nodes. Counts the nodes.
    pub(crate) fn substitute(
        &mut self,
        expr: &Expr,
        replace: impl Fn(&Self, &NodeKind) -> Checked<NodeKind>,
    ) -> Checked<Expr> {
        self.count(expr, self.size(expr))?;
        let mut made = Expr::building();
        // The rest of the expression, and of the formulas that are being substituted.
        let mut open = vec![expr.nodes().iter()];
        while let Some(nodes) = open.last_mut() {
            let Some(node) = nodes.next() else {
                open.pop();
                continue;
            };
            match self.meaning(&node.kind) {
                Some(formula) => open.push(formula.value.nodes().iter()),
                None => made.push(replace(self, &node.kind)?, node.span),
            }
        }
        Ok(made)
    }

    /// Counts nodes that an expression has.
    fn count(&mut self, expr: &Expr, nodes: usize) -> Checked<()> {
        self.nodes = self.nodes.saturating_add(nodes);
        match self.nodes > MAX_NODES {
            true => Err(too_large(expr.span(), nodes > expr.nodes().len())),
            false => Ok(()),
        }
    }
}

fn too_large(span: Span, by_formulas: bool) -> Box<Fault> {
    let kind = ErrorKind::TooMany {
        what: "operands after formulas are substituted",
        limit: MAX_NODES as u64,
    };
    let fault = Fault::new(span, kind);
    match by_formulas {
        true => fault.note("formulas in it, and those that they use, are copied at each use"),
        false => fault,
    }
}
