//! The constraints on clocks in a model: the values with which clocks are compared, and to which
//! they are set.

use std::collections::HashMap;

use crate::arith::to_int;
use crate::ast::{
    Assignment, BinaryOp, Expr, Ident, Model, ModuleBody, Node, NodeKind, Observable, Type,
    TypeKeyword, Variable, VariableRange,
};
use crate::code::Compiler;
use crate::constants::{self, reject_variables, variable_names};
use crate::error::{Checked, ErrorKind, Fault};
use crate::ir::{Meaning, Scope, Wanted, typed};
use crate::variables::{self, variables};
use crate::widths::Widths;

/// The largest number of values of variables that are tried to find the values with which a clock
/// is compared.
const MAX_VALUES: u64 = 1 << 20;

/// The clocks of a model.
pub(super) struct Clocks {
    /// The greatest value with which each clock is compared or to which it is set.
    most: HashMap<String, Option<i64>>,
    /// The length of a step: the greatest common divisor of all these values.
    pub(super) unit: i64,
    /// The values to which clocks are set. The assignments of a renamed module have the same places
    /// as those of the module that it copies.
    resets: HashMap<(String, usize), i64>,
}

/// Finds the constraints on the clocks of a model, and checks that they are supported.
pub(super) fn clocks(model: &Model, given: &[(&str, &str)], widths: &Widths) -> Checked<Clocks> {
    let without = without_clocks(model)?;
    let mut scope = constants::evaluate(&without, given)?;
    let variables = variables(&without, &mut scope, widths)?;
    let local = model.modules.iter().flat_map(|m| m.body.variables());
    let all = local.filter(|variable| variable.range == VariableRange::Clock);
    let mut search = Search {
        clocks: Clocks {
            most: all.map(|clock| (clock.name.value.clone(), None)).collect(),
            unit: 0,
            resets: HashMap::new(),
        },
        model,
        scope: &scope,
        variables: &variables.all,
    };
    search.check_model()?;
    search.check_observability()?;
    let mut clocks = search.clocks;
    clocks.unit = clocks.unit.max(1);
    Ok(clocks)
}

/// Returns the model without its clocks.
fn without_clocks(model: &Model) -> Checked<Model> {
    let mut model = model.clone();
    for module in &mut model.modules {
        if let ModuleBody::Written { variables, .. } = &mut module.body {
            let mut clocks = variables.iter().filter(|v| v.range == VariableRange::Clock);
            if let Some((clock, init)) = clocks.find_map(|v| v.init.as_ref().map(|init| (v, init)))
            {
                let name = clock.name.value.clone();
                return Err(Fault::new(init.span(), ErrorKind::ClockInitial { name }));
            }
            variables.retain(|variable| variable.range != VariableRange::Clock);
        }
    }
    Ok(model)
}

impl Clocks {
    /// Returns the value that an assignment gives to a clock, in steps; `None` if its variable is
    /// not a clock.
    pub(super) fn reset(&self, assignment: &Assignment) -> Option<i64> {
        let Ident { value, span } = &assignment.variable;
        let value = self.resets.get(&(value.clone(), span.start()))?;
        Some(value / self.unit)
    }

    /// Returns the last value of a variable, in steps; `None` if it is not a clock.
    pub(super) fn last(&self, variable: &Variable) -> Checked<Option<i64>> {
        let name = &variable.name;
        match self.most.get(&name.value) {
            None => Ok(None),
            Some(&Some(most)) if most >= 0 => Ok(Some((most / self.unit).saturating_add(1))),
            Some(_) => {
                let kind = ErrorKind::UnboundedClock {
                    name: name.value.clone(),
                };
                Err(Fault::new(name.span, kind))
            }
        }
    }

    /// Returns an expression in which clocks count steps.
    pub(super) fn in_steps(&self, expr: &Expr) -> Expr {
        self.in_steps_after(0, expr)
    }

    /// Returns an expression in which clocks count steps, and whose value is that after a unit of
    /// time. As in PRISM, 1 is added to the value of a clock, whatever the length of a step is; for
    /// upper bounds, this is equivalent.
    pub(super) fn in_steps_after_unit(&self, expr: &Expr) -> Expr {
        self.in_steps_after(1, expr)
    }

