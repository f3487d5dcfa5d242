//! An interpreter of models that shares nothing with the compiler: it walks the syntax as a tree,
//! looks names up in maps, and composes modules anew in every state.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use prism_language::Value;
use prism_language::ast::TypeKeyword;
use prism_language::ast::{
    BinaryOp, Command, Expr, Function, Model, ModuleBody, NodeKind, SystemNode, Type, UnaryOp,
    VariableRange,
};

use crate::support::Choice;

/// Why there is no value; the words do not matter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NoValue(pub(crate) String);

fn none<T>(why: &str) -> Result<T, NoValue> {
    Err(NoValue(why.to_owned()))
}

/// The value of an expression, with names looked up by `name`.
pub(crate) fn evaluate(
    expr: &Expr,
    name: &dyn Fn(&str) -> Result<Value, NoValue>,
) -> Result<Value, NoValue> {
    node(expr, expr.nodes().len() - 1, name)
}

fn node(
    expr: &Expr,
    index: usize,
    name: &dyn Fn(&str) -> Result<Value, NoValue>,
) -> Result<Value, NoValue> {
    let mut operands: Vec<usize> = expr.operands(index).collect();
    operands.reverse();
    let value = |at: usize| node(expr, operands[at], name);
    let truth = |at: usize| match value(at)? {
        Value::Bool(truth) => Ok(truth),
        _ => none("not a truth value"),
    };
    Ok(match &expr.nodes()[index].kind {
        NodeKind::Int(value) => Value::Int(*value),
        NodeKind::Double(value) => Value::Double(*value),
        NodeKind::Bool(value) => Value::Bool(*value),
        NodeKind::Name(x) => name(x)?,
        NodeKind::Unary(UnaryOp::Not) => Value::Bool(!truth(0)?),
        NodeKind::Unary(UnaryOp::Minus) => match value(0)? {
            Value::Int(x) => int(0 - i128::from(x))?,
            Value::Double(x) => Value::Double(-x),
            Value::Bool(_) => return none("minus a truth value"),
        },
        NodeKind::Binary(BinaryOp::And) => Value::Bool(truth(0)? && truth(1)?),
        NodeKind::Binary(BinaryOp::Or) => Value::Bool(truth(0)? || truth(1)?),
        NodeKind::Binary(BinaryOp::Implies) => Value::Bool(!truth(0)? || truth(1)?),
        NodeKind::Binary(BinaryOp::Iff) => Value::Bool(truth(0)? == truth(1)?),
        NodeKind::Binary(op) => operation(*op, value(0)?, value(1)?)?,
        NodeKind::IfThenElse => {
            let double = statically_double(expr, operands[1], name)
                || statically_double(expr, operands[2], name);
            let chosen = value(if truth(0)? { 1 } else { 2 })?;
            if double {
                Value::Double(real(chosen)?)
            } else {
                chosen
            }
        }
        NodeKind::Call(function, count) => {
            let values: Result<Vec<Value>, NoValue> = (0..*count as usize).map(value).collect();
            call(*function, &values?)?
        }
    })
}

/// Whether the type of a part is `double`, whatever its value is: `true ? 1 : 0.5` is one.
fn statically_double(
    expr: &Expr,
    index: usize,
    name: &dyn Fn(&str) -> Result<Value, NoValue>,
) -> bool {
    let mut operands: Vec<usize> = expr.operands(index).collect();
    operands.reverse();
    let any = |of: &[usize]| {
        of.iter()
            .any(|&operand| statically_double(expr, operand, name))
    };
    match &expr.nodes()[index].kind {
        NodeKind::Double(_) | NodeKind::Binary(BinaryOp::Divide) => true,
        NodeKind::Call(Function::Log, _) => true,
        NodeKind::Name(x) => matches!(name(x), Ok(Value::Double(_))),
        NodeKind::Unary(UnaryOp::Minus)
        | NodeKind::Binary(BinaryOp::Plus | BinaryOp::Minus | BinaryOp::Times | BinaryOp::Power)
        | NodeKind::Call(Function::Min | Function::Max | Function::Pow, _) => any(&operands),
        NodeKind::IfThenElse => any(&operands[1..]),
        _ => false,
    }
}

