//! Compiled commands: the conjuncts of their guards, and the values and variables that their
//! updates write.

use std::collections::HashMap;

use crate::arith::{to_double, to_int};
use crate::ast::{self, Model, Span, Type};
use crate::code::{Compiler, Pc};
use crate::composition::{ActionId, Actions, ModuleId};
use crate::error::{Checked, ErrorKind, Fault};
use crate::ir::{Expr, Id, Meaning, Op, Scope, Slot, Wanted, about, typed};
use crate::variables::{Field, Variable};
use model_type::{ModelType, SUM_TOLERANCE};

/// A command. The part of its guard that remains to be tested depends on its group.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    pub(crate) module: ModuleId,
    pub(crate) is_markovian: bool,
    /// The action that is written in the command.
    pub(crate) source: Option<ActionId>,
    /// The action of a step that consists of this command alone.
    pub(crate) action: Option<ActionId>,
    pub(crate) guard: Option<Pc>,
    pub(crate) branches: std::ops::Range<u32>,
    pub(crate) sum: Sum,
    pub(crate) span: Span,
}

/// The sum of the probabilities of a command, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Sum {
    /// It is 1, or is not restricted.
    Right,
    /// It is this number, which is not 1.
    Wrong(f64),
    /// It depends on the state.
    Varies,
}

/// The bounds of intervals that are used as weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Lower,
    Upper,
}

/// An update: its weight and the values that it writes.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    /// The weight or, of an interval, the upper bound.
    pub(crate) weight: Weight,
    /// The lower bound of an interval.
    pub(crate) lower: Option<Weight>,
    pub(crate) fixed: std::ops::Range<u32>,
    pub(crate) computed: std::ops::Range<u32>,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Weight {
    Constant(f64),
    Code(Pc),
}

/// Writes constants to some variables of a word: `word & keep | put`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fixed {
    pub(crate) word: u32,
    pub(crate) keep: u64,
    pub(crate) put: u64,
}

/// Writes a computed value to a variable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Computed {
    pub(crate) field: Field,
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) value: Computation,
    pub(crate) slot: Slot,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Computation {
    /// The value of a variable, plus a constant: the sum fits.
    Sum(Slot, i64),
    Code(Pc),
}

/// All commands, while they are being compiled.
pub(crate) struct Commands {
    pub(crate) all: Vec<Command>,
    pub(crate) guards: Vec<Guard>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) fixed: Vec<Fixed>,
    pub(crate) computed: Vec<Computed>,
}

/// A guard and its conjuncts, in the order of the text.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) expr: Expr,
    pub(crate) conjuncts: Vec<Id>,
}

impl From<Expr> for Guard {
    fn from(expr: Expr) -> Self {
        let mut conjuncts = Vec::new();
        let mut waiting = vec![expr.root()];
        while let Some(id) = waiting.pop() {
            match expr.node(id).op {
                Op::And(left, right) => waiting.extend([right, left]),
                _ => conjuncts.push(id),
            }
        }
        Self { expr, conjuncts }
    }
}

impl Guard {
    /// Returns the conjuncts before the first one that may fail. They can be tested in any order,
    /// and before all others: this neither hides a failure nor causes one.
    pub(crate) fn movable(&self) -> &[Id] {
        let fails = |&id: &Id| self.expr.node(id).fallible;
        let end = self.conjuncts.iter().position(fails);
        &self.conjuncts[..end.unwrap_or(self.conjuncts.len())]
    }
}

/// The data that are needed to compile commands.
pub(crate) struct Context<'c> {
    pub(crate) model_type: ModelType,
    pub(crate) model: &'c Model,
    pub(crate) scope: &'c Scope<'c>,
    pub(crate) variables: &'c [Variable],
    pub(crate) actions: &'c Actions<'c>,
}

impl Commands {
    pub(crate) fn new() -> Self {
        Self {
            all: Vec::new(),
            guards: Vec::new(),
            branches: Vec::new(),
            fixed: Vec::new(),
            computed: Vec::new(),
        }
    }