    fn in_steps_after(&self, time: i64, expr: &Expr) -> Expr {
        let mut scaled = Expr::building();
        for Node { kind, span, .. } in expr.nodes() {
            let NodeKind::Name(name) = kind else {
                scaled.push(kind.clone(), *span);
                continue;
            };
            let mut value = Expr::leaf(kind.clone(), *span);
            let is_clock = self.is_clock(name);
            if is_clock && self.unit > 1 {
                value.push(NodeKind::Int(self.unit), *span);
                value.push(NodeKind::Binary(BinaryOp::Times), *span);
            }
            if is_clock && time > 0 {
                value.push(NodeKind::Int(time), *span);
                value.push(NodeKind::Binary(BinaryOp::Plus), *span);
            }
            scaled.append(&value);
        }
        scaled
    }

    fn is_clock(&self, name: &str) -> bool {
        self.most.contains_key(name)
    }

    /// Records a value with which a clock is compared or to which it is set.
    fn meets(&mut self, clock: &str, value: i64) {
        if let Some(most) = self.most.get_mut(clock) {
            *most = Some(most.map_or(value, |most| most.max(value)));
        }
        self.unit = divisor(self.unit, value.saturating_abs());
    }
}

/// Returns the greatest common divisor. The divisor of 0 and a number is that number.
fn divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

struct Search<'s> {
    clocks: Clocks,
    model: &'s Model,
    /// The constants, and the variables that are not clocks.
    scope: &'s Scope<'s>,
    variables: &'s [variables::Variable],
}