fn int(value: i128) -> Result<Value, NoValue> {
    i64::try_from(value).map_or_else(|_| none("overflow"), |value| Ok(Value::Int(value)))
}

fn real(value: Value) -> Result<f64, NoValue> {
    match value {
        Value::Int(value) => Ok(value as f64),
        Value::Double(value) => Ok(value),
        Value::Bool(_) => none("a truth value is no number"),
    }
}

fn operation(op: BinaryOp, left: Value, right: Value) -> Result<Value, NoValue> {
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        let (a, b) = (i128::from(a), i128::from(b));
        return match op {
            BinaryOp::Plus => int(a + b),
            BinaryOp::Minus => int(a - b),
            BinaryOp::Times => int(a * b),
            BinaryOp::Divide if b == 0 => none("division by zero"),
            BinaryOp::Divide => Ok(Value::Double(a as f64 / b as f64)),
            BinaryOp::Power if b < 0 => none("negative exponent"),
            BinaryOp::Power => by_squaring(a, b),
            op => Ok(Value::Bool(compared(op, &a, &b))),
        };
    }
    if let (Value::Bool(a), Value::Bool(b)) = (left, right) {
        return Ok(Value::Bool(compared(op, &a, &b)));
    }
    let (a, b) = (real(left)?, real(right)?);
    match op {
        BinaryOp::Plus => Ok(Value::Double(a + b)),
        BinaryOp::Minus => Ok(Value::Double(a - b)),
        BinaryOp::Times => Ok(Value::Double(a * b)),
        BinaryOp::Divide if b == 0.0 => none("division by zero"),
        BinaryOp::Divide => Ok(Value::Double(a / b)),
        BinaryOp::Power if a.abs() == 1.0 && !b.is_finite() => Ok(Value::Double(f64::NAN)),
        BinaryOp::Power => Ok(Value::Double(a.powf(b))),
        op => Ok(Value::Bool(compared(op, &a, &b))),
    }
}

/// The power of integers, from the bits of the exponent; what does not fit stays too large.
fn by_squaring(base: i128, exponent: i128) -> Result<Value, NoValue> {
    let (mut power, mut square, mut left) = (1_i128, base, exponent);
    while left > 0 {
        if left % 2 == 1 {
            power = power.checked_mul(square).map_or(i128::MAX, |power| power);
            int(power)?;
        }
        left /= 2;
        // Beyond 2^64 any further factor is too much.
        square = square.checked_mul(square).unwrap_or(i128::MAX);
    }
    int(power)
}

fn compared<T: PartialOrd>(op: BinaryOp, a: &T, b: &T) -> bool {
    match op {
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        BinaryOp::Less => a < b,
        BinaryOp::LessEqual => a <= b,
        BinaryOp::Greater => a > b,
        BinaryOp::GreaterEqual => a >= b,
        _ => unreachable!("not a comparison"),
    }
}

fn call(function: Function, values: &[Value]) -> Result<Value, NoValue> {
    let whole: Option<Vec<i64>> = values
        .iter()
        .map(|value| match value {
            Value::Int(value) => Some(*value),
            _ => None,
        })
        .collect();
    let reals: Result<Vec<f64>, NoValue> = values.iter().copied().map(real).collect();
    let reals = reals?;
    let nearest = |value: f64| match (-2_f64.powi(63)..2_f64.powi(63)).contains(&value) {
        true => Ok(Value::Int(value as i64)),
        false => none("no nearest integer"),
    };
    match (function, whole) {
        (Function::Min, Some(whole)) => Ok(Value::Int(*whole.iter().min().expect("not empty"))),
        (Function::Max, Some(whole)) => Ok(Value::Int(*whole.iter().max().expect("not empty"))),
        (Function::Min, None) => Ok(Value::Double(first_by(&reals, |a, b| a < b))),
        (Function::Max, None) => Ok(Value::Double(first_by(&reals, |a, b| a > b))),
        (Function::Floor | Function::Ceil | Function::Round, Some(whole)) => {
            Ok(Value::Int(whole[0]))
        }
        (Function::Floor, None) => nearest(reals[0].floor()),
        (Function::Ceil, None) => nearest(reals[0].ceil()),
        (Function::Round, None) => nearest(halves_up(reals[0])),
        (Function::Pow, Some(whole)) => {
            if whole[1] < 0 {
                return none("negative exponent");
            }
            let mut power: i128 = 1;
            // From 200 on the result overflows, or depends on whether the exponent is even.
            for _ in 0..whole[1].min(200 + whole[1] % 2) {
                power = power.saturating_mul(i128::from(whole[0]));
            }
            int(power)
        }
        (Function::Pow, None) => operation(BinaryOp::Power, values[0], values[1]),
        (Function::Mod, Some(whole)) if whole[1] > 0 => {
            let rest = whole[0] % whole[1];
            Ok(Value::Int(if rest < 0 { rest + whole[1] } else { rest }))
        }
        (Function::Mod, _) => none("bad divisor"),
        (Function::Log, _) if reals[1] <= 0.0 || reals[1] == 1.0 || !reals[1].is_finite() => {
            Ok(Value::Double(f64::NAN))
        }
        (Function::Log, _) => Ok(Value::Double(reals[0].ln() / reals[1].ln())),
    }
}

