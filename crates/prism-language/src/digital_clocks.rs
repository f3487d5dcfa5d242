//! Translates timed automata by digital clocks (Kwiatkowska, Norman, Parker and Sproston 2006):
//! clocks become integers, and time becomes an action that all modules take together, one unit at a
//! time.
//!
//! This preserves the probabilities of reaching a set of states if all constraints are closed and
//! none compares two clocks. Other constraints are refused. A clock counts up to one more than the
//! greatest value with which it is compared or to which it is set. The unit is the greatest common
//! divisor of all of these values. The result is the model that PRISM makes with `-ptamethod
//! digital`, including its action `time` and its label `invariants`.

mod constraints;

use crate::ast::{Assignment, Rewards};
use crate::ast::{
    BinaryOp, Command, Expr, Function, Ident, Label, Model, Module, ModuleBody, NodeKind, Span,
    Spanned, SystemNode, TypeKeyword, Update, Variable, VariableRange,
};
use crate::error::{Checked, ErrorKind, Fault};
use crate::widths::Widths;
use constraints::{Clocks, clocks};

/// Returns the model with digital clocks, if it is timed; otherwise the model itself. Its modules
/// must be written out.
pub(crate) fn digital_clocks(
    mut model: Model,
    given: &[(&str, &str)],
    widths: &Widths,
) -> Checked<Model> {
    let Some(kind) = untimed(&model)? else {
        return Ok(model);
    };
    let clocks = clocks(&model, given, widths)?;
    let time = time_action(&model);
    let label = invariants_label(&model, &clocks);
    for module in &mut model.modules {
        digitise(module, &clocks, &time)?;
    }
    for observable in &mut model.observables {
        observable.value = clocks.in_steps(&observable.value);
    }
    if !model.modules.is_empty() {
        for rewards in &mut model.rewards {
            earn_by_time(rewards, &clocks, &time);
        }
    }
    model.labels.extend(label);
    if let Some(keyword) = &mut model.model_type {
        keyword.value = kind;
    }
    Ok(model)
}

/// Returns the type of the model without time; `None` if it has no time.
fn untimed(model: &Model) -> Checked<Option<TypeKeyword>> {
    let keyword = model.model_type.as_ref().map(|keyword| keyword.value);
    let is_clock = |variable: &&Variable| variable.range == VariableRange::Clock;
    if let Some(Variable { name, .. }) = model.globals.iter().find(is_clock) {
        let kind = ErrorKind::GlobalClock {
            name: name.value.clone(),
        };
        return Err(Fault::new(name.span, kind));
    }
    let mut variables = model.modules.iter().flat_map(|m| m.body.variables());
    let clock = variables.find(is_clock).map(|clock| clock.name.span);
    let mut invariants = model.modules.iter().filter_map(|m| m.body.invariant());
    let invariant = invariants.next().map(Expr::span);
    let not_timed = |span, what| {
        let model_type = keyword.unwrap_or(TypeKeyword::Mdp);
        let kind = ErrorKind::NotTimed { model_type, what };
        Err(Fault::new(span, kind).note("`pta` is the type of models with time"))
    };
    match (keyword, clock, invariant) {
        (Some(TypeKeyword::Popta), ..) => Ok(Some(TypeKeyword::Pomdp)),
        (Some(TypeKeyword::Pta), ..) => Ok(Some(TypeKeyword::Mdp)),
        // As in PRISM, a model with clocks is timed even without the keyword.
        (Some(TypeKeyword::Mdp) | None, Some(_), _) => Ok(Some(TypeKeyword::Mdp)),
        (_, Some(span), _) => not_timed(span, "clocks"),
        (_, None, Some(span)) => not_timed(span, "invariants"),
        (_, None, None) => Ok(None),
    }
}