impl Search<'_> {
    /// Checks the uses of clocks in all parts of the model.
    fn check_model(&mut self) -> Checked<()> {
        let model = self.model;
        for module in &model.modules {
            if let Some(invariant) = module.body.invariant() {
                self.check_comparisons(invariant)?;
            }
            for command in module.body.commands() {
                self.check_comparisons(&command.guard)?;
                for update in &command.updates {
                    let mut weights = update.weight.iter().chain(&update.upper);
                    weights.try_for_each(|weight| self.check_no_clock(weight))?;
                    for assignment in &update.assignments {
                        self.check_assignment(assignment)?;
                    }
                }
            }
        }
        for observable in &model.observables {
            // A clock can be an observable by itself.
            if observable.value.nodes().len() > 1 {
                self.check_comparisons(&observable.value)?;
            }
        }
        for label in &model.labels {
            self.check_no_clock(&label.value)?;
        }
        for item in model.rewards.iter().flat_map(|rewards| &rewards.items) {
            self.check_no_clock(&item.guard)?;
            self.check_no_clock(&item.value)?;
        }
        model
            .init
            .iter()
            .try_for_each(|init| self.check_no_clock(init))
    }

    /// Checks that a partially observable model observes all clocks, as in PRISM.
    fn check_observability(&self) -> Checked<()> {
        let model = self.model;
        if model.model_type.as_ref().map(|keyword| keyword.value) != Some(TypeKeyword::Popta) {
            return Ok(());
        }
        let observables = model.observables.iter();
        let only = |observable: &Observable| match observable.value.nodes() {
            [
                Node {
                    kind: NodeKind::Name(name),
                    ..
                },
            ] => Some(name.clone()),
            _ => None,
        };
        let mut seen: Vec<String> = observables.filter_map(only).collect();
        seen.extend(model.observed.iter().map(|name| name.value.clone()));
        let mut variables = model.modules.iter().flat_map(|m| m.body.variables());
        let hidden = variables.find(|variable| {
            variable.range == VariableRange::Clock && !seen.contains(&variable.name.value)
        });
        match hidden {
            None => Ok(()),
            Some(Variable { name, .. }) => {
                let kind = ErrorKind::HiddenClock {
                    name: name.value.clone(),
                };
                Err(Fault::new(name.span, kind))
            }
        }
    }

    /// Checks that an expression uses no clock.
    fn check_no_clock(&self, expr: &Expr) -> Checked<()> {
        match expr.names().find(|(name, _)| self.clocks.is_clock(name)) {
            None => Ok(()),
            Some((name, span)) => {
                let name = name.to_owned();
                Err(Fault::new(span, ErrorKind::ClockMisplaced { name }))
            }
        }
    }

    /// Checks an assignment, and records the value to which a clock is set.
    fn check_assignment(&mut self, assignment: &Assignment) -> Checked<()> {
        let Ident { value: clock, span } = &assignment.variable;
        if !self.clocks.is_clock(clock) {
            return self.check_no_clock(&assignment.value);
        }
        let what = "the value of a clock";
        reject_variables(&assignment.value, &variable_names(self.model), what)?;
        let wanted = Wanted::Of(Type::Int);
        let value = typed(&assignment.value, self.scope, what, wanted)?;
        let value = to_int(Compiler::new(&[]).evaluate(&value, value.root())?);
        self.clocks.meets(clock, value);
        let place = (clock.clone(), span.start());
        self.clocks.resets.insert(place, value);
        Ok(())
    }

    /// Checks the comparisons in an expression that may use clocks.
    fn check_comparisons(&mut self, expr: &Expr) -> Checked<()> {
        let nodes = expr.nodes();
        let clock = |index: usize| match &nodes[index].kind {
            NodeKind::Name(name) if self.clocks.is_clock(name) => Some(name.clone()),
            _ => None,
        };
        let (mut compared, mut found) = (vec![false; nodes.len()], Vec::new());
        for (index, node) in nodes.iter().enumerate() {
            let NodeKind::Binary(op) = node.kind else {
                continue;
            };
            let operands: Vec<usize> = expr.operands(index).collect();
            let &[right, left] = &operands[..] else {
                continue;
            };
            if !is_comparison(op) {
                continue;
            }
            let (name, value) = match (clock(left), clock(right)) {
                (None, None) => continue,
                (Some(left), Some(right)) => {
                    let kind = ErrorKind::DiagonalComparison { left, right };
                    return Err(Fault::new(node.span, kind));
                }
                (Some(name), None) => (name, right),
                (None, Some(name)) => (name, left),
            };
            let operator = op.quoted();
            if matches!(op, BinaryOp::Less | BinaryOp::Greater) {
                let kind = ErrorKind::StrictComparison { name, operator };
                return Err(Fault::new(node.span, kind));
            }
            (compared[left], compared[right]) = (true, true);
            found.push((name, expr.operand(value)));
        }
        for index in (0..nodes.len()).filter(|&index| !compared[index]) {
            if let Some(name) = clock(index) {
                return Err(Fault::new(
                    nodes[index].span,
                    ErrorKind::ClockMisplaced { name },
                ));
            }
        }
        for (clock, with) in found {
            for value in self.values(&with)? {
                self.clocks.meets(&clock, value);
            }
        }
        Ok(())
    }

    /// Returns the values of an integer expression for all values of its variables.
    fn values(&self, expr: &Expr) -> Checked<Vec<i64>> {
        let of = Wanted::Of(Type::Int);
        let checked = typed(expr, self.scope, "what a clock is compared with", of)?;
        let mut slots = Vec::new();
        for (name, span) in expr.names() {
            let Some(&Meaning::Variable(slot, ..)) = self.scope.names.get(name) else {
                continue;
            };
            if !self.variables[usize::from(slot)].is_bounded() {
                let name = name.to_owned();
                return Err(Fault::new(span, ErrorKind::UnboundedComparison { name }));
            }
            slots.push(usize::from(slot));
        }
        slots.sort_unstable();
        slots.dedup();
        let domain = |slot: usize| self.variables[slot].domain;
        let sizes = slots
            .iter()
            .map(|&slot| domain(slot).high.abs_diff(domain(slot).low));
        let count = sizes.fold(1_u64, |all, last| {
            all.saturating_mul(last.saturating_add(1))
        });
        if count > MAX_VALUES {
            let what = "values that a clock may be compared with";
            let limit = MAX_VALUES;
            return Err(Fault::new(expr.span(), ErrorKind::TooMany { what, limit }));
        }
        let domains: Vec<_> = self
            .variables
            .iter()
            .map(|variable| variable.domain)
            .collect();
        let mut compiler = Compiler::new(&domains);
        let code = compiler.value(&checked, checked.root())?;
        let mut state: Vec<i64> = domains.iter().map(|domain| domain.low).collect();
        let (mut stack, mut values) = (compiler.code.stack(), Vec::new());
        loop {
            let value = compiler
                .code
                .run(code, &state, &mut stack)
                .map_err(|failure| {
                    let kind = ErrorKind::Arithmetic(failure.error);
                    Fault::new(compiler.code.origin(failure), kind)
                })?;
            values.push(to_int(value));
            // Advances to the next values, in which the last variable changes fastest.
            let Some(at) = slots
                .iter()
                .rposition(|&slot| state[slot] < domains[slot].high)
            else {
                return Ok(values);
            };
            state[slots[at]] += 1;
            for &slot in &slots[at + 1..] {
                state[slot] = domains[slot].low;
            }
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(
        op,
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
    )
}