/// The first number that no other is before; comparisons with what is no number are false.
fn first_by(numbers: &[f64], before: impl Fn(f64, f64) -> bool) -> f64 {
    let mut first = numbers[0];
    for &number in &numbers[1..] {
        if before(number, first) {
            first = number;
        }
    }
    first
}

fn halves_up(value: f64) -> f64 {
    let away_from_zero = value.round();
    match value - away_from_zero == 0.5 {
        true => value.ceil(),
        false => away_from_zero,
    }
}

/// A model that is interpreted.
pub(crate) struct Interpreter {
    model: Model,
    constants: HashMap<String, Value>,
    pub(crate) variables: Vec<(String, i64, i64, bool)>,
}

/// Commands that can happen together, and under which name.
#[derive(Clone)]
struct Step<'m> {
    action: Option<String>,
    commands: Vec<&'m Command>,
}

struct Part<'m> {
    alphabet: BTreeSet<String>,
    steps: Vec<Step<'m>>,
}

impl Interpreter {
    /// `given` are values for the constants that the model leaves open.
    pub(crate) fn new(model: &Model, given: &[(&str, &str)]) -> Self {
        let model = model.expanded().expect("the model is right");
        let mut interpreter = Self {
            constants: HashMap::new(),
            variables: Vec::new(),
            model,
        };
        for (name, text) in given {
            let expr = prism_language::parse_expression(text.as_bytes()).expect("a value");
            let value = evaluate(&expr, &|_| none("no names")).expect("a value");
            let constant = interpreter
                .model
                .constants
                .iter()
                .find(|c| c.name.value == *name);
            let of = constant.expect("a constant").of;
            interpreter
                .constants
                .insert((*name).to_owned(), of_type(value, of));
        }
        // Each round finds the values of constants that need those of earlier rounds only.
        for _ in 0..interpreter.model.constants.len() {
            for constant in &interpreter.model.constants {
                let Some(value) = &constant.value else {
                    continue;
                };
                if let Ok(value) = evaluate(value, &|name| interpreter.constant(name)) {
                    let value = of_type(value, constant.of);
                    interpreter
                        .constants
                        .insert(constant.name.value.clone(), value);
                }
            }
        }
        let local = interpreter
            .model
            .modules
            .iter()
            .flat_map(|module| module.body.variables());
        let declared: Vec<_> = interpreter
            .model
            .globals
            .iter()
            .chain(local)
            .cloned()
            .collect();
        for variable in declared {
            let bound = |expr| match evaluate(expr, &|name| interpreter.constant(name)) {
                Ok(Value::Int(value)) => value,
                other => panic!("a bound is {other:?}"),
            };
            let (low, high, is_bool) = match &variable.range {
                VariableRange::Bool => (0, 1, true),
                VariableRange::Unbounded => (i64::MIN, i64::MAX, false),
                VariableRange::Clock => panic!("it knows no clocks"),
                VariableRange::Int { low, high } => (bound(low), bound(high), false),
            };
            let known = (variable.name.value.clone(), low, high, is_bool);
            interpreter.variables.push(known);
        }
        interpreter
    }