    /// Compiles the commands of a module.
    pub(crate) fn module(
        &mut self,
        module: ModuleId,
        context: &Context<'_>,
        compiler: &mut Compiler<'_>,
    ) -> Checked<()> {
        for command in context.model.modules[module].body.commands() {
            if command.is_markovian && context.model_type != ModelType::Ma {
                let model_type = context.model_type.acronym();
                let kind = ErrorKind::NotMarkovian { model_type };
                return Err(Fault::new(command.span.span, kind));
            }
            let guard = typed(
                &command.guard,
                context.scope,
                "a guard",
                Wanted::Of(Type::Bool),
            )?;
            self.guards.push(Guard::from(guard));
            let first = self.branches.len() as u32;
            for update in &command.updates {
                let branch = self.branch(module, command, update, context, compiler)?;
                self.branches.push(branch);
            }
            let branches = first..self.branches.len() as u32;
            let source = command
                .action
                .as_ref()
                .and_then(|a| context.actions.get(&a.value));
            self.all.push(Command {
                module,
                is_markovian: command.is_markovian,
                source,
                action: source,
                guard: None,
                sum: match command.is_markovian {
                    true => Sum::Right,
                    false => self.sum(&branches, context.model_type),
                },
                branches,
                span: command.span.span,
            });
        }
        Ok(())
    }

    /// These commands if they are not in a group yet, and otherwise copies: the part of a guard
    /// that remains to be tested depends on the group.
    pub(crate) fn ungrouped(&mut self, members: &[u32], are_new: bool) -> Vec<u32> {
        let mut own = |&member: &u32| {
            if are_new {
                return member;
            }
            let copy = self.all.len() as u32;
            self.all.push(self.all[member as usize].clone());
            self.guards.push(self.guards[member as usize].clone());
            copy
        };
        members.iter().map(&mut own).collect()
    }

    /// Returns what is known of the sum of the weights of branches.
    fn sum(&self, branches: &std::ops::Range<u32>, model_type: ModelType) -> Sum {
        if model_type == ModelType::Ctmc {
            return Sum::Right;
        }
        if model_type.has_intervals() {
            return Sum::Varies;
        }
        let mut sum = 0.0;
        for branch in &self.branches[branches.start as usize..branches.end as usize] {
            match branch.weight {
                Weight::Constant(weight) => sum += weight,
                Weight::Code(_) => return Sum::Varies,
            }
        }
        match is_one(sum) {
            true => Sum::Right,
            false => Sum::Wrong(sum),
        }
    }

    /// Compiles a branch, with the values that it writes.
    fn branch(
        &mut self,
        module: ModuleId,
        command: &ast::Command,
        update: &ast::Update,
        context: &Context<'_>,
        compiler: &mut Compiler<'_>,
    ) -> Checked<Branch> {
        let what = match context.model_type {
            ModelType::Ctmc => "a rate",
            ModelType::Ma if command.is_markovian => "a rate",
            _ => "a probability",
        };
        let mut weight_of = |written: &ast::Expr| -> Checked<Weight> {
            let expr = typed(written, context.scope, what, Wanted::Of(Type::Double))?;
            Ok(match expr.constant(expr.root()) {
                Some(bits) => Weight::Constant(to_double(bits)),
                None => Weight::Code(compiler.value(&expr, expr.root())?),
            })
        };
        let place = update.weight.as_ref().map(ast::Expr::span);
        let span = place.unwrap_or(command.span.span);
        let mut weight = match &update.weight {
            Some(written) => weight_of(written)?,
            None => Weight::Constant(1.0),
        };
        let mut lower = None;
        if let Some(upper) = &update.upper {
            lower = Some(std::mem::replace(&mut weight, weight_of(upper)?));
        }
        let fixed = self.fixed.len() as u32;
        let computed = self.computed.len() as u32;
        let mut written = HashMap::new();
        for assignment in &update.assignments {
            let variable = &assignment.variable;
            if let Some(first) = written.insert(variable.value.as_str(), variable.span) {
                let name = variable.value.clone();
                let fault = Fault::new(variable.span, ErrorKind::WrittenTwice { name });
                return Err(fault.note_at(first, "first here"));
            }
            let slot = target(module, command, variable, context)?;
            self.assign(slot, &assignment.value, fixed, context, compiler)?;
        }
        Ok(Branch {
            weight,
            lower,
            fixed: fixed..self.fixed.len() as u32,
            computed: computed..self.computed.len() as u32,
            span,
        })
    }