/// Returns the action of the steps of time: `time`, or a variant of it if that name is in use.
fn time_action(model: &Model) -> String {
    let commands = model.modules.iter().flat_map(|m| m.body.commands());
    let of_commands = commands.filter_map(|command| command.action.as_ref());
    let nodes = model.systems.iter().flat_map(|system| &system.nodes);
    let of_systems = nodes.flat_map(|node| match &node.value {
        SystemNode::Rename(pairs) => pairs.iter().map(|(_, new)| new).collect(),
        _ => Vec::new(),
    });
    let taken: Vec<&str> = of_commands
        .chain(of_systems)
        .map(|action| action.value.as_str())
        .collect();
    let mut name = "time".to_owned();
    while taken.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// Returns the label for states in which all invariants hold; `None` if the model has a label with
/// this name.
fn invariants_label(model: &Model, clocks: &Clocks) -> Option<Label> {
    let name = "invariants";
    if model.labels.iter().any(|label| label.name.value == name) {
        return None;
    }
    let all = model.modules.iter().filter_map(|m| m.body.invariant());
    let all = all.map(|invariant| clocks.in_steps(invariant));
    let value = all.reduce(|all, next| binary(all, BinaryOp::And, &next));
    Some(Label {
        name: named(name, Span::default()),
        value: value.unwrap_or_else(|| Expr::leaf(NodeKind::Bool(true), Span::default())),
    })
}

/// Converts the clocks of a module to integers, and its invariant to a command.
fn digitise(module: &mut Module, clocks: &Clocks, time: &str) -> Checked<()> {
    let place = module.name.span;
    let ModuleBody::Written {
        variables,
        invariant,
        commands,
    } = &mut module.body
    else {
        return Ok(());
    };
    for command in commands.iter_mut() {
        command.guard = clocks.in_steps(&command.guard);
        let updates = command.updates.iter_mut();
        for assignment in updates.flat_map(|update| &mut update.assignments) {
            if let Some(value) = clocks.reset(assignment) {
                assignment.value = Expr::leaf(NodeKind::Int(value), assignment.value.span());
            }
        }
    }
    let mut assignments = Vec::new();
    for variable in variables {
        let Some(last) = clocks.last(variable)? else {
            continue;
        };
        let span = variable.name.span;
        let int = |value| Expr::leaf(NodeKind::Int(value), span);
        variable.range = VariableRange::Int {
            low: int(0),
            high: int(last),
        };
        assignments.push(counts(&variable.name, last));
    }
    let holds = || Expr::leaf(NodeKind::Bool(true), place);
    let guard = invariant.take();
    commands.push(Command {
        is_markovian: false,
        action: Some(named(time, place)),
        guard: guard.map_or_else(holds, |guard| clocks.in_steps_after_unit(&guard)),
        updates: vec![Update {
            weight: None,
            upper: None,
            assignments,
        }],
        span: Spanned {
            value: (),
            span: place,
        },
    });
    Ok(())
}

/// Returns the assignment `(x'=min(x+1, last))`.
fn counts(clock: &Ident, last: i64) -> Assignment {
    let span = clock.span;
    let mut value = Expr::building();
    value.push(NodeKind::Name(clock.value.clone()), span);
    value.push(NodeKind::Int(1), span);
    value.push(NodeKind::Binary(BinaryOp::Plus), span);
    value.push(NodeKind::Int(last), span);
    value.push(NodeKind::Call(Function::Min, 2), span);
    Assignment {
        variable: clock.clone(),
        value,
    }
}

/// Converts the rewards of states, which are earned per unit of time, to rewards of steps of time.
fn earn_by_time(rewards: &mut Rewards, clocks: &Clocks, time: &str) {
    for item in &mut rewards.items {
        if item.action.is_none() {
            let span = item.value.span();
            item.action = Some(Some(named(time, span)));
            if clocks.unit > 1 {
                let unit = Expr::leaf(NodeKind::Int(clocks.unit), span);
                item.value = binary(item.value.clone(), BinaryOp::Times, &unit);
            }
        }
    }
}

fn named(name: &str, span: Span) -> Ident {
    Ident {
        value: name.to_owned(),
        span,
    }
}

fn binary(mut left: Expr, op: BinaryOp, right: &Expr) -> Expr {
    let span = left.span();
    left.append(right);
    left.push(NodeKind::Binary(op), span);
    left
}