    fn constant(&self, name: &str) -> Result<Value, NoValue> {
        self.constants
            .get(name)
            .copied()
            .ok_or_else(|| NoValue(format!("no constant {name}")))
    }

    fn lookup(&self, state: &[i64], name: &str) -> Result<Value, NoValue> {
        match self
            .variables
            .iter()
            .position(|variable| variable.0 == name)
        {
            None => self.constant(name),
            Some(slot) if self.variables[slot].3 => Ok(Value::Bool(state[slot] != 0)),
            Some(slot) => Ok(Value::Int(state[slot])),
        }
    }

    pub(crate) fn evaluate(&self, expr: &Expr, state: &[i64]) -> Result<Value, NoValue> {
        evaluate(expr, &|name| self.lookup(state, name))
    }

    fn holds(&self, expr: &Expr, state: &[i64]) -> Result<bool, NoValue> {
        Ok(self.evaluate(expr, state)? == Value::Bool(true))
    }

    /// All choices of a state, those of Markov chains made one.
    pub(crate) fn choices(&self, state: &[i64]) -> Result<Vec<Choice>, NoValue> {
        let whole = self.composed(state)?;
        let mut choices = Vec::new();
        for step in &whole.steps {
            let mut branches = vec![(1.0, state.to_vec())];
            for command in &step.commands {
                branches = self.applied(command, state, &branches)?;
            }
            let mut merged = BTreeMap::new();
            for (weight, target) in branches {
                *merged.entry(target).or_insert(0.0) += weight;
            }
            choices.push((step.action.clone(), merged));
        }
        Ok(self.fused(choices))
    }

    fn model_type(&self) -> TypeKeyword {
        self.model
            .model_type
            .as_ref()
            .map_or(TypeKeyword::Mdp, |of| of.value)
    }

    fn fused(&self, choices: Vec<Choice>) -> Vec<Choice> {
        let share = match self.model_type() {
            TypeKeyword::Mdp => return choices,
            TypeKeyword::Dtmc => choices.len() as f64,
            _ => 1.0,
        };
        // Those without a branch are no part of it.
        let mut actions = (choices.iter())
            .filter(|(_, branches)| !branches.is_empty())
            .map(|(action, _)| action);
        let action = (actions.next().cloned().flatten())
            .filter(|first| actions.all(|other| other.as_ref() == Some(first)));
        let mut all = BTreeMap::new();
        for (target, weight) in choices.into_iter().flat_map(|(_, branches)| branches) {
            *all.entry(target).or_insert(0.0) += weight / share;
        }
        if all.is_empty() {
            Vec::new()
        } else {
            vec![(action, all)]
        }
    }

    /// What a command makes of the branches so far; its expressions are those of the old state.
    fn applied(
        &self,
        command: &Command,
        old: &[i64],
        before: &[(f64, Vec<i64>)],
    ) -> Result<Vec<(f64, Vec<i64>)>, NoValue> {
        let mut after = Vec::new();
        for (probability, target) in before {
            for update in &command.updates {
                let weight = match &update.weight {
                    Some(weight) => real(self.evaluate(weight, old)?)?,
                    None => 1.0,
                };
                if weight == 0.0 {
                    continue;
                }
                if !(weight > 0.0 && weight.is_finite()) {
                    return none("a bad weight");
                }
                let mut target = target.clone();
                for assignment in &update.assignments {
                    let name = &assignment.variable.value;
                    let slot = self.variables.iter().position(|v| v.0 == *name);
                    let slot = slot.expect("the model is right");
                    let value = match self.evaluate(&assignment.value, old)? {
                        Value::Int(value) => value,
                        Value::Bool(value) => i64::from(value),
                        Value::Double(_) => return none("a real number in a variable"),
                    };
                    let (_, low, high, _) = self.variables[slot];
                    if !(low..=high).contains(&value) {
                        return none("out of range");
                    }
                    target[slot] = value;
                }
                after.push((probability * weight, target));
            }
        }
        Ok(after)
    }