    /// Compiles an assignment of the branch whose fixed values begin at `first_fixed`.
    fn assign(
        &mut self,
        slot: Slot,
        value: &ast::Expr,
        first_fixed: u32,
        context: &Context<'_>,
        compiler: &mut Compiler<'_>,
    ) -> Checked<()> {
        let variable = &context.variables[usize::from(slot)];
        let of = match variable.is_bool() {
            true => Type::Bool,
            false => Type::Int,
        };
        let what = "the value of a variable";
        let expr = typed(value, context.scope, what, Wanted::Of(of)).map_err(|fault| {
            about(fault, what, || {
                format!("the value of `{}`", variable.name())
            })
        })?;
        let (low, high) = (variable.low(), variable.high());
        if let Some(value) = expr.constant(expr.root()).map(to_int)
            && (low..=high).contains(&value)
        {
            self.fix(variable, value, first_fixed);
            return Ok(());
        }
        let value = match sum_of(&expr) {
            Some((slot, constant)) => Computation::Sum(slot, constant),
            None => Computation::Code(compiler.value(&expr, expr.root())?),
        };
        self.computed.push(Computed {
            field: variable.field,
            low,
            high,
            value,
            slot,
            span: expr.node(expr.root()).span,
        });
        Ok(())
    }

    fn fix(&mut self, variable: &Variable, value: i64, first: u32) {
        let Field { word, shift, mask } = variable.field;
        let (keep, put) = (!(mask << shift), variable.offset(value) << shift);
        let branch = &mut self.fixed[first as usize..];
        match branch.iter_mut().find(|fixed| fixed.word == word) {
            Some(fixed) => {
                fixed.keep &= keep;
                fixed.put |= put;
            }
            None => self.fixed.push(Fixed { word, keep, put }),
        }
    }
}

/// Returns whether probabilities that sum to this are a distribution.
pub(crate) fn is_one(sum: f64) -> bool {
    (sum - 1.0).abs() <= SUM_TOLERANCE
}

/// Returns the variable that a command writes, if the command is permitted to write it.
fn target(
    module: ModuleId,
    command: &ast::Command,
    name: &ast::Ident,
    context: &Context<'_>,
) -> Checked<Slot> {
    let Some(&Meaning::Variable(slot, ..)) = context.scope.names.get(name.value.as_str()) else {
        let known = context.variables.iter().map(Variable::name);
        let wanted = crate::error::Naming::Variable;
        let fault = crate::names::unknown(&name.value, name.span, wanted, known);
        return Err(
            match context.scope.names.contains_key(name.value.as_str()) {
                true => fault.note(format!("`{}` is a constant", name.value)),
                false => fault,
            },
        );
    };
    let modules = &context.model.modules;
    let kind = match context.variables[usize::from(slot)].module() {
        // `composition` checks the modules that take part in each vector.
        _ if context.model.vectors.is_some() => return Ok(slot),
        None if command.action.is_none() => return Ok(slot),
        Some(owner) if owner == module => return Ok(slot),
        None => ErrorKind::GlobalInAction {
            name: name.value.clone(),
        },
        Some(owner) => ErrorKind::NotOwned {
            module: modules[module].name.value.clone(),
            name: name.value.clone(),
            owner: modules[owner].name.value.clone(),
        },
    };
    Err(Fault::new(name.span, kind))
}

/// Returns the variable and the constant, if the expression is a variable plus or minus a constant
/// and cannot fail.
fn sum_of(expr: &Expr) -> Option<(Slot, i64)> {
    use crate::arith::Binary::{AddInt, SubtractInt};
    let node = expr.node(expr.root());
    let slot = |id| match expr.node(id).op {
        Op::Variable(slot) => Some(slot),
        _ => None,
    };
    let constant = |id| expr.constant(id).map(to_int);
    if node.fallible {
        return None;
    }
    match node.op {
        Op::Variable(slot) => Some((slot, 0)),
        Op::Binary(AddInt, left, right) => slot(left)
            .zip(constant(right))
            .or_else(|| slot(right).zip(constant(left))),
        Op::Binary(SubtractInt, left, right) => {
            let (slot, constant) = slot(left).zip(constant(right))?;
            Some((slot, constant.checked_neg()?))
        }
        _ => None,
    }
}