    /// The commands of a module that are enabled, with its alphabet.
    fn module(&self, index: usize, state: &[i64]) -> Result<Part<'_>, NoValue> {
        let ModuleBody::Written { commands, .. } = &self.model.modules[index].body else {
            panic!("the model is expanded");
        };
        let mut part = Part {
            alphabet: BTreeSet::new(),
            steps: Vec::new(),
        };
        for command in commands {
            let action = command.action.as_ref().map(|action| action.value.clone());
            part.alphabet.extend(action.clone());
            if self.holds(&command.guard, state)? {
                self.check_sum(command, state)?;
                let commands = vec![command];
                part.steps.push(Step { action, commands });
            }
        }
        Ok(part)
    }

    fn check_sum(&self, command: &Command, state: &[i64]) -> Result<(), NoValue> {
        let mut sum = 0.0;
        for update in &command.updates {
            sum += match &update.weight {
                Some(weight) => real(self.evaluate(weight, state)?)?,
                None => 1.0,
            };
        }
        match self.model_type() == TypeKeyword::Ctmc || (sum - 1.0).abs() <= 1e-6 {
            true => Ok(()),
            false => none("a bad sum"),
        }
    }

    fn composed(&self, state: &[i64]) -> Result<Part<'_>, NoValue> {
        let mut parts = Vec::new();
        let Some(system) = self.model.system() else {
            let mut whole = self.module(0, state)?;
            for index in 1..self.model.modules.len() {
                whole = parallel(&whole, &self.module(index, state)?, None);
            }
            return Ok(whole);
        };
        for node in &system.nodes {
            let part = match &node.value {
                SystemNode::Module(name) => {
                    let index = self
                        .model
                        .modules
                        .iter()
                        .position(|m| m.name.value == *name);
                    self.module(index.expect("the model is right"), state)?
                }
                SystemNode::Hide(hidden) => {
                    let mut part: Part<'_> = parts.pop().expect("an operand");
                    let hidden = |action: &String| hidden.iter().any(|h| h.value == *action);
                    part.alphabet.retain(|action| !hidden(action));
                    for step in &mut part.steps {
                        step.action = step.action.take().filter(|action| !hidden(action));
                    }
                    part
                }
                SystemNode::Rename(pairs) => {
                    let mut part: Part<'_> = parts.pop().expect("an operand");
                    let renamed = |action: String| {
                        let pair = pairs.iter().find(|(old, _)| old.value == action);
                        pair.map_or(action, |(_, new)| new.value.clone())
                    };
                    part.alphabet = part.alphabet.into_iter().map(renamed).collect();
                    for step in &mut part.steps {
                        step.action = step.action.take().map(renamed);
                    }
                    part
                }
                operator => {
                    let right = parts.pop().expect("an operand");
                    let left = parts.pop().expect("an operand");
                    let shared = match operator {
                        SystemNode::Interleaved => Some(BTreeSet::new()),
                        SystemNode::Restricted(actions) => {
                            Some(actions.iter().map(|action| action.value.clone()).collect())
                        }
                        _ => None,
                    };
                    parallel(&left, &right, shared)
                }
            };
            parts.push(part);
        }
        Ok(parts.pop().expect("a system"))
    }
}

/// Side by side, synchronised on `shared`, or on what both know.
fn parallel<'m>(left: &Part<'m>, right: &Part<'m>, shared: Option<BTreeSet<String>>) -> Part<'m> {
    let both = left
        .alphabet
        .intersection(&right.alphabet)
        .cloned()
        .collect();
    let shared = shared.unwrap_or(both);
    let together = |step: &Step<'m>| step.action.as_ref().is_some_and(|a| shared.contains(a));
    let mut steps = Vec::new();
    for step in left.steps.iter().chain(&right.steps) {
        if !together(step) {
            steps.push(step.clone());
        }
    }
    for a in left.steps.iter().filter(|step| together(step)) {
        for b in right.steps.iter().filter(|step| step.action == a.action) {
            steps.push(Step {
                action: a.action.clone(),
                commands: a.commands.iter().chain(&b.commands).copied().collect(),
            });
        }
    }
    Part {
        alphabet: left.alphabet.union(&right.alphabet).cloned().collect(),
        steps,
    }
}

fn of_type(value: Value, of: Type) -> Value {
    match (value, of) {
        (Value::Int(value), Type::Double) => Value::Double(value as f64),
        _ => value,
    }
}
